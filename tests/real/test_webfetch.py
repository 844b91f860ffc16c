"""`WebFetch` against the examples of its specification, field by field, as real clients of both eras see it."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.real.processes import environment_for
from tests.real.spec_site import SpecSite, spec_site
from tests.real.webfetch import ERAS, Connect, Fetch, code_of, over_http, over_stdio

SPECIFICATIONS = Path(__file__).parents[3] / "shared" / "seeds"
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@pytest.fixture
def site() -> Iterator[SpecSite]:
    with spec_site() as site:
        yield site


@pytest.fixture
async def fetch(site: SpecSite, tmp_path: Path) -> AsyncIterator[Fetch]:
    fetch = Fetch(site, tmp_path)
    yield fetch
    await fetch.close()


@pytest.fixture(params=[over_stdio, over_http], ids=["stdio", "http"])
def connect(request: pytest.FixtureRequest) -> Connect:
    return request.param


def film(site: SpecSite) -> dict[str, Any]:
    """The specification's first example, about our address."""
    content = (
        "# Dune: Part Two\n\n**2024** · PG-13 · 2h 46m\n\nPaul Atreides unites with Chani and the Fremen while seeking "
        "revenge against the conspirators who destroyed his family.\n\n## Cast\n\n"
        f"- [Timothée Chalamet]({site.url}/name/nm3154303/) as Paul Atreides\n"
        f"- [Zendaya]({site.url}/name/nm3918035/) as Chani\n- Rebecca Ferguson as Lady Jessica\n"
        "- Josh Brolin as Gurney Halleck"
    )
    return {
        "url": f"{site.url}/title/tt15239678/",
        "status": "success",
        "title": "Dune: Part Two (2024) - IMDb",
        "content": content,
        "contentLength": len(content),
        "truncated": False,
        "metadata": {
            "description": "Paul Atreides unites with Chani and the Fremen...",
            "author": None,
            "datePublished": "2024-03-01",
            "siteName": "IMDb",
        },
        "links": [
            {"text": "Timothée Chalamet", "url": f"{site.url}/name/nm3154303/"},
            {"text": "Zendaya", "url": f"{site.url}/name/nm3918035/"},
        ],
    }


def infobox(site: SpecSite) -> dict[str, Any]:
    """The example with a selector; the heading spans two columns, so both are drawn."""
    content = (
        "| Dune: Part Two |  |\n| --- | --- |\n| Directed by | Denis Villeneuve |\n"
        "| Written by | Denis Villeneuve, Jon Spaihts |\n| Based on | Dune by Frank Herbert |\n"
        "| Produced by | Mary Parent, Cale Boyter, Denis Villeneuve |\n| Starring | See cast section |\n"
        "| Music by | Hans Zimmer |"
    )
    return {
        "url": f"{site.url}/wiki/Dune:_Part_Two",
        "selector": ".infobox",
        "status": "success",
        "title": "Dune: Part Two - Wikipedia",
        "content": content,
        "contentLength": len(content),
        "truncated": False,
        "selectorMatched": True,
    }


def missing(site: SpecSite) -> dict[str, Any]:
    """The example of an error, word for word."""
    return {
        "url": f"{site.url}/404-page",
        "status": "error",
        "errorCode": 404,
        "message": "Page not found",
        "suggestion": "Verify the URL is correct or search for the content",
    }


def paid(site: SpecSite) -> dict[str, Any]:
    """The example of a page behind a paywall."""
    content = (
        "# Premium Article Title\n\nThis article requires a subscription. It begins with the first lines that anybody "
        "may read before the rest is kept for those who pay."
    )
    return {
        "url": f"{site.url}/article",
        "status": "partial",
        "title": "Premium Article Title",
        "content": content,
        "contentLength": len(content),
        "truncated": True,
        "message": "Content appears to be behind a paywall",
    }


def no_address(_site: SpecSite) -> dict[str, Any]:
    """What an invalid address gets: feedback on what is wrong with it."""
    return {
        "url": "not a url",
        "status": "error",
        "errorCode": 400,
        "message": "url is not an address: it holds blanks or control characters.",
        "suggestion": "Give a whole one, such as https://www.example.com/page.",
    }


def refused(_site: SpecSite) -> dict[str, Any]:
    """What an address gets that is not fetched."""
    return {
        "url": "ftp://files.example/x",
        "status": "error",
        "errorCode": 403,
        "message": "ftp: is not fetched.",
        "suggestion": "Give an http:// or https:// address.",
    }


EXAMPLES = {film: "ok", infobox: "ok", missing: "not_found", paid: "paywall"}
OWN = {no_address: "invalid", refused: "refused"}


@pytest.mark.promise(
    "003.34",
    "003.41",
    "003.42",
    "003.43",
    "003.44",
    "003.45",
    "003.46",
    "003.47",
    "003.48",
    "003.49",
    "003.50",
    "003.51",
    "003.52",
    "003.53",
    "003.54",
    "003.55",
    "003.56",
    "003.57",
    "003.58",
    "003.59",
    "003.60",
    "003.61",
    "003.62",
    "003.63",
    "003.98",
    "003.115",
    "003.118",
    "003.158",
    "003.159",
)
@pytest.mark.parametrize("era", ERAS)
async def test_every_example_of_the_specification_comes_back_as_it_is_written(
    era: str, connect: Connect, site: SpecSite, tmp_path: Path
) -> None:
    async with connect(environment_for(site.url, site.host, tmp_path), era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["WebSearch", "WebFetch"]
        for example, outcome in {**EXAMPLES, **OWN}.items():
            expected = example(site)
            asked = {name: expected[name] for name in ("url", "selector") if name in expected}
            result = await client.call_tool("WebFetch", asked)
            assert result.structured_content == expected
            assert list(result.structured_content) == list(expected)
            assert json.loads(result.content[0].text) == expected
            assert result.is_error is (expected["status"] == "error")
            assert result.meta
            assert result.meta["gossamer/outcome"] == outcome


@pytest.mark.promise(
    "003.41",
    "003.42",
    "003.43",
    "003.44",
    "003.46",
    "003.47",
    "003.49",
    "003.50",
    "003.51",
    "003.52",
    "003.56",
    "003.58",
    "003.59",
    "003.63",
)
@pytest.mark.skipif(not SPECIFICATIONS.is_dir(), reason="the specifications do not lie beside the repository")
def test_the_examples_are_the_specifications_own(site: SpecSite) -> None:
    [path] = SPECIFICATIONS.glob("003_*.txt")
    _, _, of_fetch = path.read_text(encoding="utf-8").partition("## Tool 2: WebFetch")
    written = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", of_fetch, re.DOTALL)][: len(EXAMPLES)]
    for theirs, example in zip(written, EXAMPLES, strict=True):
        ours = example(site)
        assert list(ours) == list(theirs)
        for name in set(theirs) - {"url", "content", "contentLength", "links"}:
            assert ours[name] == theirs[name]
        assert _path(ours["url"]) == _path(theirs["url"])
        assert [(link["text"], _path(link["url"])) for link in ours.get("links", [])] == [
            (link["text"], _path(link["url"])) for link in theirs.get("links", [])
        ]
        assert _words(theirs.get("content", "")) <= _words(ours.get("content", ""))


def _path(url: str) -> str:
    return urlsplit(url).path


def _words(content: str) -> set[str]:
    """What is said, however it is drawn."""
    return set(re.findall(r"[\w'’:-]+", _LINK.sub(r"\1", content))) - {"---"}


@pytest.mark.promise("003.36", "003.53", "003.78")
async def test_a_selector_keeps_its_table(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/wiki/Dune:_Part_Two", selector=".infobox")
    assert "| Directed by | Denis Villeneuve |" in told["content"]
    assert "| Music by | Hans Zimmer |" in told["content"]
    assert "American epic" not in told["content"]


@pytest.mark.promise("003.55")
async def test_a_selector_that_matches_nothing_is_a_success_that_says_so(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/wiki/Dune:_Part_Two", selector="#nowhere")
    assert told == {
        "url": f"{site.url}/wiki/Dune:_Part_Two",
        "selector": "#nowhere",
        "status": "success",
        "title": "Dune: Part Two - Wikipedia",
        "content": "",
        "contentLength": 0,
        "truncated": False,
        "selectorMatched": False,
        "suggestion": told["suggestion"],
    }
    assert told["suggestion"]


@pytest.mark.promise("003.37", "003.39", "003.40")
async def test_the_formats_links_and_images_are_as_asked(fetch: Fetch, site: SpecSite) -> None:
    url = f"{site.url}/title/tt15239678/"
    inline = f"[Zendaya]({site.url}/name/nm3918035/)"
    markdown, text, html = [await fetch(url, format=form) for form in ("markdown", "text", "html")]
    assert inline in markdown["content"]
    assert "**2024**" not in text["content"]
    assert "Zendaya as Chani" in text["content"]
    assert f'<a href="{site.url}/name/nm3918035/">Zendaya</a>' in html["content"]
    assert text["links"] == html["links"] == markdown["links"]
    bare = await fetch(url, includeLinks=False)
    assert "links" not in bare
    assert "- Zendaya as Chani" in bare["content"]
    assert "A dune at dusk" not in markdown["content"]
    assert "A dune at dusk" in (await fetch(url, includeImages=True))["content"]


@pytest.mark.promise("003.109")
@pytest.mark.parametrize("form", ["markdown", "text", "html"])
async def test_nothing_in_a_page_looks_like_our_marks_or_runs(form: str, fetch: Fetch, site: SpecSite) -> None:
    content = (await fetch(f"{site.url}/marked", format=form))["content"]
    assert "ordinary words" in content
    assert not re.search(r"<\s*/?\s*untrusted-web-content", content)
    assert "<|im_start|>" not in content
    assert "steal" not in content


@pytest.mark.promise("003.38", "003.77")
@pytest.mark.parametrize("form", ["markdown", "text", "html"])
async def test_a_long_page_is_cut_between_its_parts(form: str, fetch: Fetch, site: SpecSite) -> None:
    told = await fetch(f"{site.url}/long", maxLength=3000, format=form)
    assert told["truncated"] is True
    assert 2600 <= told["contentLength"] == len(told["content"]) <= 3000
    if form != "html":
        assert told["content"].rstrip().endswith("in each of its parts.")
    short = await fetch(f"{site.url}/long", maxLength=1, format=form)
    assert short["contentLength"] == 1


ERRORS: dict[str, tuple[str, dict[str, Any], int]] = {
    "no such argument": ("/long", {"maxlength": 3}, 400),
    "out of bounds": ("/long", {"maxLength": 0}, 400),
    "no selector": ("/long", {"selector": "p["}, 400),
    "turned away": ("/forbidden", {}, 403),
    "robots.txt": ("/closed/page", {}, 403),
    "a kind without a reader": ("/image", {}, 415),
    "too many redirects": ("/turn/1", {}, 502),
}


@pytest.mark.promise("003.57", "003.69", "003.75")
@pytest.mark.parametrize(("path", "given", "code"), ERRORS.values(), ids=ERRORS)
async def test_an_error_has_the_number_of_its_kind(
    path: str, given: dict[str, Any], code: int, fetch: Fetch, site: SpecSite
) -> None:
    told = await fetch(site.url + path, **given)
    assert code_of(told) == code
    assert told["url"] == site.url + path


REFUSED = {
    "another scheme": ("ftp://files.example/x", 403),
    "a private address": ("http://10.0.0.1/", 403),
    "another scheme without a host": ("mailto:keeper@lamp.example", 403),
    "no host": ("http://", 400),
    "a word": ("lighthouse", 400),
    "blanks": ("http://light house.example/", 400),
    "a host that cannot be read": ("http://[::1/", 400),
    "no port": ("http://lamp.example:99999/", 403),
    "a password": ("http://keeper:secret@lamp.example/", 403),
    "nobody there": ("http://127.0.0.1:1/", 403),
}


@pytest.mark.promise("003.107", "003.112", "003.113")
@pytest.mark.parametrize(("url", "code"), REFUSED.values(), ids=REFUSED)
async def test_what_is_refused_says_why(url: str, code: int, fetch: Fetch) -> None:
    told = await fetch(url)
    assert code_of(told) == code
    assert told["suggestion"]


@pytest.mark.promise("003.66")
async def test_five_redirects_are_followed_and_no_more(fetch: Fetch, site: SpecSite) -> None:
    followed = await fetch.outgoing(f"{site.url}/hop/5")
    assert followed.data
    assert (followed.data["status"], followed.data["url"]) == ("success", f"{site.url}/hop/5")
    assert followed.meta["gossamer/final_url"] == f"{site.url}/long"
    assert code_of(await fetch(f"{site.url}/hop/6")) == 502


@pytest.mark.promise("003.68", "003.113")
async def test_nothing_that_tells_who_asks_is_sent_along(fetch: Fetch, site: SpecSite) -> None:
    for path in ("/long", "/talked", "/marked"):
        await fetch(site.url + path)
        [visit] = site.visits(path)
        assert not {"cookie", "authorization", "referer"} & set(visit)
        assert visit["user-agent"].startswith("Mozilla/5.0 (compatible; ")


async def test_an_address_is_read_leniently_and_that_is_noted(fetch: Fetch, site: SpecSite) -> None:
    told = await fetch.outgoing(f"<{site.url}/long>", maxLength="200")
    assert told.data
    assert told.data["url"] == f"{site.url}/long"
    assert any("maxLength" in note for note in told.meta["gossamer/note"])
