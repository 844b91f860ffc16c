"""Headings, lists and tables as HTML, as they are told one after another."""

from collections.abc import Sequence
from html import escape

MAX_CHARS = 10 * 1024 * 1024
_MAX_LEVEL = 8


class Blocks:
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
