"""OpenAI's Responses API on loopback, in its exact wire format: every request is kept, every answer is as told."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEY = "sk-proj-Nobody-may-see-this-key_0123456789abcdef"
CASES = Path(__file__).parents[1] / "cases" / "providers" / "openai"
REQUEST_ID = "req_5f0c2b7d9e1a4c3f8b6d2e7a1c9f4b30"


@dataclass(frozen=True)
class Said:
    """One answer; `hang`: none comes while the test runs, `drop`: the connection breaks instead."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    way: str = "answer"


HANG = Said(way="hang")
DROP = Said(way="drop")


def recorded(case: str, **headers: str) -> Said:
    """What OpenAI said in a recorded case."""
    kept = json.loads((CASES / case / "reply.json").read_text("utf-8"))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(kept.get("status", 200), json.dumps(kept["body"]).encode(), {**kept.get("headers", {}), **named})


def response(*output: dict[str, Any], **changed: Any) -> Said:
    """A response with this output, like the recorded one in all else."""
    body = json.loads(recorded("found").body)
    return Said(200, json.dumps({**body, "output": list(output), **changed}).encode())


def searched(*sources: str) -> dict[str, Any]:
    """A search as it stands in the output."""
    action: dict[str, Any] = {"type": "search", "query": "ferries"}
    if sources:
        action["sources"] = [{"type": "url", "url": url} for url in sources]
    return {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    """A message as it stands in the output."""
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": list(parts)}


def written(text: str, *annotations: dict[str, Any]) -> dict[str, Any]:
    """A text as it stands in a message."""
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def citation(start: int, end: int, url: str, title: str) -> dict[str, Any]:
    """A citation as it stands beside a text."""
    return {"type": "url_citation", "start_index": start, "end_index": end, "url": url, "title": title}


class FakeOpenAI(ThreadingHTTPServer):
    """Gives its answers one after the other, the last again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.asked: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = threading.Event()
        self._said: list[Said] = []

    def play(self, *said: Said) -> None:
        """From now on these are the answers, and nothing was asked before."""
        self._said = list(said)
        self.asked.clear()

    def take(self) -> Said:
        return self._said.pop(0) if len(self._said) > 1 else self._said[0]

    def environment(self, folder: Path, tools: str, **more: str) -> dict[str, str]:
        """Settings that lead here."""
        return {
            "DATA_DIR": str(folder / "data"),
            "GOSSAMER_TOOLS": tools,
            "GOSSAMER_CONFIG": "/dev/null",
            "GOSSAMER_PROVIDERS__OPENAI__BASE_URL": self.url,
            "OPENAI_API_KEY": KEY,
            # A busy machine may take long to load a server; what a deadline does is tested by itself.
            "GOSSAMER_OPENAI__TIMEOUT_S": "120",
            "GOSSAMER_O3__TIMEOUT_S": "120",
            **more,
        }


class _Handler(BaseHTTPRequestHandler):
    server: FakeOpenAI
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.paths.append(self.path)
        self.server.heads.append({name.lower(): value for name, value in self.headers.items()})
        said = self.server.take()
        self.server.asked.append(json.loads(body))
        if said.way == "hang":
            self.server.closing.wait()
        if said.way != "answer":
            self.close_connection = True
            return
        self.send_response(said.status)
        sent = {"content-type": "application/json", "x-request-id": REQUEST_ID, **said.headers}
        for name, value in {**sent, "content-length": str(len(said.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def fake_openai() -> Iterator[FakeOpenAI]:
    """The service, until the block ends."""
    with FakeOpenAI() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()
