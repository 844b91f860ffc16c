"""OpenAI's replies: their shape, and what in them is no answer.

Failures come with status 200 as well, sources may lack an address, and a model that did not search at all answers
just as cheerfully: each is told apart, by a `reason` that contracts pass on. A field that is null is one that is
missing.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, model_validator

from gossamer.errors import BrokenReply, Denied, GossamerError, InvalidArgument, NotFound, RateLimited, Unreachable
from gossamer.model.http import HttpReply
from gossamer.model.search import Mention
from gossamer.ports import Provider, retry_after
from gossamer.providers.shared.api_errors import bad_key, bad_query, used_up
from gossamer.steps.text.clean_line import plain, plain_address
from gossamer.steps.text.spans import fitted

_WAIT = re.compile(r"try again in (?:([0-9]{1,4})m)?([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s)\b")
_SPENT = frozenset({"insufficient_quota", "credit_balance_exhausted"})
_PACED = frozenset({"rate_limit_exceeded", "slow_down"})
_OVERLOADED = frozenset({"server_error", "server_is_overloaded"})
_UNACCEPTABLE = frozenset({"invalid_prompt", "context_length_exceeded"})
_AGAIN = "Try again, or use another provider."
_MOST = 200
"""So many citations and sources are read of one reply."""


_Text = Annotated[str, BeforeValidator(lambda said: "" if said is None else said)]


class Error(BaseModel):
    """What went wrong, as the service says it."""

    code: str | None = None
    type: str | None = None
    param: str | None = None
    """The field that was not acceptable."""
    message: _Text = ""


class Complaint(BaseModel):
    """The body of a reply with an error status."""

    error: Error


class Citation(BaseModel):
    """A place in a text, and the page that it comes from."""

    type: _Text = ""
    url: str | None = None
    title: str | None = None
    start_index: int | None = None
    end_index: int | None = None


class ReplyPart(BaseModel):
    """A text, or the refusal to write one."""

    type: _Text = ""
    text: _Text = ""
    refusal: str | None = None
    annotations: Annotated[list[Citation], BeforeValidator(lambda said: said or [])] = []


class _Source(BaseModel):
    url: str | None = None
    """A source that is a feed of OpenAI's own has none."""


class _Action(BaseModel):
    url: str | None = None
    """The one page that was opened, or looked through."""
    sources: list[_Source] | None = None

    def looked_at(self) -> Iterator[str | None]:
        yield self.url
        yield from (source.url for source in self.sources or [])


class _Item(BaseModel):
    type: _Text = ""
    status: str | None = None
    action: _Action | None = None
    content: list[ReplyPart] | None = None


class _Why(BaseModel):
    reason: str | None = None


class _Usage(BaseModel):
    input_tokens: int | None = None
    output_tokens: int | None = None


class Reply(BaseModel):
    """A response, good or not."""

    status: str
    output: list[_Item]
    error: Error | None = None
    incomplete_details: _Why | None = None
    usage: _Usage | None = None

    @model_validator(mode="before")
    @classmethod
    def _may_be_its_output_alone(cls, value: object) -> object:
        """Some who speak for the service hand on the steps of a response without the rest."""
        return {"status": "completed", "output": cast("object", value)} if isinstance(value, list) else value

    def parts(self) -> Iterator[ReplyPart]:
        """The parts of all messages, in order."""
        for item in self.output:
            if item.type == "message":
                yield from item.content or []

    def sources(self) -> tuple[str, ...]:
        """The addresses of the pages looked at, in order."""
        actions = (item.action for item in self.output if item.action and item.status != "failed")
        return tuple(islice((url for action in actions for url in action.looked_at() if url), _MOST))

    def written(self) -> tuple[str, tuple[Mention, ...]]:
        """All texts as one, and the citations in it; one that points at nothing is an empty span."""
        texts: list[str] = []
        mentions: list[Mention] = []
        before = 0
        for part in self.parts():
            for citation in part.annotations[: _MOST - len(mentions)]:
                if address := plain_address(citation.url or "") if citation.type == "url_citation" else "":
                    start, end = _span(part.text, citation, address)
                    mentions.append(
                        Mention(
                            url=address,
                            title=plain(citation.title or "", max_chars=200),
                            start=before + start,
                            end=before + end,
                        )
                    )
            texts.append(part.text)
            before += len(part.text)
        return "".join(texts), tuple(mentions)


def _span(text: str, citation: Citation, address: str) -> tuple[int, int]:
    """Where a citation stands: as the service says, or where it does not say, where its address is first written."""
    start, end = citation.start_index, citation.end_index
    if start is None or end is None:
        start = text.find(address)
        return (start, start + len(address)) if start >= 0 else (0, 0)
    return fitted(text, start, end, address) or (0, 0)


def check(provider: Provider, said: Reply, reply: HttpReply) -> None:
    """Raise for an answer that is none: failed, cut off, refused, or made up without a search."""
    if said.status == "failed" or said.error:
        error = said.error or Error()
        told = meant(provider, error, reply)
        told = told or BrokenReply("OpenAI failed to answer.", hint=_AGAIN).quoting(error.code or "")
        raise told if "reason" in told.context else told.about(reason="failed")
    if said.status != "completed":
        reason = said.incomplete_details.reason if said.incomplete_details else None
        hint = "Raise providers.openai.max_output_tokens." if reason == "max_output_tokens" else _AGAIN
        why = plain(reason or said.status, max_chars=60)
        told = BrokenReply("OpenAI stopped before its answer was complete.", hint=hint).quoting(why)
        raise told.about(reason="incomplete", incomplete=why)
    if any(part.refusal for part in said.parts()):
        refused = Denied("OpenAI refused to answer this query.", hint="Rephrase it, or use another provider.")
        raise refused.about(reason="refusal")
    searches = [item for item in said.output if item.type == "web_search_call"]
    if not searches:
        told = BrokenReply("OpenAI answered without searching the web.", hint="Ask for pages more plainly.")
        raise told.about(reason="no_search")
    if all(item.status == "failed" for item in searches):
        raise Unreachable("The web search of OpenAI failed.", hint=_AGAIN).about(reason="search_failed")


def unaccepted(provider: Provider, error: Error) -> InvalidArgument:
    """A request that the model does not take: what is named tells whether the query or our way of asking."""
    if error.param in {None, "input"}:
        return bad_query(provider, error.message)
    return InvalidArgument(
        "OpenAI did not accept our way of asking this model.",
        hint="Set providers.openai.model to another, or use another provider.",
    ).quoting(error.message)


def meant(provider: Provider, error: Error, reply: HttpReply) -> GossamerError | None:
    """What an error object means, by its code; its words may hold part of the key, so they are not repeated."""
    codes = {error.code, error.type}
    if "invalid_api_key" in codes:
        return bad_key(provider)
    if codes & _SPENT:
        return used_up(provider).about(reason="quota")
    if codes & _PACED and reply.status != 503:
        return RateLimited(provider.title, retry_after_s=_wait_s(reply, error.message))
    if codes & (_OVERLOADED | _PACED):
        return Unreachable(
            "OpenAI is overloaded or failed on its side.",
            hint="Try again later.",
            retry_after_s=_wait_s(reply, error.message),
        )
    if "model_not_found" in codes:
        return NotFound("OpenAI has no such model for our key.", hint="Set providers.openai.model to another.").about(
            reason="model"
        )
    if "unsupported_country_region_territory" in codes:
        return Denied("OpenAI does not answer from this country.", hint="Use another provider.")
    return bad_query(provider, error.message) if codes & _UNACCEPTABLE else None


def _wait_s(reply: HttpReply, said: str) -> float | None:
    """How long to wait: by the exact header, the usual one, or the sentence."""
    exact = reply.headers.get("retry-after-ms", "")
    if exact.isascii() and exact.isdigit() and len(exact) < 9:
        return int(exact) / 1000
    if (usual := retry_after(reply)) is not None:
        return usual
    match = _WAIT.search(said[:1000])
    return int(match[1] or 0) * 60 + float(match[2]) / (1000 if match[3] == "ms" else 1) if match else None
