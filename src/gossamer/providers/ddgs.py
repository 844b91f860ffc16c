"""DuckDuckGo through the package `ddgs`, where it is installed: it passes for a browser, and finds more than pages.

The package reads a block as "no results". So its replies are looked at before it reads them: a challenge, a refusal and
a page of another shape are told as what they are, and only a results page without results is "nothing found".
"""

import asyncio
import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import urlsplit

from gossamer.errors import BrokenReply, GossamerError, TimedOut, UnexpectedReply, Unreachable
from gossamer.model.http import HttpReply
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Call, Filter, Provider, Source, Terms
from gossamer.providers.duckduckgo import SPANS, DuckDuckGo, region_of, results_tags, unwrapped
from gossamer.providers.shared.hit_fields import day, hit, number, seconds, size
from gossamer.providers.shared.request import query_text
from gossamer.steps.text.clean_line import plain, plain_address

_MAX_CHARS = 499
_MAX_PAGES = 3
_LONGEST_S = 60
_MAX_CHARS_SEEN = 2**19
"""Of a reply: as much as our own reader of these pages looks at."""
_KINDS: Mapping[Category, str] = {"general": "text", "news": "news", "images": "images", "videos": "videos"}
_SAFE = ("off", "moderate", "on")
_NO_WAY = frozenset({"ConnectError", "DNSError"})
"""The name of the error that the package's client raises when no connection is possible."""


class _Reply(Protocol):
    status_code: int
    text: str


class _Client(Protocol):
    def request(self, *args: Any, **kwargs: Any) -> _Reply: ...


class Engine(Protocol):
    """One of the package's search engines, as far as it is used here."""

    http_client: _Client
    search_url: str

    def search(self, query: str, region: str, safesearch: str, timelimit: str | None, page: int) -> list[Any] | None:
        """One page of results; None when the service said anything but yes."""
        ...


class Way(NamedTuple):
    """How the package gets to the service; what else its HTTP client finds in the environment does not count."""

    proxy: str | None = None
    carries: Callable[[str], bool] | None = None
    """Whether a host is reached through the proxy; it raises where that cannot be used."""
    ca: str | None = None
    """A file of certificate authorities."""


def is_installed() -> bool:
    """Whether the package is there."""
    return find_spec("ddgs") is not None


def through_ddgs(parts: Sequence[Provider], way: Way) -> tuple[Provider | Source, ...]:
    """The same parts, DuckDuckGo among them reached through the package where that is installed."""
    if not is_installed():
        return tuple(parts)
    return tuple(Ddgs(part, way) if isinstance(part, DuckDuckGo) else part for part in parts)


class _Watched:
    """The package's client, with the last reply in view."""

    def __init__(self, client: _Client) -> None:
        self._client = client
        self.seen = HttpReply(status=0, url="")

    def request(self, *args: Any, **kwargs: Any) -> _Reply:
        reply = self._client.request(*args, **kwargs)
        self.seen = HttpReply(status=reply.status_code, url="", body=reply.text[:_MAX_CHARS_SEEN].encode())
        return reply


class Ddgs:
    """The same service as `DuckDuckGo`, with its settings, reached in another way."""

    name: str = DuckDuckGo.name
    title: str = DuckDuckGo.title
    filters: frozenset[Filter] = DuckDuckGo.filters

    def __init__(
        self, page: DuckDuckGo, way: Way | None = None, *, open_engine: Callable[[str, int, Way], Engine] | None = None
    ) -> None:
        self._page = page
        self._way = way or Way()
        self._open = open_engine or _open_engine
        # All but pages the package finds at an address of its own, which is not where such an operator wants to ask.
        is_home = page.base_url == DuckDuckGo.model_fields["base_url"].default
        self.categories: frozenset[Category] = frozenset(_KINDS) if is_home else DuckDuckGo.categories
        self.timeout_s = page.timeout_s
        self.terms: Terms = replace(page.terms, per_second=page.per_second or page.terms.per_second)

    def instance(self, query: Query) -> str:
        """Where the query goes."""
        return self._page.instance(query)

    async def search(self, query: Query, call: Call) -> Found:
        """Look for `query`; the package waits in a thread that nobody waits for when the search is given up."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[Found] = loop.create_future()

        def tell(set_: Callable[[Any], None], value: object) -> None:
            if not ended.done():
                set_(value)

        def work() -> None:
            set_, value = ended.set_result, None
            try:
                value = self._search(query, call)
            except Exception as error:  # noqa: BLE001 - handed on to who waits
                set_, value = ended.set_exception, error
            with suppress(RuntimeError):  # the loop may be over by now
                loop.call_soon_threadsafe(tell, set_, value)

        threading.Thread(target=work, daemon=True, name="gossamer-ddgs").start()
        return await ended

    def _search(self, query: Query, call: Call) -> Found:
        kind = _KINDS[query.category] if query.category in self.categories else "text"
        left_s = max(1, min(_LONGEST_S, math.ceil(min(call.remaining_s, _LONGEST_S))))
        way, host = self._way, urlsplit(self._page.base_url).hostname or ""
        if way.carries and not way.carries(host):
            way = way._replace(proxy=None)
        try:
            engine = self._open(kind, left_s, way)
        except Exception as error:  # a package that cannot be loaded, or has become another
            raise _ours(error) from error
        if kind == "text":
            engine.search_url = f"{self._page.base_url}/"
        found: dict[str, Hit] = {}
        for page in range(1, _MAX_PAGES + 1):
            if page > 1 and self.terms.per_second:
                call.cancelled.wait(min(1 / self.terms.per_second, call.remaining_s))
            try:
                rows = self._page_of(engine, kind, query, page)
            except GossamerError as error:
                if not found:
                    raise
                note = f"Page {page} could not be had: {error.message}"
                return Found(hits=tuple(found.values())[: query.count], engines=(self.name,), note=note)
            known = len(found)
            for row in rows:
                found.setdefault(row.url, row)
            if len(found) == known or len(found) >= query.count or not call.remaining_s or call.cancelled.is_set():
                break
        return Found(hits=tuple(found.values())[: query.count], engines=(self.name,) if found else ())

    def _page_of(self, engine: Engine, kind: str, query: Query, page: int) -> list[Hit]:
        watched = _Watched(engine.http_client)
        engine.http_client = watched
        failed: Exception | None = None
        rows: Sequence[Any] = ()
        try:
            rows = (
                engine.search(
                    query_text(query, max_chars=_MAX_CHARS),
                    region=region_of(query),
                    safesearch=_SAFE[query.safe_search],
                    timelimit=SPANS[query.time_range] if query.time_range else None,
                    page=page,
                )
                or ()
            )
        except Exception as error:  # noqa: BLE001 - the package and its parsers may raise anything
            failed = error
        self._judge(watched.seen, kind, failed, is_empty=not rows)
        read = _READERS[kind]
        return [one for row in rows if (one := read(_fields(row)))]

    def _judge(self, seen: HttpReply, kind: str, failed: Exception | None, *, is_empty: bool) -> None:
        """Raise what really happened; a good reply that holds nothing must at least be one of the right shape."""
        if seen.status:
            self._page.judge(seen)
        if failed is not None:
            raise _ours(failed) from failed
        if is_empty and kind == "text":
            results_tags(seen.body.decode("utf-8", "replace"))
        elif is_empty and b'"results"' not in seen.body:
            raise UnexpectedReply(
                "DuckDuckGo answered with something else than a list of results.", hint="Try another provider."
            )


def _open_engine(kind: str, timeout_s: int, way: Way) -> Engine:
    from ddgs.engines import ENGINES  # pyright: ignore[reportMissingImports, reportUnknownVariableType]  # an extra

    logging.getLogger("primp").setLevel(logging.WARNING)  # below that it tells addresses, which hold the query
    made = cast("Callable[..., Engine]", ENGINES[kind][DuckDuckGo.name])
    engine = made(proxy=way.proxy, timeout=timeout_s, verify=way.ca or True)
    # Built without a proxy, the client has taken one from the environment (`ALL_PROXY`); set to none, it has none.
    cast("Any", engine.http_client).client.proxy = way.proxy
    return engine


def _ours(error: Exception) -> GossamerError:
    """The package wraps what went wrong into an error of its own; by the names of both alone it can be told."""
    cause = type(error.__cause__).__name__
    if "Timeout" in f"{type(error).__name__} {cause}" or "timed out" in str(error):
        return TimedOut("DuckDuckGo did not answer in time.", hint="Try again, or use another provider.")
    if cause in _NO_WAY:
        return Unreachable("There is no way to DuckDuckGo.", hint="Check the network, or use another provider.")
    return BrokenReply(
        "DuckDuckGo could not be asked through ddgs, or its answer not be read.",
        hint="Try again, or use another provider.",
    )


def _fields(row: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", row if isinstance(row, Mapping) else vars(row))


def _text(row: Mapping[str, Any], *keys: str) -> str:
    """The first of these that holds words."""
    return next((value for key in keys if isinstance(value := row.get(key), str) and value.strip()), "")


def _page(row: Mapping[str, Any]) -> Hit | None:
    return hit(Ddgs.name, unwrapped(_text(row, "href")), _text(row, "title"), _text(row, "body"))


def _article(row: Mapping[str, Any]) -> Hit | None:
    date = row.get("date")
    details = Details(image_url=plain_address(_text(row, "image")), source=plain(_text(row, "source"), max_chars=100))
    published = day(date) if isinstance(date, str) else None
    return hit(
        Ddgs.name, _text(row, "url"), _text(row, "title"), _text(row, "body"), published=published, details=details
    )


def _picture(row: Mapping[str, Any]) -> Hit | None:
    sides = [number(str(row.get(side))) for side in ("width", "height")]
    details = Details(
        image_url=plain_address(_text(row, "image")),
        thumbnail_url=plain_address(_text(row, "thumbnail")),
        resolution=size(*sides),
        source=plain(_text(row, "source"), max_chars=100),
    )
    return hit(Ddgs.name, _text(row, "url"), _text(row, "title"), details=details)


def _film(row: Mapping[str, Any]) -> Hit | None:
    images = row.get("images")
    stills = cast("Mapping[str, Any]", images if isinstance(images, Mapping) else {})
    details = Details(
        thumbnail_url=plain_address(_text(stills, "medium", "large", "small")),
        duration_s=seconds(_text(row, "duration")),
        source=plain(_text(row, "uploader", "publisher"), max_chars=100),
    )
    address, title, said = _text(row, "content", "embed_url"), _text(row, "title"), _text(row, "description")
    return hit(Ddgs.name, address, title, said, published=day(_text(row, "published")), details=details)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Hit | None]] = {
    "text": _page,
    "news": _article,
    "images": _picture,
    "videos": _film,
}
