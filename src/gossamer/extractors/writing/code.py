"""Code blocks made plain before they are rendered: their language named, their text exact."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from textwrap import dedent

from gossamer.extractors.tree import Element, attr, classes, element
from gossamer.extractors.writing.languages import is_language, language

_LINE_TAGS = frozenset({"div", "li", "p", "pre", "tr"})
_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line", "cm-line", "codemirror-line", "ec-line"})
_GUTTER_NAMES = (
    "gutter gl lineno linenos lineno-col linenodiv lnt lntd-num ln line-numbers-rows line-number linenumber "
    "linenumbers line-no ln-num hljs-ln-numbers hljs-ln-n blob-num rouge-gutter react-syntax-highlighter-line-number "
    "codemirror-linenumber cm-gutters copy copybtn copy-button copy-btn clipboard clipboard-copy btn-clipboard "
    "hover-info hover-container"
)
_GUTTERS = frozenset(_GUTTER_NAMES.split())
_CODE_CELLS = frozenset({"code", "rouge-code", "main", "blob-code", "hljs-ln-code", "lntd", "highlight"})
_OLD_NAMES = ("xmp", "listing", "plaintext")
_NUMBERS = re.compile(r"[\s\d]*")
_MARKERS = frozenset({"+", "-", " "})
_EDITORS = frozenset({"cm-content", "codemirror-code"})
_LABEL_LEVELS = 3
_MAX_LINKS = 100
_HEAD_PARTS = 20


def plain_code(root: Element, *, with_links: bool = False) -> None:
    """Turn each code block into `<pre><code class="language-x">` with nothing but its text inside.

    A block without a language may be a text as well: one with links can be left as it is, for `list_links`.
    """
    for old in list(root.iter(*_OLD_NAMES)):
        old.tag = "pre"
    for table in list(root.iter("table")):
        without_numbers(table)
    inside = {code for pre in outermost(root.iter("pre")) for code in pre.iter("code")}
    for code in outermost(root.iter("code")):
        if code not in inside:
            _block_of_its_own(code)
    for pre in outermost(root.iter("pre")):
        if not (with_links and _links(pre) and not language(pre)):
            _make_plain(pre, with_links=False)


def list_links(root: Element) -> None:
    """Make the blocks plain that were left for their links, and list these below each."""
    for pre in outermost(root.iter("pre")):
        if any(True for _ in pre.iter("a")):
            _make_plain(pre, with_links=True)


def outermost(elements: Iterable[Element]) -> list[Element]:
    """Of elements in page order, those that stand in no other of them."""
    found: list[Element] = []
    inner: set[Element] = set()
    for el in elements:
        if el not in inner:
            found.append(el)
            inner.update(el.iter("*"))
    return found


def without_numbers(table: Element) -> None:
    """Replace a table that lays out line numbers beside code by the code."""
    if sum(1 for _ in islice(table.iter("table"), 2)) > 1:
        return
    rows = [[cell for cell in row if cell.tag in {"td", "th"}] for row in table.iter("tr")]
    if not rows or not all(2 <= len(row) <= 3 for row in rows):
        return
    is_numbered = all(_is_gutter(cell) for row in rows for cell in row[:-1])
    if not is_numbered or not _holds_code(table, rows[0][-1]):
        return
    name = language(table) or language(rows[0][-1])
    lines = [f"{_marker(row[-1])}{text_of(_only_block(row[-1])).removesuffix(chr(10))}" for row in rows]
    fill(table, "\n".join(lines), name)


def _marker(cell: Element) -> str:
    """The sign of a line that was added, taken away or left, which some tables of differences only draw."""
    signs = (attr(el, "data-code-marker") for el in islice(cell.iter("*"), _LABEL_LEVELS))
    return next((sign for sign in signs if sign in _MARKERS), "")


def _only_block(cell: Element) -> Element:
    """The one block in a cell, without the blanks round it; else the cell."""
    blocks = list(islice(cell.iter("pre"), 2))
    return blocks[0] if len(blocks) == 1 else cell


def _is_gutter(cell: Element) -> bool:
    return (
        bool(_GUTTERS & _names(cell))
        or "data-line-number" in cell.attrib
        or _NUMBERS.fullmatch("".join(cell.itertext())) is not None
    )


def _holds_code(table: Element, cell: Element) -> bool:
    return (
        bool(_CODE_CELLS & _names(cell))
        or any(True for _ in cell.iter("pre", "code"))
        or any(up.tag in {"pre", "code"} for up in (table, table.getparent()) if up is not None)
    )


def _block_of_its_own(code: Element) -> None:
    """Tell code that is a block though no `pre` says so; code round blocks is only their box."""
    if any(True for _ in code.iter("pre", "table", "ul", "ol")):
        code.tag = "div"
        return
    is_block = "block" in _names(code) or re.search(r"white-space:\s?pre", attr(code, "style")) is not None
    if is_block or any(True for _ in code.iter("br", "div")):
        fill(code, dedent(text_of(code).strip("\n")).strip(), language(code))


def _make_plain(pre: Element, *, with_links: bool) -> None:
    name = language(pre)
    label = _label(pre)
    if label is None:
        label = next((el for el in islice(pre.iter("*"), 1, _HEAD_PARTS) if _names_a_language(el)), None)
    editor = next((el for el in pre.iter("div") if _EDITORS & _names(el)), None)
    if label is not None:
        name = name or "".join(label.itertext()).strip().lower()
        label.drop_tree()
    drop_marks(pre)
    for number in _counted(pre):
        number.drop_tree()
    links = _links(pre) if with_links and not name else []
    fill(pre, text_of(pre if editor is None else editor), name)
    if links:
        _list_below(pre, links)


def drop_marks(block: Element) -> None:
    """Take out what stands in a block and is no code: numbers, buttons, notes that show under the mouse."""
    for el in list(block.iter("*")):
        if el is not block and (
            _GUTTERS & _names(el) or el.tag in {"button", "rp"} or "data-line-number" in el.attrib or _is_aside(el)
        ):
            el.drop_tree()


def _links(pre: Element) -> list[Element]:
    """The ways out of a text set as it is, each once: a manual page or a standard leads on by them."""
    found: dict[str, Element] = {}
    for link in pre.iter("a"):
        text = "".join(link.itertext()).strip()
        address = attr(link, "href").strip()
        if text and not text.isdigit() and address and not address.startswith("#") and len(found) < _MAX_LINKS:
            way = element("a")
            way.set("href", address)
            way.text = text
            found.setdefault(f"{address} {text}", way)
    return list(found.values())


def _list_below(pre: Element, links: Sequence[Element]) -> None:
    """Put links under a block, as nothing inside it can be one."""
    inner, below = element("pre"), element("p")
    for child in list(pre):
        inner.append(child)
    pre.tag = "div"
    pre.append(inner)
    below.text = "Links: "
    for link in links:
        link.tail = ", "
        below.append(link)
    links[-1].tail = ""
    pre.append(below)


def _label(pre: Element) -> Element | None:
    """The box before a block that holds nothing but the name of its language.

    It may stand beside the block or beside a box round it, with nothing but boxes between.
    """
    at = pre
    for _ in range(_LABEL_LEVELS):
        before, around = at.getprevious(), at.getparent()
        if before is not None:
            return before if _names_a_language(before) else None
        if around is None or (around.text or "").strip():
            return None
        at = around
    return None


def _names_a_language(el: Element) -> bool:
    """Whether a box with a few parts, none of them code, says the name of a language and nothing else."""
    if el.tag not in {"div", "p", "header", "figcaption"} and not _is_label(el):
        return False
    text = "".join(el.itertext()) if len(el) <= _LABEL_LEVELS else ""
    return is_language(text) and not (el.tail or "").strip()


def _is_label(el: Element) -> bool:
    return el.tag == "span" and any("lang" in name or "label" in name or "title" in name for name in _names(el))


def _is_aside(el: Element) -> bool:
    """Whether text in a block cannot be marked with it: numbers and buttons drawn by style."""
    return "user-select:none" in attr(el, "style").replace(" ", "") and bool(_NUMBERS.fullmatch("".join(el.itertext())))


def _counted(pre: Element) -> list[Element]:
    """Line numbers that no class tells: each line begins with an element that counts on."""
    lines = [line for line in pre if len(line)] or [line for child in pre for line in child if len(line)]
    firsts = [next(iter(line)) for line in lines if not (line.text or "").strip()]
    if len(firsts) < 2 or len(firsts) != len(lines):
        return []
    numbers = ["".join(first.itertext()).strip() for first in firsts]
    if not all(number.isascii() and number.isdigit() and len(number) < 7 for number in numbers):
        return []
    start = int(numbers[0])
    return firsts if [int(number) for number in numbers] == list(range(start, start + len(numbers))) else []


def _names(el: Element) -> set[str]:
    return {name.lower() for name in classes(el)}


def fill(block: Element, text: str, name: str) -> None:
    """Make an element a code block with this text."""
    for child in list(block):
        child.tail = ""
        child.drop_tree()
    block.attrib.clear()
    block.tag = "pre"
    code = element("code")
    code.text = text.strip("\n")
    if name:
        code.set("class", f"language-{name}")
    block.text = ""
    block.append(code)


def text_of(block: Element) -> str:
    """The text of a code block, a line for each line element and break."""
    pieces: list[str] = [block.text or ""]
    stack: list[tuple[Element, int]] = [(child, -1) for child in reversed(list(block))]
    ends_line = pieces[0].endswith("\n")
    while stack:
        el, begun = stack.pop()
        if begun < 0:
            piece = "\n" if el.tag == "br" else el.text or ""
            stack.append((el, len(pieces)))
            stack.extend((child, -1) for child in reversed(list(el)))
        else:
            piece = el.tail or ""
            is_line = el.tag in _LINE_TAGS or (el.tag == "span" and bool(_LINE_CLASSES & _names(el)))
            if is_line and not piece.startswith("\n") and (len(pieces) == begun or not ends_line):
                pieces.append("\n")
                ends_line = True
        if piece:
            pieces.append(piece)
            ends_line = piece.endswith("\n")
    return "".join(pieces).replace("\xa0", " ")
