"""Answers within a budget: sentences with numbers, the sources they lean on, and what was read in vain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gossamer.contracts.contract import Reply
from gossamer.contracts.core.shapes import AnswerOut, CitationOut
from gossamer.contracts.render.envelope import (
    clean_address,
    failure_data,
    failure_lines,
    inert,
    lines,
    note_line,
    shortened,
    too_small,
    unbroken,
)
from gossamer.model.answer import Answer, Citation, Sentence
from gossamer.steps.retrieval.cite import escape_citations
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.untrusted_markers import escape, iso_time, mark, new_nonce
from gossamer.steps.tokens.count import count
from gossamer.steps.web.freshness import age_of

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_VALUE_CHARS = 80
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
NOTHING = "No page that was read answers this."


def answer_reply(answer: Answer, *, max_tokens: int, notes: tuple[str, ...], now: float) -> Reply[AnswerOut]:
    """The sentences that fit, best first, each with its citations; the others are counted in a note."""
    whole = _AnswerLayout(answer=answer, notes=(*notes, *answer.notes), max_tokens=max_tokens, now=now)
    bare = replace(whole, is_bare=True)
    layout = whole.filled()
    if layout.size() > max_tokens or len(layout.answer.sentences) < min(1, len(answer.sentences)):
        layout = bare.filled()
    if len(layout.answer.sentences) < min(1, len(answer.sentences)):
        raise too_small(min(bare.only([n]).size() for n in range(len(answer.sentences))))
    meta = {
        "gossamer/services": list(answer.services),
        **({"gossamer/age_s": _oldest(answer, now)} if answer.citations else {}),
        "gossamer/read": answer.read,
        **({"gossamer/note": list(layout.notes)} if layout.notes else {}),
        **({"gossamer/failures": failure_data(answer.failures)} if answer.failures else {}),
    }
    return Reply(text=layout.text(), data=layout.data(), outcome=answer.outcome, meta=meta)


def _oldest(answer: Answer, now: float) -> int:
    """The age of the oldest page that is cited."""
    return max(age_of(citation.fetched_at, now=now) for citation in answer.citations)


@dataclass(frozen=True, kw_only=True, slots=True)
class _AnswerLayout:
    """One answer, laid out."""

    answer: Answer
    notes: tuple[str, ...]
    max_tokens: int
    now: float
    nonce: str = field(default_factory=new_nonce)
    is_bare: bool = False
    """Without services, failures and notes, which are in `_meta`, and with a question cut short."""

    def filled(self) -> "_AnswerLayout":
        """The same with those sentences that fit, looked at in order; without any, with the passages that fit."""
        chosen: list[int] = []
        for n in range(len(self.answer.sentences)):
            if self.only([*chosen, n]).size() <= self.max_tokens:
                chosen.append(n)
        layout = self.only(chosen)
        while layout.size() > self.max_tokens and layout.answer.closest:
            layout = replace(layout, answer=replace(layout.answer, closest=layout.answer.closest[:-1]))
        return layout

    def only(self, chosen: list[int]) -> "_AnswerLayout":
        """The same with the chosen sentences; citations that only others used are gone, numbers stay dense."""
        sentences = [self.answer.sentences[n] for n in chosen]
        used = sorted({number for sentence in sentences for number in sentence.citations})
        dense = {old: new for new, old in enumerate(used, 1)}
        answer = replace(
            self.answer,
            sentences=tuple(replace(each, citations=tuple(dense[n] for n in each.citations)) for each in sentences),
            citations=tuple(self.answer.citations[n - 1] for n in used),
        )
        left_out = len(self.answer.sentences) - len(chosen)
        said = (f"{left_out} of {len(self.answer.sentences)} sentences did not fit.",) if left_out else ()
        return replace(self, answer=answer, notes=(*self.notes, *said))

    def size(self) -> int:
        """The tokens of the dearer form."""
        return max(count(self.text()), count(self.data().model_dump_json(exclude_none=True)))

    def data(self) -> AnswerOut:
        """The structured form; where nothing answers, its citations are what comes closest."""
        answer = self.answer
        closest = "" if answer.citations or not answer.closest else f"{NOTHING} The citations come closest."
        return AnswerOut(
            question=shortened(answer.question, 16 if self.is_bare else self.max_tokens // 8),
            answer=self._marked(self._body()) if answer.sentences else "",
            citations=[_citation(n, each) for n, each in enumerate(answer.citations or answer.closest, 1)],
            dropped=answer.dropped,
            note=" ".join(filter(None, [closest, self._note().removeprefix("Note: ")])) or None,
        )

    def text(self) -> str:
        """The readable form: sentences and their sources between marks, or the passages that come closest."""
        answer = self.answer
        told = answer.sentences or answer.closest
        return lines(
            "" if answer.sentences else f"{NOTHING}{' What comes closest:' if answer.closest else ''}",
            self._marked(f"{self._body()}\n\n{chr(10).join(source_lines(answer))}") if told else "",
            "" if self.is_bare else read_line(answer),
            f"Dropped: {answer.dropped} sentences whose quote was not found again." if answer.dropped else "",
            f"Seen by: {', '.join(answer.services)}." if answer.services and not self.is_bare else "",
            "" if self.is_bare else failure_lines(answer.failures, self.max_tokens),
            self._note(),
        )

    def _note(self) -> str:
        return "" if self.is_bare else note_line(self.notes, self.max_tokens)

    def _body(self) -> str:
        """The sentences, each in a line of its own, or the passages that come closest; the numbers are ours."""
        return "\n".join(body_lines(self.answer))

    def _marked(self, text: str) -> str:
        return mark(text, source="citations", fetched_at=self.now, nonce=self.nonce)


def body_lines(answer: Answer) -> list[str]:
    """Each sentence with its numbers behind it; where there is none, each passage that comes closest."""
    if not answer.sentences:
        return [_told(each.quote, (n,)) for n, each in enumerate(answer.closest, 1)]
    values = _value_line(answer)
    return [*([values] if values else []), *(_told(each.text, each.citations) for each in answer.sentences)]


def _told(text: str, numbers: Sequence[int]) -> str:
    """A sentence in one line, and code in its own lines, with our numbers behind it, whatever it says itself."""
    is_code = "\n" in text and _FENCE.search(text) is not None
    shown = "\n".join(map(unbroken, text.split("\n"))) if is_code else unbroken(text)
    gap = "\n" if "\n" in shown else " "
    return f"{inert(escape_citations(shown))}{gap}{''.join(f'[{n}]' for n in numbers)}"


def _value_line(answer: Answer) -> str:
    """What the sources answer differently, side by side, the newest first."""
    differing = [each for each in answer.sentences if each.value]
    if len(differing) < 2:
        return ""
    told = (
        f"{escape_citations(plain(each.value, max_chars=_VALUE_CHARS))} ({_dated(answer, each)}) "
        f"{''.join(f'[{n}]' for n in each.citations)}"
        for each in differing
    )
    return f"Sources differ: {'; '.join(told)}."


def _dated(answer: Answer, sentence: Sentence) -> str:
    newest = max((answer.citations[n - 1].published for n in sentence.citations), default="")
    return _day(newest) or "no date"


def _day(date: str) -> str:
    """The day of a date; one in words as it is."""
    date = plain(date, max_chars=32)
    return date[:10] if _ISO_DAY.match(date) else date


def source_lines(answer: Answer) -> list[str]:
    """Each source once, behind the numbers of its quotes: title, address, dates, and where in it they stand."""
    quotes: dict[str, list[tuple[int, Citation]]] = {}
    for number, citation in enumerate(answer.citations if answer.sentences else answer.closest, 1):
        quotes.setdefault(citation.url, []).append((number, citation))
    told: list[str] = []
    for url, numbered in quotes.items():
        first = numbered[0][1]
        dates = [f"published {_day(first.published)}"] if first.published else []
        dates.append(f"read {iso_time(first.fetched_at)[:10]}")
        spans = ", ".join(f"{each.start}-{each.end}" for _, each in numbered)
        marks = "".join(f"[{number}]" for number, _ in numbered)
        dated = escape_citations(", ".join(dates))
        told.append(inert(f"{marks} {_title(first)} {clean_address(url)} ({dated}; characters {spans})"))
    return told


def read_line(answer: Answer) -> str:
    """How many pages were read, and how many of them are quoted."""
    if not answer.read:
        return ""
    quoted = len({each.url for each in answer.citations})
    return f"Read: {answer.read} {'page' if answer.read == 1 else 'pages'}, {quoted} quoted."


def within_tokens(answer: Answer, max_tokens: int) -> Answer:
    """The answer with those sentences that fit, at least the first, as it is printed."""
    chosen = list(range(len(answer.sentences)))
    layout = _AnswerLayout(answer=answer, notes=(), max_tokens=max_tokens, now=0.0)
    while len(chosen) > 1 and count(answer_lines(layout.only(chosen).answer)) > max_tokens:
        chosen.pop()
    return layout.only(chosen).answer if len(chosen) < len(answer.sentences) else answer


def answer_lines(answer: Answer) -> str:
    """The answer and its sources as a terminal shows them."""
    head = [] if answer.sentences else [NOTHING, *(["What comes closest:", ""] if answer.closest else [])]
    sources = source_lines(answer)
    tail = [*(["", *sources] if sources else []), *filter(None, [read_line(answer)])]
    return "\n".join([*head, *body_lines(answer), *tail])


def _title(citation: Citation) -> str:
    return escape_citations(plain(citation.title, max_chars=120))


def _citation(number: int, citation: Citation) -> CitationOut:
    return CitationOut(
        number=number,
        url=citation.url,
        title=_title(citation),
        quote=escape(escape_citations(unbroken(citation.quote))),
        start=citation.start,
        end=citation.end,
        published=plain(citation.published, max_chars=32) or None,
        fetched=iso_time(citation.fetched_at),
    )
