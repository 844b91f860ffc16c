"""Code blocks normalised before rendering: their language named, their text exact."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from textwrap import dedent

from gossamer.extractors.html.tree import Element, attr, classes, element

_NAMED = (
    re.compile(r"(?:language|lang|highlight-source|highlight-text)[-:_](?P<name>[\w+#.-]+)", re.IGNORECASE),
    re.compile(r"(?:highlight|sourcecode|code|brush|syntax)[-:_](?P<name>[a-zA-Z][\w+#.-]*)", re.IGNORECASE),
)
"""Ways to say it outright, and ways that parts of a page are named by as well."""
_OF_A_MODULE = re.compile(r"_\w*__")
_BRUSH = re.compile(r"brush:\s{0,5}([\w+#-]+)", re.IGNORECASE)
_NAME = re.compile(r"[\w+#.-]{1,20}")
_ATTRIBUTES = (
    "data-lang",
    "data-language",
    "data-code-language",
    "data-code-lang",
    "data-highlight-language",
    "data-tagsearch-lang",
)
_LISTED_NAMES = (
    "ada apache asm awk bash basic bat batch bibtex c c# c++ clojure cmake coffeescript console cpp cs csharp css cuda "
    "cypher d dart diff docker dockerfile elixir elm erlang f# fish fortran fsharp go golang gradle graphql groovy "
    "haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex lean less lisp lua make "
    "makefile markdown matlab md mermaid nginx nim nix objc objective-c objectivec ocaml pascal perl php plaintext "
    "postgresql powershell prolog protobuf ps1 py pycon python python3 r rb rst ruby rust rs sass scala scheme scss "
    "sh shell sol solidity sql svelte swift tcl terraform tex text toml ts tsx typescript vb verilog vhdl vim vue "
    "wasm xml yaml yml zig zsh"
)
_LISTED = frozenset(_LISTED_NAMES.split())
_OTHER_NAMES = (
    "default none text-plain notranslate block blocks wrapper toolbar highlight ipython3-output container box snippet "
    "example inline line lines title header body content area frame group tabs copy button wrap pre-wrap"
)
_NOT_NAMES = frozenset(_OTHER_NAMES.split())
_AROUND = 3
_INSIDE = 3
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
    blocks: list[Element] = []
    inner: set[Element] = set()
    for el in elements:
        if el not in inner:
            blocks.append(el)
            inner.update(el.iter("*"))
    return blocks


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
    links: dict[str, Element] = {}
    for link in pre.iter("a"):
        text = "".join(link.itertext()).strip()
        address = attr(link, "href").strip()
        if text and not text.isdigit() and address and not address.startswith("#") and len(links) < _MAX_LINKS:
            way = element("a")
            way.set("href", address)
            way.text = text
            links.setdefault(f"{address} {text}", way)
    return list(links.values())


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
        before, parent = at.getprevious(), at.getparent()
        if before is not None:
            return before if _names_a_language(before) else None
        if parent is None or (parent.text or "").strip():
            return None
        at = parent
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


def language(block: Element) -> str:
    """The language that a code block, the code in it or the boxes round it name; empty when none does."""
    own = [block, *islice(block.iter("code", "pre"), _INSIDE), *_first_line(block)]
    ancestors = list(islice(block.iterancestors(), _AROUND))
    for el in (*own, *ancestors):
        if name := _named_language(el):
            return name
    for el in (*own, *ancestors[:1]):
        for name in classes(el):
            if name.lower() in _LISTED:
                return name.lower()
    return ""


def _first_line(block: Element) -> list[Element]:
    return [el for el in islice(block.iter("span"), 1) if "line" in classes(el)]


def is_language(text: str) -> bool:
    """Whether a label beside a code block is the name of a language."""
    return text.strip().lower() in _LISTED


def _named_language(el: Element) -> str:
    """The language that an element names outright."""
    for key in (*_ATTRIBUTES, *(("lang",) if el.tag in {"code", "span"} else ())):
        name = attr(el, key).lower()
        if _NAME.fullmatch(name) and name not in _NOT_NAMES:
            return name
    if brush := _BRUSH.search(attr(el, "class")):
        return brush[1].lower()
    for pattern in _NAMED:
        for name in classes(el):
            match = pattern.fullmatch(name)
            if match and match["name"].lower() not in _NOT_NAMES and not _OF_A_MODULE.search(name):
                return match["name"].lower()
    return ""
