"""The pages of the mini web, read from the files beside this module.

A file is exactly what is served, byte for byte, in whatever encoding its site is written in. What a search engine
would know of it (title, date, visible text) is read from the same bytes, so the two can never differ.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

_ROOT = Path(__file__).parent / "pages"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".json": "application/json",
    ".xml": "application/rss+xml; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".pdf": "application/pdf",
    ".png": "image/png",
}

_ODD_TYPES = {
    "/ja/ferry-guide": "text/html; charset=Shift_JIS",
    "/zh/mist-tea": "text/html",
    "/de/klippenweg": "text/html; charset=ISO-8859-1",
}
"""Pages in older encodings: by the header alone, by `<meta>` alone, by the header alone."""

_UNLISTED = ("/private/", "/walls/", "/apps/", "/members/", "/static/", "/img/", "/files/torn.pdf", "/gazette/feed.xml")
"""What no search engine lists: walls, shells, what robots.txt forbids, what has no text."""

_SOFT_404 = "/island/harbour-swimming-pool"
WEBCAM = "/webcam/harbour"
_WEBCAM_TITLE = "Harbour webcam: seals on the slipway"
_WEBCAM_TEXT = (
    "Live pictures from the webcam on Mossgate quay. Seals rest on the slipway at low water, mostly in October."
)
"""The index knows the webcam from before its bot wall went up: a result that cannot be opened."""

_CATEGORIES = {"/gazette/": "news", "/skein/": "it", "/forum/": "it", "/observatory/": "science", "/files/": "files"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A page as it is served and as a search engine knows it."""

    path: str
    body: bytes
    content_type: str
    title: str
    text: str
    """The visible main text, one block per line, without navigation and footer."""
    description: str = ""
    published: str = ""
    """An ISO day, or empty."""
    category: str = "general"
    is_listed: bool = True
    """A search may find it, and the sitemap names it."""

    @property
    def charset(self) -> str:
        """The encoding of the body, from the header or, where that is silent, from `<meta>`."""
        found = re.search(r"charset=([\w-]+)", self.content_type) or re.search(rb"charset=([\w-]+)", self.body[:400])
        if found is None:
            return "utf-8"
        name = found.group(1)
        return name if isinstance(name, str) else name.decode("ascii")


@cache
def documents() -> dict[str, Document]:
    """Every page that is a file, by its path; read once per process."""
    files = sorted(file for file in _ROOT.rglob("*") if file.is_file())
    return {(path := _path(file)): _read(path, file) for file in files}


def _path(file: Path) -> str:
    """`a/b.html` is served as `/a/b`, `a/index.html` as `/a/`, any other file under its own name."""
    name = "/" + file.relative_to(_ROOT).as_posix()
    return name.removesuffix("index.html") if name.endswith("/index.html") else name.removesuffix(".html")


def _read(path: str, file: Path) -> Document:
    body = file.read_bytes()
    content_type = _ODD_TYPES.get(path, _TYPES[file.suffix])
    bare = Document(path=path, body=body, content_type=content_type, title=file.name, text="", is_listed=False)
    category = next((name for prefix, name in _CATEGORIES.items() if path.startswith(prefix)), "general")
    if path == WEBCAM:
        title, text, description, published = _WEBCAM_TITLE, _WEBCAM_TEXT, _WEBCAM_TEXT, ""
    elif file.suffix == ".html":
        seen = read_html(body.decode(bare.charset))
        title, text, description, published = seen.title, seen.text, seen.description, seen.published
    elif file.suffix == ".pdf":
        title, text, description, published = *_read_pdf(body, fallback=file.name), "", "2026-02-01"
    elif file.suffix == ".json":
        title, text, description, published = json.loads(body)["title"], body.decode(), "", ""
    elif file.suffix in {".txt", ".md"}:
        text = body.decode()
        title, description, published = text.partition("\n")[0].lstrip("# "), "", ""
    else:
        return bare
    return Document(
        path=path,
        body=body,
        content_type=content_type,
        title=title,
        text=text,
        description=description,
        published=published,
        category=category,
        is_listed=not path.startswith(_UNLISTED) and path != _SOFT_404,
    )


def _read_pdf(body: bytes, *, fallback: str) -> tuple[str, str]:
    """Read title and lines of a PDF of ours: its streams are not compressed and show one line per `Tj`."""
    shown = [line.decode("ascii") for line in re.findall(rb"\((.*?)\) Tj", body)]
    title = re.search(rb"/Title \((.*?)\)", body)
    return (title.group(1).decode("ascii") if title else fallback), "\n".join(shown)


_VOID = {"meta", "link", "br", "img", "input", "hr"}
_BLOCKS = {"p", "h1", "h2", "h3", "li", "tr", "dt", "dd", "div", "pre", "summary", "caption", "figcaption", "section"}
_SKIPPED = {"script", "style", "noscript", "nav", "aside", "footer", "form", "button"}
_ROOTS = {"thread", "main", "content", "inhalt"}
_UNSEEN = {"headerlink", "share", "actions", "signature", "poster", "mute", "sr"}
_DATE_KEYS = {"article:published_time"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What a reader, or a search engine, sees of a page."""

    title: str
    text: str
    description: str
    published: str


def read_html(html: str) -> Seen:
    """Read a page: its own title, its description, its day, and the text of its main part in lines."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return Seen(
        title=reader.title.strip(),
        text=_tidy("".join(reader.parts)),
        description=reader.metas.get("description", ""),
        published=reader.published[:10],
    )


def _tidy(text: str) -> str:
    lines = (re.sub(r"[ \t]+$", "", line) for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.metas: dict[str, str] = {}
        self.published = ""
        self.parts: list[str] = []
        self._open: list[tuple[str, bool, bool]] = []
        """Tag, inside the main part, out of sight: for each open element."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "meta":
            name = said.get("name") or said.get("property", "")
            self.metas[name] = said.get("content", "")
            self.published = self.published or (self.metas[name] if name in _DATE_KEYS else "")
        if tag == "time":
            self.published = self.published or said.get("datetime", "")
        if tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in {"td", "th"}:
            self.parts.append("\t")
        if tag not in _VOID:
            was_main, was_unseen = self._open[-1][1:] if self._open else (False, False)
            self._open.append((tag, was_main or _is_root(tag, said), was_unseen or _is_unseen(tag, said)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        tag, is_main, is_unseen = self._open[-1] if self._open else ("", False, False)
        if tag == "title":
            self.title += data
        elif is_main and not is_unseen:
            in_code = any(name == "pre" for name, _, _ in self._open)
            self.parts.append(data if in_code else re.sub(r"\s+", " ", data))


def _names(said: dict[str, str]) -> set[str]:
    return {*said.get("class", "").split(), said.get("id", "")}


def _is_root(tag: str, said: dict[str, str]) -> bool:
    return tag in {"main", "article"} or said.get("role") == "main" or bool(_ROOTS & _names(said))


def _is_unseen(tag: str, said: dict[str, str]) -> bool:
    style = said.get("style", "").replace(" ", "")
    is_hidden = "hidden" in said or any(
        part in style for part in ("display:none", "font-size:0", "background-color:#fff")
    )
    return tag in _SKIPPED or is_hidden or bool(_UNSEEN & _names(said))
