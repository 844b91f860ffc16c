"""OpenAI-compatible `/chat/completions` and `/responses`: builds the request, judges and reads the reply; no I/O."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from gossamer.errors import GossamerError, UnexpectedReply
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.ports import judge_status

OPENAI = "https://api.openai.com/v1"
WHO = "The answer model"
_MOST_TOKENS = 4000
"""What a model may write, its reasoning included; an answer needs a tenth of it."""
_MOST_CHARS = 64_000
_CHAT, _RESPONSES = "/chat/completions", "/responses"
Turn = tuple[str, str]
"""Who speaks (`system`, `user` or `assistant`), and what."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What the model wrote, and what that took."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


def endpoint(base_url: str) -> str:
    """Where the model is asked: as written where that names one of the two, else `/chat/completions` below it."""
    base = (base_url or OPENAI).rstrip("/")
    return base if base.endswith((_CHAT, _RESPONSES)) else f"{base}{_CHAT}"


def request(base_url: str, key: str, model: str, turns: Sequence[Turn]) -> HttpRequest:
    """Ask for one answer; `temperature` is never sent, since reasoning models refuse it."""
    url = endpoint(base_url)
    messages = [{"role": role, "content": text} for role, text in turns]
    asked = {"messages": messages, "max_completion_tokens": _MOST_TOKENS}
    if url.endswith(_RESPONSES):
        asked = {"input": messages, "max_output_tokens": _MOST_TOKENS}
    headers = {"content-type": "application/json", "accept": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    body = json.dumps({"model": model, **asked}, ensure_ascii=False).encode("utf-8", "replace")
    return HttpRequest(url=url, method="POST", headers=headers, body=body)


def read(reply: HttpReply) -> Written:
    """What was written; a refusal by status or a body of another shape is an error of ours, without its words."""
    try:
        judge_status(WHO, reply)
    except GossamerError as error:
        raise error.but(hint="Check answer.model, answer.base_url and answer.api_key.") from error
    try:
        body: object = json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise UnexpectedReply(f"{WHO}'s reply is no JSON.", hint="Check answer.base_url.") from error
    usage = _table(_table(body).get("usage"))
    return Written(
        text="".join(_texts(_table(body)))[:_MOST_CHARS],
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
    )


def _texts(body: dict[str, Any]) -> list[str]:
    """The texts of the first choice of a completion, or of the messages of a response."""
    for choice in _list(body.get("choices"))[:1]:
        return _parts(_table(_table(choice).get("message")).get("content"))
    return [text for item in _list(body.get("output")) for text in _parts(_table(item).get("content"))]


def _parts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts = (_table(part).get("text") for part in _list(content))
    return [text for text in texts if isinstance(text, str)]


def _count(usage: dict[str, Any], *names: str) -> int:
    counts = (usage.get(name) for name in names)
    return next((count for count in counts if isinstance(count, int) and count >= 0), 0)


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
