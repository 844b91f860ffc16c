import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.page import MAX_LINKS
from gossamer.steps.text.prose import links_in

OIL = "https://a.test/oil"
FOUND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "two in a line": (f"See [oil]({OIL}) and [a  wick](http://b.test).", [("oil", OIL), ("a wick", "http://b.test")]),
    "once each": (f"[oil]({OIL})\n\n[again]({OIL})", [("oil", OIL)]),
    "with a title": (f'[oil]({OIL} "On oil")', [("oil", OIL)]),
    "with brackets in the address": (f"[oil]({OIL}_(fuel)).", [("oil", f"{OIL}_(fuel)")]),
    "an image": (f"![oil]({OIL})", []),
    "relative": ("[oil](/oil)", []),
    "another scheme": ("[run](javascript:alert(1))", []),
    "escaped": (f"\\[oil]({OIL})", []),
    "in code": (f"```md\n[oil]({OIL})\n~~~\n[oil]({OIL})\n```\n[wick](http://b.test)", [("wick", "http://b.test")]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "links"), FOUND.values(), ids=FOUND)
def test_the_links_of_a_text(text: str, links: list[tuple[str, str]]) -> None:
    assert [(link.text, link.url) for link in links_in(text)] == links


def test_the_list_is_bounded() -> None:
    line = " ".join(f"[{n}](https://a.test/{n})" for n in range(150))
    assert len(links_in(f"{line}\n{line.replace('a.test', 'b.test')}")) == MAX_LINKS


@given(st.text("[]()!\\ahttps:/.\n` ", max_size=400))
def test_no_text_is_too_odd(text: str) -> None:
    assert all(link.url.startswith(("http://", "https://")) and link.text for link in links_in(f"[a](http://b) {text}"))
