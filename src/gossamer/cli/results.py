"""Results for people and, with `--json`, for programs. Documented in docs/cli.md."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from gossamer.cli.local_pages import read_files, sources
from gossamer.cli.session import say
from gossamer.contracts.core.render_reading import FAR, reading_with_links
from gossamer.contracts.render.page import structured_data
from gossamer.engine import Engine
from gossamer.engine.reading import Order
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage, View
from gossamer.model.search import Failure
from gossamer.ports import Call
from gossamer.steps.retrieval.cite import escape_citations, escape_labels
from gossamer.steps.retrieval.passage_context import closing
from gossamer.steps.retrieval.scores import is_far
from gossamer.steps.text.link_targets import markdown_of, place_in_text
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.tokens.count import count, cut
from gossamer.steps.web.freshness import age_in_words

_WORTH_TELLING_S = 3600.0
"""The age of a kept copy from which on it is told to people."""
Work = Callable[[Engine, Call, Any], Awaitable[dict[str, Any] | str]]


def fetcher(*, as_json: bool) -> Work:
    """The page's text; `--json`: the text with its address, title, dates and outcome."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        view = View(
            format=asked.format,
            selector=asked.selector,
            include_links=asked.include_links,
            include_images=asked.include_images,
        )
        page = await engine.fetch(asked.url, call, view=view, force_refresh=asked.force_refresh)
        for note in page.notes:
            say(f"Note: {note}")
        say_age([page.fetched_at], call)
        markdown = markdown_of(page)
        is_truncated = len(markdown) > asked.max_length
        if is_truncated:
            say(f"Note: shown are {asked.max_length} of {len(markdown)} characters; --max-length shows more.")
        text = markdown[: asked.max_length]
        if not as_json:
            return text
        return {**_page_data(page), "text": text, "is_truncated": is_truncated}

    return work


def reader(named: Sequence[str], *, as_json: bool, order: Order = "score") -> Work:
    """Passages of the pages named, best first or as they stand there; `--json`: each with span, section and score."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        budget = asked.max_tokens
        written: Callable[[Reading], Reading] = reading_with_links if asked.include_links else lambda found: found
        files, urls = sources(named)
        pages = await read_files(files)
        reading = await engine.read(
            asked.urls if urls else (),
            asked.queries,
            call,
            pages=pages,
            max_results=asked.max_results,
            budget_tokens=budget,
            force_refresh=asked.force_refresh,
            room_for=lambda found: found.budget_tokens - too_much(written(found).passages, budget),
        )
        shown = in_order(
            within(written(reading).passages, asked.max_tokens), order, [page.url for page in reading.pages]
        )
        say_failures(reading.failures)
        for note in reading.notes:
            say(f"Note: {note}")
        say_age([page.fetched_at for page in reading.pages], call)
        if as_json:
            pages = {page.url: page for page in reading.pages}
            return {
                "pages": [_page_data(page) for page in reading.pages],
                "passages": [_passage_data(passage, pages[passage.url]) for passage in shown],
            }
        if not shown:
            say(f"No passage of {'this page' if len(reading.pages) == 1 else 'these pages'} suits the question.")
        elif is_far([passage.score for passage in shown], reading.ranking.model):
            say(f"Note: {FAR}")
        return "\n\n".join(
            f"[{n}] {escape_citations(_heading(p, reading))}\n{escape_labels(p.shown)}".strip()
            for n, p in enumerate(shown, 1)
        )

    return work


def _heading(passage: Passage, reading: Reading) -> str:
    """The headings above a passage, after its page and the numbers of its questions where there are several."""
    numbers = [str(n) for n, query in enumerate(reading.queries, 1) if query in (passage.query, *passage.also)]
    asked = f"(question {', '.join(numbers)}) " if len(reading.queries) > 1 else ""
    page = f"{passage.url} " if len(reading.pages) > 1 else ""
    return f"{asked}{page}{' > '.join(passage.section)}".strip()


def _page_data(page: Page) -> dict[str, Any]:
    return {
        "url": page.url,
        "final_url": page.final_url,
        "outcome": page.outcome.value,
        "title": page.title,
        "author": page.info.author,
        "published": page.info.published,
        "modified": page.info.modified,
        "description": page.info.description,
        "canonical_url": page.info.canonical_url,
        "site_name": page.info.site_name,
        "language": page.info.language,
        "price": page.info.price,
        "facts": page.info.facts.splitlines(),
        "structured": structured_data(page),
        "fetched": iso_time(page.fetched_at),
        "version": page.version,
        "content_hash": page.content_hash,
        "message": page.message,
        "left_out": page.left_out._asdict() if any(page.left_out) else None,
    }


def _passage_data(passage: Passage, page: Page) -> dict[str, Any]:
    """A passage with its span, which is that of the text without the targets of its links."""
    is_text = page.text.startswith(passage.text, passage.start)
    size = len(passage.text)
    end = passage.start + size if is_text else place_in_text(page.targets or (), passage.start, len(page.text), size)
    return {
        "id": passage.id,
        "url": passage.url,
        "section": list(passage.section),
        "start": passage.start,
        "end": end,
        "score": round(passage.score, 3),
        "text": passage.text,
        **({"lead": passage.lead} if passage.lead else {}),
        **({"tail": passage.tail} if passage.tail else {}),
    }


def within(passages: Sequence[Passage], budget: int) -> list[Passage]:
    """The passages that fit into the budget, at least the first; the last may be the first sentences of one."""
    shown: list[Passage] = []
    for passage in passages:
        whole = _together([*shown, passage])
        end = cut(whole, budget) if shown else len(whole)
        if end < len(whole):
            begun = _begun(passage, len(passage.text) - (len(whole) - end))
            return [*shown, begun] if begun else shown
        shown.append(passage)
    return shown


def in_order(shown: Sequence[Passage], order: Order, urls: Sequence[str] = ()) -> list[Passage]:
    """What is shown, best first as it was chosen, or page by page from beginning to end; `urls` orders the pages."""
    if order == "score":
        return list(shown)
    places = {url: number for number, url in enumerate(urls)}
    return sorted(shown, key=lambda passage: (places.get(passage.url, 0), passage.start))


def too_much(passages: Sequence[Passage], budget: int) -> int:
    """By how many tokens those passages exceed the budget that were chosen to be shown together."""
    return max(0, count(_together([passage for passage in passages if not passage.batch])) - budget)


def _together(passages: Sequence[Passage]) -> str:
    return "\n\n".join(passage.shown for passage in passages)


def _begun(passage: Passage, size: int) -> Passage | None:
    """The first whole sentences of a passage that end within so many characters; rows and lines stay together."""
    ends = [end for _, end in sentences(passage.text) if end <= size and not passage.lead]
    if not ends:
        return None
    text = passage.text[: ends[-1]]
    return replace(passage, end=passage.start + ends[-1], text=text, tail=closing(text))


def failure_data(failures: Sequence[Failure]) -> list[dict[str, str]]:
    """The failures, each with its reason."""
    return [{"who": f.who, "outcome": f.outcome.value, "message": f.message} for f in failures]


def say_age(fetched: Sequence[float], call: Call) -> None:
    """Print to stderr how old the oldest of these copies is, where that is more than an hour."""
    age_s = call.clock.now() - min(fetched, default=call.clock.now())
    if age_s > _WORTH_TELLING_S:
        say(f"Note: the copy is {age_in_words(age_s)} old; --refresh asks the site again.")


def say_failures(failures: Sequence[Failure]) -> None:
    """Print the failures to stderr, each with its reason."""
    for failure in failures:
        say(f"Not available: {failure.who}: {failure.outcome}: {failure.message} {failure.hint}".rstrip(": "))
