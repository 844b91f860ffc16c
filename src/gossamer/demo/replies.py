"""The pages of the mini web that are not files: redirects, refusals, pages that change, pages that misbehave."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from enum import Enum
from functools import cache
from hashlib import sha256
from html import escape

from gossamer.demo.documents import WEBCAM, Document, documents

HTML = "text/html; charset=utf-8"
_UNCHANGED_SINCE = format_datetime(datetime(2026, 10, 31, 9, tzinfo=UTC), usegmt=True)


class Pace(Enum):
    """How a body travels."""

    WHOLE = "whole"
    DRIP = "drip"
    """A few bytes at a time, until the client disconnects."""
    SILENT = "silent"
    """Not even a status line."""
    CUT = "cut"
    """Half of what the headers promise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a path answers with."""

    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    pace: Pace = Pace.WHOLE


REDIRECTS: Mapping[str, tuple[int, str]] = {
    "/old/timetable.html": (301, "/ferry/timetable"),
    "/go/kettle": (302, "/shop/brassling-kettle"),
    "/loop/a": (302, "/loop/b"),
    "/loop/b": (302, "/loop/a"),
    "/chain/1": (301, "/chain/2"),
    "/chain/2": (307, "/chain/3"),
    "/chain/3": (308, "/island/history"),
    **{f"/long/{n}": (302, f"/long/{n + 1}") for n in range(1, 8)},
    "/long/8": (302, "/island/history"),
    "/go/metadata": (302, "http://169.254.169.254/latest/meta-data/"),
    "/go/file": (302, "file:///etc/hostname"),
}

_STATUSES: Mapping[str, tuple[int, str, str, Mapping[str, str]]] = {
    "/status/401": (401, "Unauthorised", "This page needs a password.", {"WWW-Authenticate": 'Basic realm="harbour"'}),
    "/status/403": (403, "Forbidden", "The harbour master does not allow this.", {}),
    "/status/404": (404, "Not found", "There is no such page.", {}),
    "/status/410": (410, "Gone", "This page sank in 1974.", {}),
    "/status/429": (429, "Too many requests", "Please row more slowly.", {"Retry-After": "7"}),
    "/status/500": (500, "Internal server error", "Something broke below deck.", {}),
    "/status/503": (503, "Service unavailable", "The mill is being greased.", {"Retry-After": "2"}),
}

_BINARY = bytes(range(256)) * 16


def page(title: str, text: str, *, heading: str = "") -> bytes:
    """Write a small complete page around some paragraphs, one per line."""
    paragraphs = "\n".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n</head>\n'
        f"<body>\n<main>\n<h1>{escape(heading or title)}</h1>\n{paragraphs}\n</main>\n</body>\n</html>\n"
    ).encode()


def file_reply(document: Document) -> Reply:
    """Serve a file with validators, so that asking again can be answered with 304."""
    headers = {"ETag": f'"{sha256(document.body).hexdigest()[:16]}"', "Last-Modified": _UNCHANGED_SINCE}
    status = 403 if document.path == "/walls/blocked" else 200
    return Reply(status=status, body=document.body, content_type=document.content_type, headers=headers)


def fixed_reply(path: str) -> Reply | None:
    """Answer what depends on the path alone; None when nothing is there."""
    if path in REDIRECTS:
        status, location = REDIRECTS[path]
        return Reply(
            status=status, body=page("Moved", f"This page has moved to {location}."), headers={"Location": location}
        )
    if path in _STATUSES:
        status, title, text, headers = _STATUSES[path]
        return Reply(status=status, body=page(title, text), headers=headers)
    if path.startswith("/static/") and path.endswith(".css"):
        return file_reply(documents()["/static/plain.css"])
    return _odd_reply(path) or (file_reply(documents()[path]) if path in documents() else None)


def _odd_reply(path: str) -> Reply | None:
    match path:
        case "/walls/moment":
            return Reply(status=403, body=documents()[WEBCAM].body, headers={"cf-mitigated": "challenge"})
        case "/empty":
            return Reply(body=b"<!DOCTYPE html>\n<html><head><title></title></head><body></body></html>\n")
        case "/files/gauge.bin":
            return Reply(body=_BINARY, content_type="application/octet-stream")
        case "/files/thaw":
            return Reply(body=_bomb(), headers={"Content-Encoding": "gzip"})
        case "/files/cut":
            return Reply(body=documents()["/island/history"].body, pace=Pace.CUT)
        case "/slow":
            return Reply(body=page("Slow tide", "The tide comes in, one drop at a time."), pace=Pace.DRIP)
        case "/slow/silent":
            return Reply(pace=Pace.SILENT)
        case _:
            return None


@cache
def _bomb() -> bytes:
    """A gzip body of 60 MB of spaces in about 60 kB, packed piece by piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = [packer.compress(b" " * 1_000_000) for _ in range(60)]
    return b"".join(packed) + packer.flush()


def counter(visits: int) -> Reply:
    """A page that never says the same twice."""
    text = f"This page has been read {visits} times since the harbour opened.\nThe harbour clock counts every reader."
    return Reply(body=page("Harbour counter", text))


def tides(visits: int) -> Reply:
    """A page that must not be cached."""
    text = f"The water at Mossgate quay stands at {3 + visits % 10 / 10:.1f} metres and is read anew for every visitor."
    return Reply(body=page("Tide gauge, live", text), headers={"Cache-Control": "no-store"})


def bulletin(edition: int) -> Reply:
    """A page with an ETag that changes with its edition; between editions it answers 304."""
    text = (
        f"This is edition {edition} of the sky bulletin.\n"
        f"The dome opens at {19 + edition % 4}:30 tonight if the cloud allows.\n"
        "The next open night is on Friday. Bring a red torch and two hats."
    )
    headers = {"ETag": f'"bulletin-{edition}"', "Cache-Control": "no-cache"}
    return Reply(body=page(f"Sky bulletin, edition {edition}", text, heading="Sky bulletin"), headers=headers)


def robots(url: str) -> Reply:
    """Forbid `/private/`, name the sitemap."""
    text = f"User-agent: *\nDisallow: /private/\n\nSitemap: {url}/sitemap.xml\n"
    return Reply(body=text.encode(), content_type="text/plain; charset=utf-8")


def sitemap(url: str) -> Reply:
    """List every page that a search may find."""
    listed = [d for d in documents().values() if d.is_listed]
    rows = "".join(
        f"<url><loc>{escape(url + d.path)}</loc>{f'<lastmod>{d.published}</lastmod>' if d.published else ''}</url>\n"
        for d in listed
    )
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    return Reply(body=text.encode(), content_type="application/xml; charset=utf-8")


def not_found() -> Reply:
    """The response for an unknown path."""
    return Reply(status=404, body=page("Page not found", "There is no such page on the island."))
