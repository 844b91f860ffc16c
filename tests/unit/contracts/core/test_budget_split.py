"""What of a page is shown beside others: its best passages or its beginning, and no code left open."""

import pytest

from gossamer.contracts.core.budget_split import body_of
from gossamer.model.page import Page, Passage
from gossamer.model.search import Content
from tests.unit.contracts.material import true_tokens

CODE = "\n".join(f"call_number_{n}(argument, other={n})" for n in range(80))
TEXTS = {
    "code": f"```python\n{CODE}\n```\n",
    "prose, then code": f"The harbour opens at noon. It closes at six.\n\n~~~\n{CODE}\n~~~\n",
    "code with sentences": f"A word first.\n\n```\n{CODE.replace(')', '). And more.')}\n```\n",
    "code, then prose": "```\ncall(1)\n```\n\n" + "The harbour opens at noon. It closes at six. " * 90,
}


@pytest.mark.parametrize("share", [60, 120, 400])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("has_passages", [False, True])
def test_code_that_is_cut_is_ended_within_the_share(text: str, share: int, has_passages: bool) -> None:
    page = Page(url="u", final_url="u", title="t", text=text, fetched_at=0.0)
    passage = Passage(url="u", title="t", section=(), start=0, end=len(text) - 1, text=text[:-1], score=1.0)
    content = Content(page=page, passages=(passage,) if has_passages else ())
    body = body_of(content, page, share, share + 1)
    fence = "~~~" if "~~~" in text else "```"
    assert body.count(fence) % 2 == 0
    assert true_tokens(body) <= share
    shown = body.removesuffix(f"\n{fence}")
    assert text.startswith(shown)
    assert len(shown) > share
