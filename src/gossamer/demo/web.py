"""The mini web: a small invented island's sites on loopback, with a search engine over them.

`gossamer demo` shows the product on it and the tests measure the product against it, so nothing here needs a key or
the internet, and every page says something that can be checked (see `facts`).
"""

import threading
from collections import Counter, deque
from datetime import UTC, date, datetime
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from gossamer.demo import replies, searxng
from gossamer.demo.documents import documents
from gossamer.demo.index import Index
from gossamer.demo.loopback import LoopbackServer, Request
from gossamer.demo.replies import Reply

_KEPT_REQUESTS = 10_000
_CLOSE_S = 0.8


class MiniWeb:
    """Serves the mini web while its `with` block runs.

    `edition` may be raised to change the text and the ETag of `/live/bulletin`. `today` is the day from which a
    search's time range counts back.
    """

    def __init__(self, *, port: int = 0, address: str = "127.0.0.1", today: date | None = None) -> None:
        self.edition = 1
        self._wanted = (address, port)
        self._today = today or datetime.now(UTC).date()
        self._asked = threading.Condition()
        self._requests: deque[Request] = deque(maxlen=_KEPT_REQUESTS)
        self._visits: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._index = Index(documents().values(), today=self._today)
        self._server = LoopbackServer(self._wanted, self._answer)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="mini-web")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close(within_s=_CLOSE_S)
        self._thread.join()
        self._index.close()

    @property
    def host(self) -> str:
        """Address and port, as in a `Host` header."""
        address, port = self._server.server_address[:2]
        return f"{address!s}:{port}"

    @property
    def url(self) -> str:
        """Where the mini web is, without a slash at the end."""
        return f"http://{self.host}"

    @property
    def requests(self) -> list[Request]:
        """What was asked so far, in order: the last ten thousand."""
        with self._asked:
            return list(self._requests)

    @property
    def faults(self) -> list[str]:
        """What went wrong in our own handlers: empty unless the mini web has a bug."""
        return list(self._server.faults)

    def count(self, path: str) -> int:
        """How often a path was asked for, whatever its query; given with a query, exactly that one."""
        return sum(path in {request.path, urlsplit(request.path).path} for request in self.requests)

    def wait_for(self, path: str, *, within_s: float) -> bool:
        """Wait until a path has been asked for; tell whether that came true in time."""
        with self._asked:
            return self._asked.wait_for(lambda: self.count(path) > 0, within_s)

    def wait_idle(self, *, within_s: float) -> bool:
        """Wait until every client has hung up; tell whether that came true in time."""
        return self._server.wait_idle(within_s=within_s)

    def _answer(self, request: Request, form: dict[str, str]) -> Reply:
        target = urlsplit(request.path)
        path, query = unquote(target.path), dict(parse_qsl(target.query)) | form
        with self._asked:
            self._requests.append(request)
            self._asked.notify_all()
            self._visits[path] += 1
            visits = self._visits[path]
        match path:
            case "/search":
                return searxng.search(self._index, query, url=self.url)
            case "/api/search":
                return searxng.plain_search(self._index, query, url=self.url)
            case "/healthz":
                return Reply(body=b"OK", content_type="text/plain; charset=utf-8")
            case "/robots.txt":
                return replies.robots(self.url)
            case "/sitemap.xml":
                return replies.sitemap(self.url)
            case "/live/counter":
                return replies.counter(visits)
            case "/live/tides":
                return replies.tides(visits)
            case "/live/bulletin":
                asked = query.get("v", "")
                return replies.bulletin(int(asked) if asked.isdecimal() and len(asked) < 6 else self.edition)
            case _:
                return replies.fixed_reply(path) or replies.not_found()
