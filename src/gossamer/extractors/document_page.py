"""Document pages: documents that are no web page, built as HTML and rendered like one in every view."""

from collections.abc import Sequence
from html import escape

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.html.markdown.normalise import normalise, read_links
from gossamer.extractors.html.markdown.renderer import render
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.prescan import prescan
from gossamer.extractors.html.selectors import matches
from gossamer.extractors.html.tree import Element, body, copy, drop_trees, element, parse, serialise, words
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden
from gossamer.extractors.invisible_characters import clean_line
from gossamer.model.page import Extracted, PageInfo, View

MAX_CHARS = 10 * 1024 * 1024
_MAX_LEVEL = 8


class HtmlBuilder:
    """Collects blocks; lists are opened and closed as the levels of their items say. Texts come as HTML."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._lists: list[str] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether more would be cut off anyhow."""
        return self._size > MAX_CHARS

    def heading(self, level: int, html: str) -> None:
        """A heading of level 1 to 6."""
        if html.strip():
            self._end_lists()
            level = min(max(level, 1), 6)
            self._add(f"<h{level}>{html}</h{level}>")

    def paragraph(self, html: str) -> None:
        """A paragraph; one without words is left out."""
        if html.strip():
            self._end_lists()
            self._add(f"<p>{html}</p>")

    def item(self, level: int, html: str, *, is_ordered: bool = False) -> None:
        """An item of a list, `level` 0 being the outermost."""
        if not html.strip():
            return
        kind, level = "ol" if is_ordered else "ul", min(max(level, 0), _MAX_LEVEL, len(self._lists))
        while len(self._lists) > level + 1:
            self._add(f"</li></{self._lists.pop()}>")
        if len(self._lists) == level + 1:
            if self._lists[-1] == kind:
                self._add(f"</li><li>{html}")
                return
            self._add(f"</li></{self._lists.pop()}>")
        self._lists.append(kind)
        self._add(f"<{kind}><li>{html}")

    def code(self, text: str) -> None:
        """Text with its own line breaks."""
        self._end_lists()
        self._add(f"<pre><code>{escape(text, quote=False)}</code></pre>")

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """A table of cells, the first row as its head."""
        if not any(cell.strip() for row in rows for cell in row):
            return
        self._end_lists()
        width = max(map(len, rows))
        self._add("<table>")
        for at, row in enumerate(rows):
            tag = "td" if at else "th"
            cells = "".join(f"<{tag}>{cell}</{tag}>" for cell in (*row, *[""] * (width - len(row))))
            self._add(f"<tr>{cells}</tr>")
        self._add("</table>")

    def raw(self, html: str) -> None:
        """Blocks that are HTML already."""
        self._end_lists()
        self._add(html)

    def html(self) -> str:
        """All of it."""
        self._end_lists()
        return "".join(self._pieces)

    def _end_lists(self) -> None:
        while self._lists:
            self._add(f"</li></{self._lists.pop()}>")

    def _add(self, piece: str) -> None:
        self._size += len(piece)
        self._pieces.append(piece)


_UNREAD = ("script", "style", "noscript", "template", "iframe", "object", "form", "nav")


def document_page(
    html: str,
    *,
    view: View,
    url: str = "",
    title: str = "",
    info: PageInfo | None = None,
    hidden: int = 0,
    message: str = "",
    headings: tuple[str, ...] = ("h1", "h2", "h3"),
) -> Extracted:
    """Put a document's blocks into the wanted form; without a title of its own the first of its `headings` names it."""
    root = parse(html)
    if root is None or not words(body(root)):
        raise EmptyPage("The document holds no text.", hint="Look for another version of the document.")
    top, about = body(root), info or PageInfo()
    title = clean_line(title, limit=300) or _first_heading(root, headings)
    if view.selector:
        parts = matches(root, view.selector)
        if not parts:
            no_match = "Nothing in the document matches the selector; without it the whole text is read."
            return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=no_match)
        top = element("div")
        for part in parts:
            chosen = copy(part)
            chosen.tail = None
            top.append(chosen)
    mark_up_code(top, with_links=view.include_links)
    hidden += normalise(top, view, base=url, page_url=url)
    links = read_links(top)
    text = render(top, view.format)
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Look for another version of the document.")
    return Extracted(title=title, text=text, info=about, links=links, hidden=hidden, message=message)


def _first_heading(root: Element, names: tuple[str, ...]) -> str:
    return next((line for el in root.iter(*names) if (line := clean_line(words(el), limit=300))), "")


def visible_fragment(text: str) -> tuple[str, int, bool]:
    """The piece without what is hidden: its HTML, how much was hidden, and whether it has a heading."""
    text = text.replace("\x00", "")
    if "<" not in text and "&" not in text:
        return text, 0, False
    prescan(text)
    root = parse(text)
    if root is None:
        return "", 0, False
    hidden = strip_hidden(root).hidden
    drop_trees(root, list(root.iter(*_UNREAD)))
    top = body(root)
    top.tag = "div"
    has_heading = any(words(el) for el in top.iter("h1", "h2", "h3"))
    return (serialise(top) if words(top) else "", hidden, has_heading)
