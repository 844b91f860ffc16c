"""Wire format between server and worker: frames of a JSON header and a body of bytes.

Errors cross as data and are raised again from a fixed table: a worker that a page has taken over can choose a word
of ours and fill in a short sentence, nothing more.
"""

import json
import re
import struct
from dataclasses import asdict
from typing import BinaryIO, cast

from gossamer import errors
from gossamer.errors import GossamerError, Outcome
from gossamer.model.page import MAX_LINKS, STAGES, Extracted, LeftOut, Link, PageInfo, View

MAX_HEADER_BYTES = 256 * 1024
MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_TEXT_BYTES = 10 * 1024 * 1024
"""What a worker returns of one page; the rest is cut off, and the result says so."""
_MAX_SENTENCE = 500
_MAX_FIELD, _MAX_TREE = 8_000, 16_000
_MAX_URL = 2_048
_MOST_COUNTED = 10_000_000
_WEB = re.compile(r"https?://[^\s\x00-\x20]+")
_SIZES = struct.Struct(">II")
SIZES_BYTES = _SIZES.size

_ERRORS: dict[str, type[GossamerError]] = {
    kind.__name__: kind
    for kind in (
        errors.BlockPage,
        errors.BrokenDocument,
        errors.Captcha,
        errors.Denied,
        errors.EmptyPage,
        errors.InvalidArgument,
        errors.NeedsScript,
        errors.NotFound,
        errors.PaymentRequired,
        errors.TooComplex,
        errors.TooLarge,
        errors.Unreachable,
        errors.UnsupportedType,
    )
}

Header = dict[str, object]


class BrokenFrame(Exception):
    """Bytes that are no frame of ours."""


def pack(header: Header, body: bytes) -> bytes:
    """The beginning of a frame: sizes and header; the body follows as it is."""
    encoded = json.dumps(header).encode()
    return _SIZES.pack(len(encoded), len(body)) + encoded


def unpack_sizes(raw: bytes) -> tuple[int, int]:
    """The sizes of header and body; larger ones than we ever send are refused."""
    header, body = cast("tuple[int, int]", _SIZES.unpack(raw))
    if header > MAX_HEADER_BYTES or body > MAX_BODY_BYTES:
        raise BrokenFrame("a frame is larger than any of ours")
    return header, body


def unpack_header(raw: bytes) -> Header:
    """The header of a frame."""
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame("a header is not JSON") from error
    if not isinstance(parsed, dict):
        raise BrokenFrame("a header is not an object")
    return cast("Header", parsed)


def read_frame(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next frame of a blocking stream, None at its end."""
    raw = stream.read(SIZES_BYTES)
    if len(raw) < SIZES_BYTES:
        return None
    header, body = unpack_sizes(raw)
    raw_header, content = stream.read(header), stream.read(body)
    return (unpack_header(raw_header), content) if len(content) == body else None


def request(content_type: str, url: str, view: View, *, is_plain: bool = False) -> Header:
    """The header that asks for a body to be read; `is_plain`: by the simplest rules, where others took too much."""
    return {"type": content_type[:1000], "url": url[:4096], "view": asdict(view), "plain": is_plain}


def view_of(header: Header) -> View:
    """The view in a request."""
    return View(**cast("dict[str, str]", header["view"]))  # pyright: ignore[reportArgumentType]  # our own fields, as `request` wrote them


def reply(result: Extracted) -> tuple[Header, bytes]:
    """A result as a frame's header and body."""
    text = result.text.encode("utf-8", "replace")
    fields = asdict(result)
    del fields["text"]
    if len(text) > MAX_TEXT_BYTES:
        text = text[:MAX_TEXT_BYTES].decode("utf-8", "ignore").encode()
        fields["message"] = f"{result.message} The text was cut at {MAX_TEXT_BYTES // 1024**2} MiB.".strip()
    return {"result": fields}, text


def reply_error(error: GossamerError) -> tuple[Header, bytes]:
    """An error as a frame's header."""
    fields = {"kind": type(error).__name__, "message": error.message, "hint": error.hint, "quote": error.quote}
    return {"error": fields}, b""


def result_of(header: Header, text: str) -> Extracted:
    """The result in a reply; an error in it is raised."""
    fault = header.get("error")
    if isinstance(fault, dict):
        raise _error_of(cast("dict[str, object]", fault))
    raw_result = header.get("result")
    if not isinstance(raw_result, dict):
        raise BrokenFrame("a reply has neither result nor error")
    fields = cast("dict[str, object]", raw_result)
    about = fields.get("info")
    info = cast("dict[str, object]", about) if isinstance(about, dict) else {}
    hidden = fields.get("hidden")
    try:
        outcome = Outcome(str(fields.get("outcome")))
    except ValueError as error:
        raise BrokenFrame("a reply has an outcome of its own") from error
    return Extracted(
        outcome=outcome,
        title=str(fields.get("title", ""))[:_MAX_FIELD],
        text=text,
        info=_info_of(info),
        links=_links_of(fields.get("links")),
        hidden=hidden if isinstance(hidden, int) else 0,
        left_out=_left_out_of(fields.get("left_out")),
        message=str(fields.get("message", ""))[:_MAX_SENTENCE],
        faults=_stages_of(fields.get("faults")),
    )


def _stages_of(value: object) -> tuple[str, ...]:
    """The stages that failed, as far as they are stages of ours."""
    failed = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(name for name in STAGES if name in failed)


def _info_of(fields: dict[str, object]) -> PageInfo:
    return PageInfo(
        **{
            name: str(fields.get(name, ""))[: _MAX_TREE if name == "structured" else _MAX_FIELD]
            for name in PageInfo.__dataclass_fields__
        }
    )


def _left_out_of(value: object) -> LeftOut:
    """The counts in a reply; anything else is none of ours."""
    match value:
        case [int(lists), int(tables), int(sections), int(words)]:
            return LeftOut(*(min(max(count, 0), _MOST_COUNTED) for count in (lists, tables, sections, words)))
        case _:
            return LeftOut()


def _links_of(value: object) -> tuple[Link, ...]:
    """The links in a reply: what is none of ours is passed over."""
    rows = cast("list[object]", value)[:MAX_LINKS] if isinstance(value, list) else []
    links: list[Link] = []
    for row in rows:
        match row:
            case {"text": str(text), "url": str(url)} if len(url) <= _MAX_URL and _WEB.fullmatch(url):
                links.append(Link(text=text[:_MAX_SENTENCE], url=url))
            case _:
                pass
    return tuple(links)


def _error_of(fault: dict[str, object]) -> GossamerError:
    if fault.get("kind") == errors.RateLimited.__name__:
        return errors.RateLimited("The site")
    kind = _ERRORS.get(str(fault.get("kind")), errors.BrokenDocument)
    message, hint = str(fault.get("message", ""))[:_MAX_SENTENCE], str(fault.get("hint", ""))[:_MAX_SENTENCE]
    return kind(message, hint=hint).quoting(str(fault.get("quote", "")))
