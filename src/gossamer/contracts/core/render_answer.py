"""Answers within a budget: sentences with numbers, and the sources they lean on."""

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
from gossamer.errors import Outcome
from gossamer.model.answer import Answer, Citation, Sentence
from gossamer.steps.retrieval.cite import escape_citations
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.untrusted_markers import escape, iso_time, mark, new_nonce
from gossamer.steps.tokens.count import count
from gossamer.steps.web.freshness import age_of


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
        **({"gossamer/note": list(layout.notes)} if layout.notes else {}),
        **({"gossamer/failures": failure_data(answer.failures)} if answer.failures else {}),
    }
    outcome = Outcome.OK if answer.sentences else Outcome.NO_MATCH
    return Reply(text=layout.text(), data=layout.data(), outcome=outcome, meta=meta)


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
        """The same with those sentences that fit, looked at in order."""
        chosen: list[int] = []
        for n in range(len(self.answer.sentences)):
            if self.only([*chosen, n]).size() <= self.max_tokens:
                chosen.append(n)
        return self.only(chosen)

    def only(self, chosen: list[int]) -> "_AnswerLayout":
        """The same with the chosen sentences; citations that only others used are gone, numbers stay dense."""
        sentences = [self.answer.sentences[n] for n in chosen]
        used = sorted({number for sentence in sentences for number in sentence.citations})
        dense = {old: new for new, old in enumerate(used, 1)}
        answer = replace(
            self.answer,
            sentences=tuple(Sentence(text=s.text, citations=tuple(dense[n] for n in s.citations)) for s in sentences),
            citations=tuple(self.answer.citations[n - 1] for n in used),
        )
        left_out = len(self.answer.sentences) - len(chosen)
        said = (f"{left_out} of {len(self.answer.sentences)} sentences did not fit.",) if left_out else ()
        return replace(self, answer=answer, notes=(*self.notes, *said))

    def size(self) -> int:
        """The tokens of the dearer form."""
        return max(count(self.text()), count(self.data().model_dump_json(exclude_none=True)))

    def data(self) -> AnswerOut:
        """The structured form."""
        answer = self.answer
        return AnswerOut(
            question=shortened(answer.question, 16 if self.is_bare else self.max_tokens // 8),
            answer=self._marked(self._body()) if answer.sentences else "",
            citations=[_citation(n, citation) for n, citation in enumerate(answer.citations, 1)],
            dropped=answer.dropped,
            note=self._note().removeprefix("Note: ") or None,
        )

    def text(self) -> str:
        """The readable form: sentences and their sources between marks."""
        answer = self.answer
        sources = "\n".join(
            inert(f"[{n}] {_title(c)} {clean_address(c.url)} (characters {c.start}-{c.end})")
            for n, c in enumerate(answer.citations, 1)
        )
        answered = self._marked(f"{self._body()}\n\n{sources}")
        return lines(
            answered if answer.sentences else "No page that was read answers this.",
            f"Dropped: {answer.dropped} sentences whose quote was not found again." if answer.dropped else "",
            f"Seen by: {', '.join(answer.services)}." if answer.services and not self.is_bare else "",
            "" if self.is_bare else failure_lines(answer.failures, self.max_tokens),
            self._note(),
        )

    def _note(self) -> str:
        return "" if self.is_bare else note_line(self.notes, self.max_tokens)

    def _body(self) -> str:
        """The sentences, each in a line of its own; the numbers behind it are ours, whatever it says itself."""
        return "\n".join(
            f"{inert(escape_citations(unbroken(s.text)))} {''.join(f'[{n}]' for n in s.citations)}"
            for s in self.answer.sentences
        )

    def _marked(self, text: str) -> str:
        return mark(text, source="citations", fetched_at=self.now, nonce=self.nonce)


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
        fetched=iso_time(citation.fetched_at),
    )
