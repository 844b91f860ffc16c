"""Exchanges with providers, recorded in folders and replayed without a network."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, cast

from gossamer.errors import GossamerError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.ports import Provider

SECRET = "contract-secret-7f3a"  # noqa: S105 - what the suite looks for where no secret belongs
RECORDED = date(2026, 11, 15)
"""The day on which cases are asked: "two days ago" is counted from it."""
AS_JSON = {"content-type": "application/json"}
MAX_EXCHANGES = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A recorded exchange with a provider, and how it must be read."""

    name: str
    made: type[Provider]
    query: Query
    replies: tuple[HttpReply, ...]
    expected: Mapping[str, Any]

    @classmethod
    @cache
    def load(cls, folder: Path, made: type[Provider]) -> "Case":
        """Read a case from its three files, once."""
        said: Any = json.loads((folder / "reply.json").read_text("utf-8"))
        many = cast("list[dict[str, Any]]", said if isinstance(said, list) else [said])
        return cls(
            name=f"{folder.parent.name}-{folder.name}",
            made=made,
            query=Query(day=RECORDED, **json.loads((folder / "query.json").read_text("utf-8"))),
            replies=tuple(_recorded(one, folder) for one in many),
            expected=json.loads((folder / "hits.json").read_text("utf-8")),
        )


def sample(made: type[Provider]) -> Provider:
    """A provider with its defaults, a secret in each place for one, and an address."""
    secrets = {name: SECRET for name, field in made.model_fields.items() if "SecretStr" in str(field.annotation)}
    address = made.model_fields["base_url"].get_default() or "https://provider.example"
    return made.model_validate({"base_url": address, **secrets})


def drive(provider: Provider, query: Query, send: Callable[[HttpRequest], HttpReply]) -> Found:
    """Walk through a provider's steps: each reply is judged first, and what is wrong with it is thrown into them."""
    steps = provider.steps(query)
    try:
        request = next(steps)
        for _ in range(MAX_EXCHANGES):
            try:
                reply = send(request)
                provider.judge(reply)
            except GossamerError as error:
                request = steps.throw(error)
            else:
                request = steps.send(reply)
    except StopIteration as end:
        return cast("Found", end.value)
    raise AssertionError(f"{provider.name} did not come to an end within {MAX_EXCHANGES} exchanges")


def replay(provider: Provider, query: Query, replies: Sequence[HttpReply]) -> Found:
    """Answer a provider with recorded replies, the last one again and again."""
    waiting = list(replies)

    def send(request: HttpRequest) -> HttpReply:
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return replace(reply, url=reply.url or request.url)

    return drive(provider, query, send)


def folders(parent: Path) -> list[Path]:
    """The case folders of a provider, in order; none when nothing was recorded."""
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


def dump(value: object) -> bytes:
    """A JSON body."""
    return json.dumps(value).encode()


def bent(value: object) -> Iterator[object]:
    """The same JSON again and again, each time with one value of another type somewhere inside."""
    for wrong in (7, "x", {"x": 1}):
        if type(wrong) is not type(value):
            yield wrong
    if isinstance(value, dict):
        known = cast("dict[str, object]", value)
        for name, inner in known.items():
            yield from ({**known, name: other} for other in bent(inner))
    elif isinstance(value, list):
        listed = cast("list[object]", value)
        for place, inner in enumerate(listed):
            yield from ([*listed[:place], other, *listed[place + 1 :]] for other in bent(inner))


def _recorded(said: dict[str, Any], folder: Path) -> HttpReply:
    if "body_file" in said:
        body = (folder / said["body_file"]).read_bytes()
    else:
        body = said["body"].encode() if isinstance(said.get("body"), str) else dump(said.get("body"))
    headers = said.get("headers", AS_JSON)
    return HttpReply(status=said.get("status", 200), url=said.get("url", ""), headers=headers, body=body)
