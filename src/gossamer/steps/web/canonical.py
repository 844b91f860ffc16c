"""Canonical URL: one spelling per address for keeping and comparing; and better addresses for known kinds of URL.

Odd addresses are left as they are, for the guard to refuse.
"""

import re
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff]")
_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(utm_\w+|fbclid|gclid|dclid|msclkid|mc_eid|mc_cid|igshid|yclid|_hsenc|_hsmi|ref_src)", re.IGNORECASE
)
_STRIPPED = re.compile(rf"{_TRACKING.pattern}|ref", re.IGNORECASE)
_BLOB = re.compile(r"/([\w.-]+/[\w.-]+)/blob/([^?#]+/[^?#]+)")
_PAPER = re.compile(r"/abs/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?)")


def canonical(url: str) -> str:
    """Lower-case scheme and host, no default port, no fragment, `/` for an empty path; nothing else is changed."""
    parts = web_parts(url)
    return url if parts is None else _join(parts, parts.query)


def fingerprint(url: str) -> str:
    """The canonical address without tracking parameters, scheme and `www.`: equal for hits on the same page."""
    parts = web_parts(url)
    if parts is None:
        return url
    pairs = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(k)]
    return _join(parts, urlencode(pairs)).partition("://")[2].removeprefix("www.").rstrip("/")


def untracked(url: str) -> str:
    """The address without parameters that only tell who sent the reader; every other character stays."""
    head, hash_sign, fragment = url.partition("#")
    base, _, query = head.partition("?")
    pairs = query.split("&")
    remaining = [pair for pair in pairs if not _STRIPPED.fullmatch(unquote(pair.partition("=")[0]))]
    if len(remaining) == len(pairs):
        return url
    return f"{base}?{'&'.join(remaining)}{hash_sign}{fragment}" if remaining else f"{base}{hash_sign}{fragment}"


def host_of(url: str) -> str:
    """The host name of an address, or nothing."""
    parts = web_parts(url)
    return (parts.hostname or "") if parts else ""


def web_parts(url: str) -> SplitResult | None:
    """An address of the web taken apart; None for what is odd or none."""
    if _ODD.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme.lower() in _PORTS and parts.hostname else None


def _join(parts: SplitResult, query: str) -> str:
    scheme = parts.scheme.lower()
    user, _, place = parts.netloc.rpartition("@")
    place = place.lower()
    if parts.port == _PORTS[scheme]:
        place = place.rpartition(":")[0]
    place = f"{user}@{place}" if user else place
    return f"{scheme}://{place}{parts.path or '/'}" + (f"?{query}" if query else "")


def better_addresses(url: str) -> tuple[str, ...]:
    """Where to look instead, best first: the raw file of a GitHub page, the full text of an arXiv abstract."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.removeprefix("www.")
    except ValueError:
        return ()
    if parts.scheme not in {"http", "https"}:
        return ()
    if host == "github.com" and (file := _BLOB.fullmatch(parts.path)):
        return (f"{parts.scheme}://raw.githubusercontent.com/{file[1]}/{file[2]}",)
    if host == "arxiv.org" and (paper := _PAPER.fullmatch(parts.path)):
        return tuple(f"{parts.scheme}://arxiv.org/{form}/{paper[1]}" for form in ("html", "pdf"))
    return ()
