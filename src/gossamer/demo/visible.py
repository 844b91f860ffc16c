"""The visible main text of a page of the mini web, for its search index and its tests.

Knows only the markup that our own pages use; reading the open web is the extractors' work.
"""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

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
