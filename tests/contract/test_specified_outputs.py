"""The results that all ten tools are held to are the specifications' own: field by field, in their order and types."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.promises import SPECIFICATIONS
from tests.real.ten_tools import book_content, dune, film, good_news, passage, pools
from tests.workflows.little_web import Asked, LittleWeb

pytestmark = pytest.mark.skipif(
    not SPECIFICATIONS.is_dir(), reason="the specifications do not lie beside the repository"
)
_FIELD = re.compile(r"^\s{2,}(\w+)\??:", re.MULTILINE)


def text_of(number: str) -> str:
    [file] = SPECIFICATIONS.glob(f"{number}_*.txt")
    return file.read_text(encoding="utf-8")


def example(number: str, word: str) -> Any:
    """The first example in JSON that holds a word."""
    blocks = re.findall(r"```json\n(.*?)```", text_of(number), re.DOTALL)
    return json.loads(next(block for block in blocks if word in block))


def fields(number: str, begin: str) -> list[str]:
    """The fields of a type, from its beginning to its end; those of types within it are none of its own."""
    _, _, rest = text_of(number).partition(begin)
    own = re.sub(r"\{[^{}]*\};", ";", rest[: rest.index("\n}")])
    return _FIELD.findall(own)


@pytest.fixture
def web() -> Iterator[LittleWeb]:
    web = LittleWeb()
    web.asked.append(Asked("openai", "", {}, {"model": "gpt-5-nano"}))
    yield web
    web.server_close()


def lacks(theirs: Any, ours: Any, path: str = "") -> list[str]:
    """What an example has and our result lacks, or has of another type."""
    if isinstance(theirs, dict):
        if not isinstance(ours, dict):
            return [path]
        return [one for name, value in theirs.items() for one in lacks(value, ours.get(name), f"{path}.{name}")]
    if isinstance(theirs, list):
        return lacks(theirs[0], ours[0], f"{path}[]") if isinstance(ours, list) and ours else [path]
    number = (int, float) if isinstance(theirs, float) else type(theirs)
    return [] if isinstance(ours, number) else [path]


def in_order(ours: Any, theirs: list[str]) -> bool:
    """Whether the fields that both have come in the same order, and ours has no others."""
    return list(ours) == [name for name in theirs if name in ours]


@pytest.mark.promise("002.40")
def test_web_search_has_every_field_of_the_example(web: LittleWeb) -> None:
    theirs = example("002", "content_fetch_stats")["metadata"]
    assert lacks(theirs, book_content(web)) == []
    assert lacks({**theirs, "one_more": 1}, book_content(web)) == [".one_more"]


@pytest.mark.promise("003.7")
def test_the_results_of_web_search_003_are_the_example_itself(web: LittleWeb) -> None:
    theirs, ours = example("003", '"searchEngine"'), dune(web)
    assert list(ours) == list(theirs)
    assert ours["results"] == theirs["results"]
    assert {key: ours[key] for key in ("query", "searchEngine", "searchTime")} == {
        key: theirs[key] for key in ("query", "searchEngine", "searchTime")
    }


@pytest.mark.promise("003.50")
def test_a_fetched_page_has_the_fields_of_the_example_in_their_order(web: LittleWeb) -> None:
    theirs, ours = example("003", '"siteName"'), film(web)
    assert list(ours) == list(theirs)
    assert ours["metadata"] == theirs["metadata"]
    assert lacks(theirs, ours) == []


@pytest.mark.promise("000.121", "000.167")
def test_a_written_answer_has_the_fields_of_the_schema(web: LittleWeb) -> None:
    ours = good_news(web)
    assert list(ours) == fields("000", "**Output Schema:**")
    assert list(ours["citations"][0]) == fields("000", "**Citation Schema:**")
    assert set(ours["usage"]) == {"promptTokens", "responseTokens"}


@pytest.mark.promise("001.47")
def test_passages_have_the_fields_of_the_schema(web: LittleWeb) -> None:
    ours = passage(web)
    assert in_order(ours, fields("001", "ReadFromPageOutput = z.object({"))
    assert list(ours["queries"][0]["results"][0]) == fields("001", "RelevantChunk = z.object({")


@pytest.mark.promise("004.65")
def test_listed_pages_have_the_fields_of_the_interface(web: LittleWeb) -> None:
    theirs = fields("004", "export interface SearchResult {")
    assert theirs == ["title", "url", "snippet", "publishedDate", "relevanceScore"]
    assert all(in_order(one, theirs) for one in pools(web)["results"])
