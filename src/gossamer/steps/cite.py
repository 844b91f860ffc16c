"""Proves citations: every quote is found again in its page, or its sentence is dropped."""

from collections.abc import Iterable, Mapping, Sequence

from gossamer.model.answer import Citation, Draft, Sentence
from gossamer.model.page import Page


def cite(drafts: Iterable[Draft], pages: Mapping[str, Page]) -> tuple[tuple[Sentence, ...], tuple[Citation, ...], int]:
    """Keep the sentences whose every quote is an exact span of a page; return them, their citations, the dropped.

    Citations are numbered from 1 in the order of first use, and equal ones share a number.
    """
    sentences: list[Sentence] = []
    numbers: dict[Citation, int] = {}
    dropped = 0
    for draft in drafts:
        proven = _prove(draft.quotes, pages)
        if not proven:
            dropped += 1
            continue
        used = tuple(dict.fromkeys(numbers.setdefault(citation, len(numbers) + 1) for citation in proven))
        sentences.append(Sentence(text=draft.text, citations=used))
    return tuple(sentences), tuple(numbers), dropped


def _prove(quotes: Sequence[tuple[str, str]], pages: Mapping[str, Page]) -> list[Citation]:
    found: list[Citation] = []
    for url, quote in quotes:
        page = pages.get(url)
        start = page.text.find(quote) if page and quote.strip() else -1
        if page is None or start < 0:
            return []
        found.append(
            Citation(
                url=url,
                title=page.title,
                quote=quote,
                start=start,
                end=start + len(quote),
                content_hash=page.content_hash,
                fetched_at=page.fetched_at,
            )
        )
    return found
