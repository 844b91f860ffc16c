"""Answers within a budget: sentences with numbers, and the sources they lean on."""

from dataclasses import replace

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import note_lines
from gossamer.contracts.render_page import failure_data, failure_lines
from gossamer.contracts.shapes import AnswerOut, CitationOut
from gossamer.errors import Outcome
from gossamer.model.answer import Answer, Citation, Sentence
from gossamer.steps.mark import escape, iso_time, mark, new_nonce
from gossamer.steps.plain import plain
from gossamer.steps.tokens import count, cut

_SMALL = 1000


def answer_reply(answer: Answer, *, max_tokens: int, notes: tuple[str, ...], now: float) -> Reply[AnswerOut]:
    """As many sentences as fit, best first, each with its citations; the rest is counted in a note."""
    for kept in range(len(answer.sentences), -1, -1):
        shown = _first(answer, kept)
        left_out = len(answer.sentences) - kept
        said = (*notes, *answer.notes, *((f"{left_out} more sentences did not fit.",) if left_out else ()))
        data = _data(shown, said, max_tokens=max_tokens, now=now)
        text = _text(shown, said, max_tokens=max_tokens, now=now)
        if max(count(text), count(data.model_dump_json(exclude_none=True))) <= max_tokens:
            break
    else:
        text = text[: cut(text, max_tokens)]
    meta = {
        "gossamer/services": list(answer.services),
        **({"gossamer/note": list(said)} if said else {}),
        **({"gossamer/failures": failure_data(answer.failures)} if answer.failures else {}),
    }
    outcome = Outcome.OK if answer.sentences else Outcome.NO_MATCH
    return Reply(text=text, data=data, outcome=outcome, meta=meta)


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


def _body(answer: Answer) -> str:
    return "\n".join(f"{s.text} {''.join(f'[{n}]' for n in s.citations)}" for s in answer.sentences)


def _data(answer: Answer, notes: tuple[str, ...], *, max_tokens: int, now: float) -> AnswerOut:
    body = mark(_body(answer), source="citations", fetched_at=now, nonce=new_nonce()) if answer.sentences else ""
    return AnswerOut(
        question=answer.question if max_tokens >= _SMALL else answer.question[:120],
        answer=body,
        citations=[_citation(n, citation) for n, citation in enumerate(answer.citations, 1)],
        dropped=answer.dropped,
        note=note_lines(notes, max_tokens).removeprefix("Note: ") or None,
    )


def _citation(number: int, citation: Citation) -> CitationOut:
    return CitationOut(
        number=number,
        url=citation.url,
        title=plain(citation.title, max_chars=120),
        quote=escape(citation.quote),
        start=citation.start,
        end=citation.end,
        fetched=iso_time(citation.fetched_at),
    )


def _text(answer: Answer, notes: tuple[str, ...], *, max_tokens: int, now: float) -> str:
    if not answer.sentences:
        body = "No page that was read answers this."
    else:
        sources = "\n".join(
            f"[{n}] {plain(c.title, max_chars=120)} {c.url} (characters {c.start}-{c.end})"
            for n, c in enumerate(answer.citations, 1)
        )
        body = mark(f"{_body(answer)}\n\n{sources}", source="citations", fetched_at=now, nonce=new_nonce())
    return "\n".join(
        part
        for part in (
            body,
            f"Seen by: {', '.join(answer.services)}." if answer.services else "",
            f"Dropped: {answer.dropped} sentences whose quote was not found again." if answer.dropped else "",
            failure_lines(answer.failures, limit=3) if max_tokens >= _SMALL else "",
            note_lines(notes, max_tokens),
        )
        if part
    )
