"""OpenAI's `/v1/embeddings`: builds the request, maps refusals to errors and reads the vectors; no I/O."""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from gossamer.errors import BrokenReply, Denied, GossamerError, InvalidArgument, NotFound, UnexpectedReply, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Vectors
from gossamer.ports import judge_status
from gossamer.steps.text.clean_line import plain

Encoding = Literal["base64", "float"]

WHO = "The embedding server"
_MOST_DIMENSIONS = 16_384
_QUOTED = 200
_VERSION = re.compile(r"/v[0-9]{1,3}$")
_OUT_OF_BOUNDS = re.compile(
    r"too (?:large|long|many)|\bexceeds\b|longer than|maximum|batch size|context (?:length|size)"
    r"|(?:less|fewer|more) than [0-9,]{1,9} (?:tokens|inputs)|tokens per request",
    re.IGNORECASE,
)
_OUT_OF_BOUNDS_5XX = re.compile(r"too large to process|physical batch size|input length exceeds", re.IGNORECASE)
"""What llama.cpp and Ollama say of a text that is too long, as if it were an error on their side."""
_ENCODING = re.compile(r"encoding|base64", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\b(?:sk|hf|pk)[-_][\w*.-]+")
_HINT = "Check EMBEDDING_SERVER_URL and EMBEDDING_MODEL_NAME: gossamer doctor."


class _Item(BaseModel):
    model_config = ConfigDict(strict=True)

    index: int | None = None
    embedding: list[float] | str


class _Reply(BaseModel):
    data: list[_Item]


class OutOfBounds(InvalidArgument):
    """More texts at once, or a longer one, than the server takes."""


class OtherEncoding(InvalidArgument):
    """The server does not write vectors as we asked."""


def endpoint(url: str) -> str:
    """Where vectors are asked for; the operator may have written the address with or without its version."""
    base = url.rstrip("/").removesuffix("/embeddings").rstrip("/")
    return f"{base}/embeddings" if _VERSION.search(base) else f"{base}/v1/embeddings"


def request(url: str, key: str, model: str, texts: Sequence[str], encoding: Encoding) -> HttpRequest:
    """Ask for the vectors of all texts at once; `dimensions` is never sent, since few models know it."""
    headers = {"content-type": "application/json", "accept": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    body = {"model": model, "input": list(texts), "encoding_format": encoding}
    encoded = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return HttpRequest(url=endpoint(url), method="POST", headers=headers, body=encoded)


def judge(reply: HttpReply, key: str) -> None:
    """Raise for a refusal, with the server's own words apart where they can hold no secret."""
    if 200 <= reply.status < 300:
        return
    words = _words(reply, key)
    try:
        _refuse(reply, words)
    except GossamerError as error:
        raise error.quoting("" if isinstance(error, Denied) else words) from error


def _refuse(reply: HttpReply, words: str) -> None:
    status = reply.status
    refuses = status in {400, 413, 422}
    if refuses and _ENCODING.search(words):
        raise OtherEncoding(f"{WHO} does not know this encoding.", hint=_HINT)
    known = _OUT_OF_BOUNDS if refuses else _OUT_OF_BOUNDS_5XX
    if status == 413 or ((refuses or status >= 500) and known.search(words)):
        raise OutOfBounds(f"{WHO} takes less at once ({status}).", hint="Lower EMBEDDING_TOKENS_SIZE.")
    if refuses:
        raise InvalidArgument(f"{WHO} did not accept our texts ({status}).", hint=_HINT)
    if status in {401, 403}:
        raise Denied(f"{WHO} turned us away ({status}).", hint="Check EMBEDDING_SERVER_API_KEY.")
    if status == 404:
        raise NotFound(f"{WHO} has no such model or address.", hint=_HINT)
    if status == 501:
        raise InvalidArgument(
            f"{WHO} makes no embeddings.", hint="Start it with embeddings switched on (llama.cpp: --embeddings)."
        )
    if status == 424:
        raise Unreachable(f"{WHO}'s own model failed.", hint="Try again later.")
    try:
        judge_status(WHO, reply)
    except Unreachable as error:
        raise error.but(message=f"{WHO} failed on its side ({status}).") from error
    except BrokenReply as error:
        raise BrokenReply(f"{WHO} answered with an unexpected status {status}.", hint=_HINT) from error


def read(reply: HttpReply, model: str, count: int) -> Vectors:
    """The vectors in the order of the texts, unit length, packed; anything doubtful is refused as a whole."""
    import numpy as np

    try:
        items = _Reply.model_validate_json(reply.body).data
    except ValidationError as error:
        where = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"])) or "the body"
        raise _doubtful(f"it has another shape than expected at {where}") from error
    if len(items) != count:
        raise _doubtful(f"it holds {len(items)} vectors for {count} texts")
    rows = [_numbers(item.embedding) for item in _in_order(items)]
    dimension = len(rows[0])
    if not 0 < dimension <= _MOST_DIMENSIONS or any(len(row) != dimension for row in rows):
        raise _doubtful("its vectors are not of one length")
    table = np.array(rows, dtype=np.float64)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise _doubtful("a vector holds what is no number, or nothing but zeros")
    return Vectors(model=model, dimension=dimension, data=(table / lengths).astype("<f2").tobytes())


def _in_order(items: list[_Item]) -> list[_Item]:
    """By index, whatever the order of arrival; a server that numbers nothing answers in order."""
    indexes = [item.index for item in items]
    if all(index is None for index in indexes):
        return items
    placed = {item.index: item for item in items}
    if sorted(index for index in indexes if index is not None) != list(range(len(items))):
        raise _doubtful("its vectors are not numbered one by one")
    return [placed[number] for number in range(len(items))]


def _numbers(embedding: list[float] | str) -> Sequence[float]:
    import numpy as np

    if not isinstance(embedding, str):
        return embedding
    try:
        packed = base64.b64decode(embedding, validate=True)
        return np.frombuffer(packed, dtype="<f4").tolist()
    except (binascii.Error, ValueError) as error:
        raise _doubtful("a vector is not written in base64") from error


def _doubtful(why: str) -> GossamerError:
    return UnexpectedReply(f"{WHO}'s reply cannot be used: {why}.", hint=_HINT)


def _words(reply: HttpReply, key: str) -> str:
    """What the server says of a refusal: every dialect's place for it, bounded, without keys."""
    try:
        message: object = json.loads(reply.body)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message"):
        if isinstance(message, dict):
            table = cast("dict[str, object]", message)
            message = table.get(name, table)
    if not isinstance(message, str):
        return ""
    return plain(_KEY_SHAPE.sub("***", message.replace(key, "***") if key else message), max_chars=_QUOTED)
