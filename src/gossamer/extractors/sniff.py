"""Content sniffing: the kind of a body by type, extension and magic bytes; the language of source code."""

import posixpath
import re
from typing import Literal
from urllib.parse import unquote, urlsplit

from gossamer.errors import ContentError
from gossamer.extractors.office.zip_package import Package

_LANGUAGES = (
    "python py pyw pyi | javascript js mjs cjs | typescript ts mts cts | tsx tsx | jsx jsx | java java | kotlin kt kts "
    "| scala scala | c c h | cpp cc cpp cxx hpp hh hxx | csharp cs | go go | rust rs | ruby rb | php php | swift swift "
    "| objectivec m mm | perl pl pm | lua lua | r r | julia jl | haskell hs | elixir ex exs | erlang erl | clojure clj "
    "| lisp lisp el scm | ocaml ml mli | fsharp fs | dart dart | zig zig | nim nim | bash sh bash zsh | powershell ps1 "
    "| sql sql | css css | scss scss | less less | yaml yaml yml | toml toml | ini ini cfg conf | json json5 jsonc "
    "| xml xsl xslt xsd | html htm html | vue vue | svelte svelte | graphql graphql graphqls gql | protobuf proto "
    "| cmake cmake | makefile mk | dockerfile dockerfile | diff diff patch | latex tex | terraform tf | nix nix "
    "| groovy groovy gradle | fortran f90 f95 f | vbnet vb | asm asm s | bibtex bib | batch bat cmd | solidity sol"
)
_BY_END = {end: words[0] for words in (entry.split() for entry in _LANGUAGES.split("|")) for end in words[1:] or words}
_BY_NAME = {"makefile": "makefile", "dockerfile": "dockerfile", "cmakelists.txt": "cmake", "gemfile": "ruby"}
_BY_TYPE = {
    "x-python": "python",
    "javascript": "javascript",
    "x-javascript": "javascript",
    "ecmascript": "javascript",
    "typescript": "typescript",
    "css": "css",
    "x-sh": "bash",
    "x-shellscript": "bash",
    "x-httpd-php": "php",
    "x-php": "php",
    "yaml": "yaml",
    "x-yaml": "yaml",
    "vnd.yaml": "yaml",
    "toml": "toml",
    "sql": "sql",
    "graphql": "graphql",
    "x-c": "c",
    "x-csrc": "c",
    "x-c++src": "cpp",
    "x-java": "java",
    "x-java-source": "java",
    "x-ruby": "ruby",
    "x-perl": "perl",
    "x-go": "go",
    "x-rust": "rust",
    "rust": "rust",
    "x-lua": "lua",
    "x-diff": "diff",
    "x-patch": "diff",
    "x-tex": "latex",
    "x-tex-source": "latex",
}
Kind = Literal[
    "html", "pdf", "docx", "pptx", "xlsx", "epub", "csv", "json", "jsonl",
    "feed", "sitemap", "xml", "markdown", "source", "text", "binary",
]  # fmt: skip

_UNTOLD = frozenset(
    {
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-download",
        "application/force-download",
        "unknown/unknown",
        "application/unknown",
    }
)
_TEXTUAL = re.compile(
    r"application/(?:(?:x-)?javascript|ecmascript|typescript|(?:x-|vnd\.)?yaml|toml|sql|graphql|x-sh|x-httpd-php"
    r"|vnd\.oai\.openapi|[\w.-]+\+yaml|x-tex|x-perl|x-ruby|x-python|x-subrip|x-bibtex|x-latex)"
)
_HTML = re.compile(
    rb"(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|p|div|h[1-6]|table|article|main|section|ul|a)\b",
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?([\w.-]{1,40})")
_BEFORE_ROOT = re.compile(r"\s+|<\?[^>]{0,1000}>|<!--.{0,4000}?-->|<![^>\[]{0,1000}>", re.DOTALL)
_XML_KINDS: dict[str, Kind] = {
    "rss": "feed",
    "feed": "feed",
    "rdf": "feed",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "html": "html",
    "svg": "binary",
}
_MAGIC: dict[bytes, str] = {
    b"\x89PNG": "image/png",
    b"GIF8": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
    b"\x1f\x8b": "application/gzip",
    b"RIFF": "",
    b"\x7fELF": "application/x-executable",
    b"Rar!": "application/vnd.rar",
    b"7z\xbc\xaf": "application/x-7z-compressed",
    b"OggS": "application/ogg",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "",
    b"{\\rtf": "application/rtf",
    b"SQLite format 3\x00": "application/vnd.sqlite3",
    b"\x00asm": "application/wasm",
    b"wOFF": "font/woff",
    b"wOF2": "font/woff2",
    b"fLaC": "audio/flac",
    b"BZh": "application/x-bzip2",
    b"\xfd7zXZ\x00": "application/x-xz",
    b"\x28\xb5\x2f\xfd": "application/zstd",
    b"ID3": "audio/mpeg",
    b"\x00\x00\x00\x18ftyp": "video/mp4",
    b"\x00\x00\x00\x20ftyp": "video/mp4",
}
"""How files begin that have no reader here, and their type where the beginning alone says it."""
_ZIP = b"PK\x03\x04"
_ARCHIVES: dict[str, Kind] = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "META-INF/container.xml": "epub",
}
_ENDS: dict[str, Kind] = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx"), "markdown"),
    **dict.fromkeys(("csv", "tsv", "tab"), "csv"),
    **dict.fromkeys(("json", "ipynb", "geojson", "webmanifest"), "json"),
    **dict.fromkeys(("jsonl", "ndjson"), "jsonl"),
    **dict.fromkeys(("xml", "rss", "atom", "rdf"), "xml"),
}
_NAMES: dict[str, Kind] = {"llms.txt": "markdown", "llms-full.txt": "markdown"}
_TYPES: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/comma-separated-values": "csv",
    "text/tab-separated-values": "csv",
    "application/x-ndjson": "jsonl",
    "application/ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/x-jsonlines": "jsonl",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/rtf": "binary",
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_SAMPLE = 4096


def kind_of(body: bytes, content_type: str, url: str = "") -> Kind:
    """Tell the kind of a body; bytes that show a format plainly win over a type that contradicts them."""
    media_type = content_type.partition(";")[0].strip().lower()
    start = body[:_SAMPLE].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"%PDF-" in body[:1024] and (media_type in _UNTOLD or "pdf" in media_type or body.startswith(b"%PDF-")):
        return "pdf"
    if "pdf" in media_type:
        return "pdf" if not _HTML.match(start) else "html"
    if body.startswith(_ZIP):
        return _archive(body, media_type)
    if body.startswith(tuple(_MAGIC)):
        return "binary"
    kind = _by_media_type(media_type, url)
    if kind in {"html", "xml", "text"} and start.startswith(b"<"):
        kind = _marked_up(start, kind, is_told=media_type not in _UNTOLD)
    elif kind == "text" and media_type in _UNTOLD and start[:1] in {b"{", b"["} and extension_of(url) == "":
        kind = "json"
    return kind if kind in {"html", "json"} or is_text(body) else "binary"


def type_of_bytes(body: bytes) -> str:
    """The media type that the bytes of a body show, whatever its header says; empty when they show none."""
    if body.startswith(_ZIP):
        return "application/zip"
    return next((named for magic, named in _MAGIC.items() if body.startswith(magic)), "")


def has_beginning(body: bytes, content_type: str, url: str = "") -> bool:
    """Whether the first part of a body says something by itself; archives and PDF are nothing without their end."""
    return not body.startswith(_ZIP) and kind_of(body, content_type, url) not in {"pdf", "binary"}


def root_kind(text: str) -> Kind:
    """What an XML document is, by its first element."""
    text = text[:20_000].removeprefix("\ufeff")
    at = 0
    while before := _BEFORE_ROOT.match(text, at):
        at = before.end()
    match = _ROOT.match(text, at)
    return _XML_KINDS.get(match[1].lower(), "xml") if match else "xml"


def is_text(body: bytes) -> bool:
    """Whether the beginning holds no bytes that texts lack."""
    sample = body[:_SAMPLE]
    if sample.startswith(_WIDE):
        return True
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in sample)
    return odd * 50 <= len(sample)


def _by_media_type(media_type: str, url: str) -> Kind:
    """The kind by type and address alone."""
    if media_type in _TYPES:
        return _TYPES[media_type]
    if media_type.endswith(("/json", "+json")):
        return "json"
    if media_type.endswith("+xml"):
        return "binary" if media_type.startswith("image/") else "xml"
    if media_type in _UNTOLD or media_type == "text/plain":
        return (
            _ENDS.get(extension_of(url))
            or _NAMES.get(file_name_of(url))
            or ("source" if language_of(media_type, url) else "text")
        )
    if media_type.startswith("text/") or _TEXTUAL.fullmatch(media_type):
        return "source" if language_of(media_type, url) else "text"
    return "binary"


def _marked_up(start: bytes, kind: Kind, *, is_told: bool) -> Kind:
    """A body that begins with a tag: feeds are what they are under any name, pages only where nothing was said."""
    sniffed = root_kind(start.decode("latin-1"))
    if sniffed in {"feed", "sitemap"} or (kind == "xml" and sniffed in {"html", "binary"}):
        return sniffed
    if kind == "text" and not is_told:
        return "html" if _HTML.match(start) else "xml" if start.startswith(b"<?xml") else "text"
    return kind


def _archive(body: bytes, media_type: str) -> Kind:
    """The document type of a ZIP archive, by the names of its parts; raises for a document that cannot be opened."""
    if body[30:58] == b"mimetypeapplication/epub+zip":
        return "epub"
    try:
        names = Package(body).names
    except ContentError:
        if "openxmlformats" in media_type or "epub" in media_type:
            raise
        return "binary"
    kinds: list[Kind] = [kind for name, kind in _ARCHIVES.items() if name in names]
    return kinds[0] if kinds else "binary"


def extension_of(url: str) -> str:
    """The end of an address's file name, in lower case and without its dot; empty when it has none."""
    return posixpath.splitext(file_name_of(url))[1][1:][:12]


def language_of(media_type: str, url: str) -> str:
    """The language of a text by its content type, else by its address; empty for prose."""
    language = _BY_TYPE.get(media_type.rpartition("/")[2])
    return language or _BY_NAME.get(file_name_of(url)) or _BY_END.get(extension_of(url), "")


def file_name_of(url: str) -> str:
    """The file name in an address, in lower case."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(posixpath.basename(path)).lower()
