"""For the tests of real clients: the server with the diagnostic tools, a token, and a proxy that adds one."""

import contextlib
import http.client
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.real.processes import Cli

_SAYS = "Listening on "


@contextmanager
def diagnostic_server(environment: Mapping[str, str]) -> Iterator[str]:
    """The address of `gossamer.testing.conformance`, which listens on loopback until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gossamer.testing.conformance", "--http", "127.0.0.1:0"],
        env=dict(environment),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if line.startswith(_SAYS):
            break
    else:
        raise AssertionError(f"the server ended: {''.join(said)}")
    listening = threading.Thread(target=process.stderr.read)  # so that it never waits for a reader
    listening.start()
    try:
        yield said[-1].removeprefix(_SAYS).strip()
    finally:
        process.terminate()
        process.wait(timeout=60)
        listening.join()
        process.stderr.close()


def new_token(environment: Mapping[str, str], *options: str) -> str:
    """A token made as operators make it; from then on the server of this environment wants one."""
    made = Cli(environment)("token", "new", "reader", *options)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@contextmanager
def proxied(target: str, token: str) -> Iterator[str]:
    """The address of a reverse proxy on loopback that adds a bearer token to every request."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(target, token)) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{proxy.server_port}{urlsplit(target).path}"
        proxy.shutdown()
        thread.join()


def _handler_for(target: str, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            with contextlib.closing(http.client.HTTPConnection(urlsplit(target).netloc)) as upstream:
                upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    upstream.putheader(name, value)
                upstream.putheader("Authorization", f"Bearer {token}")
                upstream.endheaders(body)
                with upstream.getresponse() as reply, contextlib.suppress(ConnectionError):  # a client may hang up
                    self.send_response(reply.status)
                    for name, value in reply.getheaders():
                        if name.lower() not in {"connection", "transfer-encoding"}:
                            self.send_header(name, value)
                    self.end_headers()  # HTTP/1.0: the end of the connection is the end of the body
                    while part := reply.read1(65536):
                        self.wfile.write(part)

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward  # noqa: N815  the parent's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
            """Say nothing."""

    return Handler
