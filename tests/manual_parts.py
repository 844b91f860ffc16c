"""The lists, tables and blocks of code of a page, read in another way than ours, and which of them our text lacks.

A list or a table counts as lost as soon as one of its texts is, a block of code as soon as one of its lines is.
"""

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Any, cast

from lxml import html as lxml_html  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types
from markdown_it import MarkdownIt

from gossamer.model.page import Extracted

SPHINX = "//div[contains(@class, 'sphinxsidebar') or contains(@class, 'related') or @class = 'footer']"
DOCBOOK = "//div[starts-with(@class, 'nav') or starts-with(@class, 'NAV')]"
ASIDES = {
    "python": SPHINX,
    "postgresql": DOCBOOK,
    "sqlite": "//div[contains(@class, 'menu') or contains(@class, 'searchmenu')]",
    "git": "",
    "vim": DOCBOOK,
    "django": SPHINX,
    "nodejs": "//*[@id = 'column2'] | //header",
    "bash": "",
    "apache2": "//*[@id = 'page-header' or @id = 'footer' or @class = 'toplang' or @class = 'bottomlang']",
    "policy": f"{SPHINX} | {DOCBOOK}",
}
"""For each manual a path to what its pages have beside their text."""
SHOWN = frozenset({"text", "code_inline", "html_inline"})
"""What is told of a line: a name in angle brackets that is no element of HTML stands in Markdown as it is."""
BREAK = "<br>"
FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters that nobody sees."""
KINDS = ("list", "table", "code")
LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
APART = LISTS | {"table", "pre"}
"""What is counted by itself where it stands in a list or a table."""
UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title", "form", "select", "button", "textarea"})
LANDMARKS = frozenset({"nav", "footer"})
ROLES = frozenset({"navigation", "contentinfo", "search"})
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul br"
)
BLOCKS = frozenset(_BLOCK_NAMES.split())


@dataclass(kw_only=True)
class Part:
    """A list, a table or a block of code: the texts that a reader of it sees, letters and digits alone."""

    kind: str
    texts: list[str]
    shown: str = ""
    """How it begins."""
    missing: str = ""
    """The first of its texts that is lost."""


@dataclass(kw_only=True)
class Text:
    """A text of ours as a reader of Markdown that is not ours takes it, letters and digits alone."""

    whole: str = ""
    fences: str = ""


def pages_of(folder: Path) -> list[Path]:
    """Every HTML file of a package, of a manual in many languages the English ones."""
    pages = sorted(path for path in folder.rglob("*") if path.name.endswith((".html", ".htm", ".html.gz")))
    pages = [page for page in pages if page.is_file()]
    return [page for page in pages if "manual" not in page.parts or "en" in page.parts]


def source_of(page: Path) -> bytes:
    """What a server would send."""
    return gzip.decompress(page.read_bytes()) if page.suffix == ".gz" else page.read_bytes()


def url_of(page: Path) -> str:
    return f"https://manuals.example/{page.name.removesuffix('.gz')}"


def squeezed(text: str) -> str:
    """The letters and digits of a text: what no way of writing it may lose."""
    return "".join(char for char in unescape(text) if char.isalnum() and char not in FILLERS)


def parts_of(body: bytes, asides: str = "") -> list[Part]:
    """What stands in the body of a page, what leads elsewhere aside; `asides` is a path to that."""
    parser = cast("Any", lxml_html).HTMLParser(encoding="utf-8", huge_tree=True)
    root = cast("Any", lxml_html).document_fromstring(body.replace(b"\0", b""), parser=parser)
    for el in root.xpath(asides) if asides else ():
        el.set("role", "navigation")
    found: list[Part] = []
    for el in root.iter(*APART):
        if any(is_left_out(up) for up in (el, *el.iterancestors())) or _is_within_code(el):
            continue
        kind = "code" if el.tag == "pre" else "table" if el.tag == "table" else "list"
        said = lines(el) if kind == "code" else pieces(el)
        texts = [text for line in said if (text := squeezed(line))]
        if texts:
            found.append(Part(kind=kind, texts=texts, shown=" ".join(el.text_content().split())[:80]))
    return found


def is_left_out(el: Any) -> bool:
    """Whether nobody sees what stands in an element, or it only leads elsewhere."""
    return (
        el.tag in UNSEEN
        or el.tag in LANDMARKS
        or el.get("role") in ROLES
        or el.get("hidden") is not None
        or "display:none" in (el.get("style") or "").replace(" ", "")
    )


def _is_within_code(el: Any) -> bool:
    return any(up.tag == "pre" for up in el.iterancestors())


def lines(pre: Any) -> Iterator[str]:
    yield from cast("str", pre.text_content()).splitlines()


def pieces(part: Any) -> Iterator[str]:
    """The texts of a list or a table between its boxes, without the lists, tables and code in it."""
    text: list[str] = [part.text or ""]
    stack = [(child, False) for child in reversed(part)]
    while stack:
        el, is_end = stack.pop()
        is_box = not isinstance(el.tag, str) or el.tag in BLOCKS
        if is_box and isinstance(el.tag, str):
            yield "".join(text)
            text = []
        if is_end:
            text.append(el.tail or "")
            continue
        if not isinstance(el.tag, str) or el.tag in APART or is_left_out(el):
            text.append(el.tail or "")
            continue
        text.append(el.text or "")
        stack.append((el, True))
        stack.extend((child, False) for child in reversed(el))
    yield "".join(text)


def is_shown(token: Any) -> bool:
    return token.type in SHOWN and token.content != BREAK


def text_of(markdown: str) -> Text:
    """What Markdown says to a reader of it."""
    words: list[str] = []
    fences: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type in {"fence", "code_block"}:
            fences.append(squeezed(token.content))
            words.append(fences[-1])
        elif token.type == "inline":
            inside = [child.content for child in token.children or () if is_shown(child)]
            code = [child.content for child in token.children or () if child.type == "code_inline"]
            words.append(squeezed("".join(inside)))
            fences.extend(map(squeezed, code))
    return Text(whole="".join(words), fences="".join(fences))


@dataclass(kw_only=True)
class Count:
    """How many parts of each kind there are, and which are lost."""

    every: Counter[str] = field(default_factory=Counter[str])
    lost: list[Part] = field(default_factory=list[Part])


def compared(parts: list[Part], markdown: str) -> Count:
    """Count the parts of a page, and those that a text of it lacks."""
    text, count = text_of(markdown), Count()
    for part in parts:
        count.every[part.kind] += 1
        if part_missing := next(_missing(part.texts, text.fences if part.kind == "code" else text.whole), ""):
            count.lost.append(replace(part, missing=part_missing))
    return count


def without_note(count: Count, result: Extracted) -> list[Part]:
    """The lost parts that a result does not tell of: it counts what it leaves out, or says that it is not whole."""
    told = result.left_out
    return [] if result.message else count.lost[told.lists + told.tables + told.sections :]


def _missing(texts: list[str], whole: str) -> Iterator[str]:
    """Those of some texts that are not there; each is first looked for behind the one before it."""
    at = 0
    for text in texts:
        place = whole.find(text, at)
        place = whole.find(text) if place < 0 else place
        if place < 0:
            yield text
        else:
            at = place + len(text)
