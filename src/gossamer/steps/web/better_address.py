"""Better addresses: where the text of a known kind of URL stands in a form that reads better."""

import re
from urllib.parse import urlsplit

_BLOB = re.compile(r"/([\w.-]+/[\w.-]+)/blob/([^?#]+/[^?#]+)")
_PAPER = re.compile(r"/abs/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?)")


def better(url: str) -> tuple[str, ...]:
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
