"""`web_verify`: a claim and the pages it cites in, a verdict and the sentences that bear on it out."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.render.envelope import (
    Ours,
    QuotedAddress,
    QuotedLine,
    QuotedText,
    clean_address,
    clean_line,
    failure_data,
    failure_lines,
    inert,
    lines,
    note_line,
    too_small,
    unbroken,
)
from gossamer.engine import Engine
from gossamer.model.answer import Citation
from gossamer.model.verification import Verification
from gossamer.ports import Call
from gossamer.steps.retrieval.cite import escape_citations
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.untrusted_markers import escape, iso_time, mark, new_nonce
from gossamer.steps.tokens.count import count
from gossamer.steps.web.urls import read_address

Address = Annotated[str, Field(min_length=1, max_length=2048), Reads(by=read_address)]
VERDICTS = {
    "supported": "The cited text supports the claim",
    "partly": "The cited text supports the claim in part",
    "not_supported": "The cited text does not support the claim",
}


class Shape(BaseModel):
    """A part of the result; its check is built when the first one is made."""

    model_config = ConfigDict(defer_build=True)


class QuoteOut(Shape):
    """A sentence of a page: its characters `start` to `end` as it was fetched, in one clean line."""

    url: QuotedAddress
    title: QuotedLine
    quote: QuotedText
    start: int
    end: int
    fetched: Ours


class VerifyOut(Shape):
    """A verdict."""

    claim: QuotedLine
    verdict: Literal["supported", "partly", "not_supported"]
    score: float
    missing: list[QuotedLine]
    """Words of the claim that the page does not bear out."""
    quotes: list[QuoteOut]
    note: Ours | None = None


@tool(
    title="Verify a claim",
    use="says whether pages support a claim.",
    timeout=lambda policies: policies.of(CorePolicy).read_s,
    needs=frozenset({"fetch"}),
)
async def web_verify(
    engine: Engine,
    call: Call,
    claim: Annotated[str, Field(min_length=1, max_length=1000), Reads(by=str.strip)],
    urls: Annotated[list[Address], Field(min_length=1, max_length=10)],
    max_tokens: Annotated[int, Field(ge=200, le=20_000)] = 1000,
    force_refresh: bool = False,
) -> Reply[VerifyOut]:
    """Say whether pages support a claim, what of it they lack, and the sentences nearest to it."""
    found = await engine.verify(claim, urls, call, force_refresh=force_refresh)
    return verify_reply(found, max_tokens=max_tokens, notes=tuple(call.log.notes), now=engine.clock.now())


def verify_reply(found: Verification, *, max_tokens: int, notes: tuple[str, ...], now: float) -> Reply[VerifyOut]:
    """The verdict with as many of its quotes as fit, best first; with a claim cut short where that is needed."""
    told = (*notes, *found.notes)
    meta = {
        **({"gossamer/services": list(found.services)} if found.services else {}),
        **({"gossamer/note": list(told)} if told else {}),
        **({"gossamer/failures": failure_data(found.failures)} if found.failures else {}),
    }
    nonce = new_nonce()
    smallest = 0
    for claim_chars in (1000, 120):
        for quotes in range(len(found.citations), -1, -1):
            shown = replace(found, claim=found.claim[:claim_chars], citations=found.citations[:quotes], notes=told)
            is_bare = claim_chars < len(found.claim)
            text = _text(shown, max_tokens, now, nonce, is_bare=is_bare)
            data = _data(shown, max_tokens, is_bare=is_bare)
            smallest = max(count(text), count(data.model_dump_json(exclude_none=True)))
            if smallest <= max_tokens:
                return Reply(text=text, data=data, meta=meta)
    raise too_small(smallest)


def _text(found: Verification, max_tokens: int, now: float, nonce: str, *, is_bare: bool) -> str:
    missing = "; ".join(inert(word) for word in _missing(found))
    quotes = [
        f"[{n}] {inert(escape_citations(unbroken(each.quote)))}\n    {inert(_title(each))} {clean_address(each.url)} "
        f"(characters {each.start}-{each.end})"
        for n, each in enumerate(found.citations, 1)
    ]
    body = lines(f"Missing: {missing}" if missing else "", *quotes)
    return lines(
        f"{found.verdict}: {VERDICTS[found.verdict]} (score {found.score:.2f}).",
        mark(body, source="citations", fetched_at=now, nonce=nonce) if body else "",
        f"Seen by: {', '.join(found.services)}." if found.services and not is_bare else "",
        "" if is_bare else failure_lines(found.failures, max_tokens),
        "" if is_bare else note_line(found.notes, max_tokens),
    )


def _data(found: Verification, max_tokens: int, *, is_bare: bool) -> VerifyOut:
    return VerifyOut(
        claim=clean_line(found.claim),
        verdict=found.verdict,
        score=round(found.score, 3),
        missing=_missing(found),
        quotes=[
            QuoteOut(
                url=each.url,
                title=_title(each),
                quote=escape(escape_citations(unbroken(each.quote))),
                start=each.start,
                end=each.end,
                fetched=iso_time(each.fetched_at),
            )
            for each in found.citations
        ],
        note=None if is_bare else note_line(found.notes, max_tokens).removeprefix("Note: ") or None,
    )


def _missing(found: Verification) -> list[str]:
    return [escape_citations(clean_line(word, max_chars=80)) for word in found.missing]


def _title(citation: Citation) -> str:
    return escape_citations(plain(citation.title, max_chars=120))
