"""The HTTP under the mini web: keep-alive, gzip, conditional requests, and bodies that misbehave on purpose."""

import gzip
import select
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from gossamer.demo.replies import Pace, Reply

_MAX_FORM_BYTES = 10_000
_WORTH_PACKING_BYTES = 1_000
_DRIP_S = 0.2
_MAX_DRIPS = 3_000


class Request(NamedTuple):
    """A request as it came: the path with its query, header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]


Answer = Callable[[Request, dict[str, str]], Reply]
"""Finds the reply to a request; the dictionary holds the form that a POST carried."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves `answer`, one thread per connection; knows its connections, so that closing ends even a dripping page."""

    request_queue_size = 128

    def __init__(self, address: tuple[str, int], answer: Answer) -> None:
        self.faults: list[str] = []
        self.stopping = threading.Event()
        self._open: set[object] = set()
        self._changed = threading.Condition()
        super().__init__(address, partial(_Handler, answer, self.stopping))

    def server_bind(self) -> None:
        """Bind without the parent's look-up of our own name, which can take seconds where there is no DNS."""
        socketserver.TCPServer.server_bind(self)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Remember the connection."""
        connection, client = super().get_request()
        with self._changed:
            self._open.add(connection)
        return connection, client

    def close_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Forget the connection."""
        super().close_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def close(self, *, within_s: float) -> None:
        """Stop serving and end every open connection."""
        self.stopping.set()
        self.shutdown()
        self.server_close()
        with self._changed:
            for connection in self._open:
                _hang_up(connection)
        self.wait_idle(within_s=within_s)

    def wait_idle(self, *, within_s: float) -> bool:
        """Wait until no connection is open; tell whether that came true in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, within_s)

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - the parent's signature
        """Keep quiet about clients that leave; keep a note of anything else, since it is a bug of ours."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.faults.append(repr(error))


def _hang_up(connection: object) -> None:
    if isinstance(connection, socket.socket):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SorrelWeb/1"
    sys_version = ""
    wbufsize = -1
    disable_nagle_algorithm = True

    def __init__(self, answer: Answer, stopping: threading.Event, *rest: Any) -> None:
        self._answer = answer
        self._stopping = stopping
        super().__init__(*rest)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Say nothing: the terminal belongs to the demo."""

    def do_GET(self) -> None:
        self._respond({})

    def do_HEAD(self) -> None:
        self._respond({})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > _MAX_FORM_BYTES:
            self.close_connection = True
            self._send(Reply(status=413, body=b"Too large", content_type="text/plain"))
            return
        self._respond(dict(parse_qsl(self.rfile.read(int(length)).decode("utf-8", "replace"))))

    def _respond(self, form: dict[str, str]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self._answer(Request(self.command, self.path, headers), form)
        if reply.pace is Pace.DRIP:
            self._drip(reply)
        elif reply.pace is Pace.SILENT:
            self._say_nothing()
        elif _is_unchanged(reply, headers):
            self._send(Reply(status=304, headers=reply.headers))
        else:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        body, packed = reply.body, False
        if self._may_pack(reply):
            body, packed = gzip.compress(reply.body, mtime=0), True
        self.send_response(reply.status)
        if reply.status != 304:
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if packed:
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Vary", "Accept-Encoding")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if reply.pace is Pace.CUT:
            body = body[: len(body) // 2]
            self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body)

    def _may_pack(self, reply: Reply) -> bool:
        is_text = reply.content_type.startswith(("text/", "application/json", "application/xml"))
        is_plain = "Content-Encoding" not in reply.headers and reply.pace is Pace.WHOLE
        is_asked = "gzip" in self.headers.get("Accept-Encoding", "")
        return is_text and is_plain and is_asked and len(reply.body) > _WORTH_PACKING_BYTES

    def _drip(self, reply: Reply) -> None:
        """Send the body, then a word at a time in chunks, until the client leaves or the mini web closes."""
        self.close_connection = True
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = reply.body
        for _ in range(_MAX_DRIPS):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            piece = b"<!-- drip -->"
            if self._stopping.wait(_DRIP_S):
                return
        self.wfile.write(b"0\r\n\r\n")

    def _say_nothing(self) -> None:
        self.close_connection = True
        for _ in range(_MAX_DRIPS):
            if self._stopping.wait(_DRIP_S):
                return
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return


def _is_unchanged(reply: Reply, headers: dict[str, str]) -> bool:
    """Compare validators as RFC 9110 says: the ETag decides, the date only where no ETag was sent."""
    if reply.status != 200:
        return False
    tags = headers.get("if-none-match")
    if tags is not None:
        etag = reply.headers.get("ETag", "")
        return bool(etag) and etag in {tag.strip().removeprefix("W/") for tag in tags.split(",")}
    since, modified = headers.get("if-modified-since"), reply.headers.get("Last-Modified")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except ValueError:
        return False
