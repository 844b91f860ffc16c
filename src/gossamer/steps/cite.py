"""Proves citations: every quote is found again in its page, or its sentence is dropped; and nothing forges one."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gossamer.model.answer import Citation, Draft, Sentence
from gossamer.model.page import Page

_NUMBER = r"[\d⁰-⁹¹²³]{1,4}"
_CITATION = rf"\s{{0,3}}\^?{_NUMBER}(?:\s{{0,3}}[,;–-]\s{{0,3}}{_NUMBER}){{0,8}}\s{{0,3}}(?:\\?[\]］】〕]|†)"
_ARMED = re.compile(rf"[\[［【〔]\\*(?={_CITATION})")
_DISARMED = re.compile(rf"[\[［【〔]\\*\\(?={_CITATION})")


def escape_citations(text: str) -> str:
    """Page text whose own `[2]` is not taken for our citation of source 2: one backslash after its bracket."""
    return _ARMED.sub(r"\g<0>\\", text)


def unescape_citations(text: str) -> str:
    """Undo `escape_citations` exactly."""
    return _DISARMED.sub(lambda found: found[0][:-1], text)


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
