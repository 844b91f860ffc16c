"""Requests that go no further: a status, a word for the metrics, and a sentence that says what to do next.

Strangers read the sentences: they repeat nothing of the request but the name of one of our own tools, and say how a
login is sent but not which logins there are.
"""

import json
import math
from collections.abc import Sequence

Header = tuple[bytes, bytes]

_CODE = -32000
_JSON = (b"content-type", b"application/json")


class Refusal(Exception):
    """Ends a request with an answer of ours."""

    def __init__(self, status: int, reason: str, text: str, headers: Sequence[Header] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.reason = reason
        self.text = text
        self.headers = headers
        self.retry_after_s: int | None = None

    @property
    def body(self) -> bytes:
        """A JSON-RPC error, so that a client of the protocol shows the sentence."""
        data: dict[str, object] = {"reason": self.reason}
        if self.retry_after_s is not None:
            data["retry_after_s"] = self.retry_after_s
        error = {"code": _CODE, "message": self.text, "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


def later(status: int, reason: str, text: str, wait_s: float) -> Refusal:
    """A refusal that ends by itself: `Retry-After` says when, in whole seconds."""
    seconds = max(1, math.ceil(wait_s))
    made = Refusal(
        status, reason, f"{text} Try again in {seconds} s.", [(b"retry-after", str(seconds).encode("ascii"))]
    )
    made.retry_after_s = seconds
    return made


def json_headers(body: bytes, *more: Header) -> list[Header]:
    """The headers of a JSON response that no cache keeps."""
    length = (b"content-length", str(len(body)).encode("ascii"))
    return [_JSON, length, (b"cache-control", b"no-store"), *more]


def foreign_host() -> Refusal:
    """The name in Host is not ours."""
    return Refusal(
        421, "host", "This server does not go by that name. Add the name to the setting http.hosts if it should."
    )


def foreign_origin() -> Refusal:
    """A web page of another origin."""
    return Refusal(
        403, "origin", "Pages of this origin may not call this server. Add it to the setting http.origins if they may."
    )


def unknown_path() -> Refusal:
    """Nothing is served there."""
    return Refusal(404, "path", "There is nothing here. MCP is served at /mcp.")


def wrong_method(allowed: bytes) -> Refusal:
    """Another HTTP method."""
    return Refusal(405, "method", f"Use {allowed.decode('ascii')} here.", [(b"allow", allowed)])


def unknown_session() -> Refusal:
    """We issue no sessions, so none can be ours."""
    return Refusal(
        404, "session", "There is no such session: this server keeps none. Initialize again, without a session id."
    )


def no_login() -> Refusal:
    """Nothing that could be a login came with the request."""
    return Refusal(
        401,
        "login",
        "This server needs a login: send the header `Authorization: Bearer …` with the secret from its operator.",
        [(b"www-authenticate", b'Bearer realm="gossamer"')],
    )


def bad_login() -> Refusal:
    """A login that is unknown, expired or revoked; the response does not tell which."""
    return Refusal(
        401,
        "login",
        "This login is not, or no longer, valid. Ask the operator of this server for a new one.",
        [(b"www-authenticate", b'Bearer realm="gossamer", error="invalid_token"')],
    )


def relayed() -> Refusal:
    """A proxied request at a server without authentication, which serves only its own machine."""
    return Refusal(
        403,
        "proxy",
        "This request came through a proxy, and this server is open to its own machine alone. Its operator makes a "
        "login with `gossamer token new NAME`; then requests through the proxy are served.",
    )


def out_of_scope(tool: str) -> Refusal:
    """A tool that this login does not include."""
    return Refusal(
        403,
        "scope",
        f"This login does not include {tool}. Use one of the tools that are listed, or ask the operator.",
        [(b"www-authenticate", f'Bearer realm="gossamer", error="insufficient_scope", scope="{tool}"'.encode("ascii"))],
    )


def not_for_you() -> Refusal:
    """A request for metrics of all users from a caller who may not see them."""
    return Refusal(403, "scope", "This is for the operator of this server: use a login for all tools, or its machine.")


def bad_id() -> Refusal:
    """A request that could not be answered by its id."""
    return Refusal(400, "message", "The id of a request must be a text or a whole number.")


def too_large(max_bytes: int) -> Refusal:
    """A body beyond the limit."""
    return Refusal(413, "size", f"The body is larger than {max_bytes} bytes. Send less at once.")


def large_framing(max_bytes: int) -> Refusal:
    """Chunk sizes, extensions and trailers that take more than any body needs."""
    return Refusal(
        413, "size", f"Chunk sizes and trailers take more than {max_bytes} bytes. Send the body in larger chunks."
    )


def large_head(max_bytes: int) -> Refusal:
    """A head beyond the limit."""
    return Refusal(431, "head", f"The head of the request is larger than {max_bytes} bytes. Send fewer headers.")


def too_many_headers(most: int) -> Refusal:
    """A head with more lines than we look at."""
    return Refusal(431, "head", f"The request has more than {most} headers. Send fewer.")


def too_slow(timeout_s: float) -> Refusal:
    """A body that did not come in time."""
    return Refusal(408, "slow", f"The body was not complete within {timeout_s:g} s. Send it again.")


def no_http() -> Refusal:
    """Bytes that cannot be read as HTTP/1.1; whoever sends this on the wire adds that the connection closes."""
    return Refusal(
        400,
        "malformed",
        "This is not a request of HTTP, or a line of it is too long. Send one, without blank lines before it.",
    )


def malformed(text: str) -> Refusal:
    """Something that HTTP does not allow."""
    return Refusal(400, "malformed", text, [(b"connection", b"close")])
