"""Proves citations: every quote is found again in its page, or its sentence is dropped; and nothing forges one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gossamer.model.answer import Answer, Citation, Draft, Sentence
from gossamer.model.page import Page
from gossamer.steps.text.link_targets import with_targets
from gossamer.steps.text.look_alikes import CLOSING, LINE_BREAKS, OPENING
from gossamer.steps.text.untrusted_markers import inserted

_DIGIT = "\\d\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\u2150-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
_NO_SIGN = f"{OPENING}{CLOSING}{LINE_BREAKS}\u2020"
_SIGNS = f"(?:[^\\w{_NO_SIGN}<]++|_++|<(?:\\\\*+[/!a-zA-Z][^<>{_NO_SIGN}]*+>)?+)*+"
"""What surrounds a number and is none: no letter but in a tag, such as that of bold type."""
_NUMBER = f"{_SIGNS}[{_DIGIT}]++(?![.:/][{_DIGIT}]){_SIGNS}"
_END = f"[{CLOSING}\u2020]"
_CITATION = f"(?:{_NUMBER})++{_END}"
"""What a reader takes for a number in brackets, or for several: digits of any kind and signs around them, no letter.

A version, a time and a fraction are none."""
_LABEL = f"[{LINE_BREAKS}](?:[^\\w{OPENING}{LINE_BREAKS}]++|[\\d_]++|\\[[ \\t]*+\\])*+[{OPENING}]"
"""Where a label of ours would stand: what a line begins with, whatever marks and numbers come before it."""
_ARMED = re.compile(rf"[{OPENING}]\\*+(?={_CITATION})")
_ARMED_LABEL = re.compile(rf"{_LABEL}\\*+(?={_NUMBER}{_END})")


def escape_citations(text: str) -> str:
    """Page text whose own `[2]` is not taken for our citation of source 2: one backslash after its bracket."""
    return _ARMED.sub(r"\g<0>\\", text)


def escape_labels(text: str) -> str:
    """Page text below a label of ours, `[2]` in a line: one number in brackets that begins a line has a backslash."""
    return inserted(text, label_escapes(text))


def label_escapes(text: str) -> list[int]:
    """Before which characters of a text `escape_labels` puts a backslash, in order."""
    return [match.end() - 1 for match in _ARMED_LABEL.finditer(f"\n{text}")]


def cite(drafts: Iterable[Draft], pages: Mapping[str, Page]) -> tuple[tuple[Sentence, ...], tuple[Citation, ...], int]:
    """Keep the sentences whose every quote is an exact span of a page; return them, their citations, the dropped.

    Citations are numbered from 1 in the order of first use, and equal ones share a number.
    """
    sentences: list[Sentence] = []
    numbers: dict[Citation, int] = {}
    dropped = 0
    for draft in drafts:
        proven = _prove(draft, pages)
        if not proven:
            dropped += 1
            continue
        used = tuple(dict.fromkeys(numbers.setdefault(citation, len(numbers) + 1) for citation in proven))
        sentences.append(Sentence(text=draft.text, citations=used, value=draft.value))
    return tuple(sentences), tuple(numbers), dropped


def answer_with_links(answer: Answer) -> Answer:
    """The same where each sentence that is a quote has the targets of its links."""
    sentences: list[Sentence] = []
    for sentence in answer.sentences:
        carrying = (answer.citations[number - 1] for number in sentence.citations)
        markdown = next((each.markdown for each in carrying if each.markdown and each.quote == sentence.text), "")
        sentences.append(replace(sentence, text=markdown or sentence.text))
    return replace(answer, sentences=tuple(sentences))


def _prove(draft: Draft, pages: Mapping[str, Page]) -> list[Citation]:
    citations: list[Citation] = []
    for number, (url, quote) in enumerate(draft.quotes):
        page = pages.get(url)
        if page is None or not quote.strip():
            return []
        place = draft.places[number] if number < len(draft.places) else -1
        start = place if place >= 0 and page.text.startswith(quote, place) else page.text.find(quote)
        if start < 0:
            return []
        end = start + len(quote)
        markdown = with_targets(page.text, page.targets or (), start, end)
        citations.append(
            Citation(
                url=url,
                title=page.title,
                quote=quote,
                start=start,
                end=end,
                content_hash=page.content_hash,
                fetched_at=page.fetched_at,
                markdown=markdown if markdown != quote else "",
                published=page.info.modified or page.info.published,
            )
        )
    return citations
