"""Answers within a budget: sentences with numbers, and the sources they lean on."""

from dataclasses import dataclass, replace

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import failure_data, failure_lines, lines, note_line, shortened, too_small
from gossamer.contracts.shapes import AnswerOut, CitationOut
from gossamer.errors import Outcome
from gossamer.model.answer import Answer, Citation, Sentence
from gossamer.steps.mark import escape, iso_time, mark, new_nonce
from gossamer.steps.plain import plain
from gossamer.steps.tokens import count


def answer_reply(answer: Answer, *, max_tokens: int, notes: tuple[str, ...], now: float) -> Reply[AnswerOut]:
    """As many sentences as fit, best first, each with its citations; the rest is counted in a note."""
    said = (*notes, *answer.notes)
    sheet = _Sheet(answer=answer, notes=said, max_tokens=max_tokens, now=now, nonce=new_nonce())
    least = min(1, len(answer.sentences))
    while sheet.size() > max_tokens and len(sheet.answer.sentences) > least:
        kept = len(sheet.answer.sentences) - 1
        left_out = len(answer.sentences) - kept
        sheet = replace(sheet, answer=_first(answer, kept), notes=(*said, f"{left_out} more sentences did not fit."))
    if sheet.size() > max_tokens:
        sheet = replace(sheet, notes=(), is_bare=True)
    if sheet.size() > max_tokens:
        raise too_small(sheet.size())
    meta = {
        "gossamer/services": list(answer.services),
        **({"gossamer/note": list(sheet.notes)} if sheet.notes else {}),
        **({"gossamer/failures": failure_data(answer.failures)} if answer.failures else {}),
    }
    outcome = Outcome.OK if answer.sentences else Outcome.NO_MATCH
    return Reply(text=sheet.text(), data=sheet.data(), outcome=outcome, meta=meta)


def _first(answer: Answer, kept: int) -> Answer:
    """The answer with its first sentences alone; citations that only the others used are gone, numbers stay dense."""
    sentences = answer.sentences[:kept]
    used = sorted({number for sentence in sentences for number in sentence.citations})
    dense = {old: new for new, old in enumerate(used, 1)}
    return replace(
        answer,
        sentences=tuple(Sentence(text=s.text, citations=tuple(dense[n] for n in s.citations)) for s in sentences),
        citations=tuple(answer.citations[n - 1] for n in used),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sheet:
    """One answer, laid out."""

    answer: Answer
    notes: tuple[str, ...]
    max_tokens: int
    now: float
    nonce: str
    is_bare: bool = False
    """Without services and failures, which are in `_meta`, and with a question cut short."""

    def size(self) -> int:
        return max(count(self.text()), count(self.data().model_dump_json(exclude_none=True)))

    def data(self) -> AnswerOut:
        """The structured form."""
        answer = self.answer
        return AnswerOut(
            question=shortened(answer.question, 16 if self.is_bare else self.max_tokens // 8),
            answer=self._marked(self._body()) if answer.sentences else "",
            citations=[_citation(n, citation) for n, citation in enumerate(answer.citations, 1)],
            dropped=answer.dropped,
            note=note_line(self.notes, self.max_tokens).removeprefix("Note: ") or None,
        )

    def text(self) -> str:
        """The readable form: sentences and their sources between marks."""
        answer = self.answer
        sources = "\n".join(
            f"[{n}] {plain(c.title, max_chars=120)} {c.url} (characters {c.start}-{c.end})"
            for n, c in enumerate(answer.citations, 1)
        )
        answered = self._marked(f"{self._body()}\n\n{sources}")
        return lines(
            answered if answer.sentences else "No page that was read answers this.",
            f"Dropped: {answer.dropped} sentences whose quote was not found again." if answer.dropped else "",
            f"Seen by: {', '.join(answer.services)}." if answer.services and not self.is_bare else "",
            "" if self.is_bare else failure_lines(answer.failures, self.max_tokens),
            note_line(self.notes, self.max_tokens),
        )

    def _body(self) -> str:
        return "\n".join(f"{s.text} {''.join(f'[{n}]' for n in s.citations)}" for s in self.answer.sentences)

    def _marked(self, text: str) -> str:
        return mark(text, source="citations", fetched_at=self.now, nonce=self.nonce)


def _citation(number: int, citation: Citation) -> CitationOut:
    return CitationOut(
        number=number,
        url=citation.url,
        title=escape(plain(citation.title, max_chars=120)),
        quote=escape(citation.quote),
        start=citation.start,
        end=citation.end,
        fetched=iso_time(citation.fetched_at),
    )
