"""Which reader suits a body: by its type, and by a look at its bytes where the type says nothing."""

import re
from collections.abc import Callable
from typing import Literal

from gossamer.errors import UnsupportedType
from gossamer.extractors.characters import clean_line
from gossamer.extractors.charset import decode
from gossamer.extractors.html import read_html
from gossamer.extractors.pdf import read_pdf
from gossamer.extractors.text import read_json, read_text
from gossamer.model.page import Extracted, View

Kind = Literal["html", "pdf", "json", "markdown", "text", "binary"]

_UNTOLD = frozenset(
    {
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-download",
        "unknown/unknown",
        "application/unknown",
    }
)
_TEXTUAL = re.compile(
    r"application/(?:(?:x-)?javascript|ecmascript|typescript|(?:x-)?yaml|toml|sql|graphql|xml|x-sh|x-httpd-php|x-ndjson)"
)
_HTML = re.compile(
    rb"(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|p|div|h[1-6]|table|article|main|section|ul|a)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAGIC = (
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
    b"Rar!",
    b"7z\xbc\xaf",
    b"OggS",
)
_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,60}", re.ASCII)
"""What may be repeated of a header: anything else in it is the site's own words, which stay outside our sentences."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_SAMPLE = 4096


def read(body: bytes, *, content_type: str, url: str, view: View) -> Extracted:
    """Read a body as what it is; a kind without a reader is named with its type and size."""
    kind = kind_of(body, content_type)
    if kind == "pdf":
        return read_pdf(body, view=view)
    if kind == "binary":
        named = clean_line(content_type.partition(";")[0], limit=100).lower()
        said = named if _TYPE.fullmatch(named) else "an unknown type"
        raise UnsupportedType(
            f"The address leads to a file of {said} ({_size(len(body))}), which has no reader here.",
            hint="Look for the same information as a web page, PDF or text.",
        )
    label = _CHARSET.search(content_type)
    text = decode(body, label=label[1] if label else "", is_html=kind == "html")
    readers: dict[Kind, Callable[[], Extracted]] = {
        "html": lambda: read_html(text, url=url, view=view),
        "json": lambda: read_json(text, view=view),
        "markdown": lambda: read_text(text, view=view, is_markdown=True),
        "text": lambda: read_text(text, view=view),
    }
    return readers[kind]()


def kind_of(body: bytes, content_type: str) -> Kind:
    """Tell the kind of a body; bytes that show a format plainly win over a type that contradicts them."""
    said = content_type.partition(";")[0].strip().lower()
    if b"%PDF-" in body[:1024] and (said in _UNTOLD or "pdf" in said or body.startswith(b"%PDF-")):
        return "pdf"
    if "pdf" in said:
        return "pdf" if not _HTML.match(body[:_SAMPLE].lstrip()) else "html"
    if body.startswith(_MAGIC):
        return "binary"
    if said in _UNTOLD:
        if _HTML.match(body[:_SAMPLE].lstrip(b"\xef\xbb\xbf \t\r\n")):
            return "html"
        return "text" if _is_text(body) else "binary"
    if said in {"text/html", "application/xhtml+xml"}:
        return "html"
    if said.endswith(("/json", "+json")):
        return "json"
    if (
        said.startswith("text/")
        or _TEXTUAL.fullmatch(said)
        or (said.endswith("+xml") and not said.startswith("image/"))
    ):
        is_markdown = said in {"text/markdown", "text/x-markdown"}
        return ("markdown" if is_markdown else "text") if _is_text(body) else "binary"
    return "binary"


def _is_text(body: bytes) -> bool:
    """Whether the beginning holds no bytes that texts lack."""
    sample = body[:_SAMPLE]
    if sample.startswith(_WIDE):
        return True
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in sample)
    return odd * 50 <= len(sample)


def _size(count: int) -> str:
    return (
        f"{count:,} bytes"
        if count < 10_000
        else f"{count / 1_000_000:.1f} MB"
        if count >= 1_000_000
        else f"{count / 1000:.0f} kB"
    )
