"""Code outside of `pre`, made a code block: editors that draw line by line, lines set apart by breaks, kept blanks.

Done before the content is chosen, so that a listing is weighed as a whole and not as many short lines.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import islice
from textwrap import dedent

from gossamer.extractors.html.markdown.code_blocks import (
    drop_marks,
    fill,
    language,
    outermost,
    plain_code,
    text_of,
    without_numbers,
)
from gossamer.extractors.html.markdown.renderer import BLOCKS
from gossamer.extractors.html.tree import Element, attr, classes, drop_trees, element, is_element

_EDITORS = {
    "codemirror": "codemirror-line",
    "cm-editor": "cm-line",
    "monaco-editor": "view-line",
    "ace_editor": "ace_line",
    "crayon-syntax": "crayon-line",
    "react-code-file-contents": "react-file-line",
    "syntaxhighlighter": "line",
    "fragment": "line",
}
"""What draws code by itself, and what each of its lines is called; the last is Doxygen."""
_EDITOR_NAME = re.compile(r"(?<![\w-])(?:{})(?![\w-])".format("|".join(_EDITORS)), re.IGNORECASE)
_MAX_PARTS = 100_000
"""So many elements with a style of their own, and elements in them, are looked at."""
_NEVER_ONE_TEXT = frozenset({"html", "body", "pre", "table", "tbody", "tr", "td", "th", "ul", "ol"})
_NUMBERS = frozenset({"gutter", "crayon-nums", "linenumber", "ace_gutter", "margin"})
_NUMBER_IN_LINE = "lineno"
_TOP_PX = re.compile(r"\btop:\s{0,3}(\d{1,9})(?:\.\d{0,9})?px")
_STYLED_PATH = ".//*[@style][contains(@style, 'white-space') or contains(@style, 'font-family')]"
_KEEPS_LINES = re.compile(r"\bwhite-space:\s{0,3}(pre(?:-wrap|-line)?|break-spaces)\b")
_EVEN = re.compile(r"\bfont-family:[^;]{0,200}?\b(?:monospace|courier|consolas|menlo|monaco)\b", re.IGNORECASE)
_LINE_BOXES = frozenset({"div", "p"})
_OF_A_LINE = frozenset(
    {"a", "b", "br", "code", "em", "font", "i", "kbd", "samp", "span", "strong", "sub", "sup", "tt", "u", "var"}
)
_CODE = ("code", "samp", "tt")
_BOXES = frozenset({"div", "p", "td", "li", "dd", "section", "article", "figure", "blockquote", "center"})
_SOURCE_LINE = re.compile(r"[ \t]*\n[ \t\r\n]*")
_TYPED_PATH = ".//div[@class='termy']//pre"
"""What Termynal types."""
_TYPED_TAG = re.compile(r"</?(?:a|b|em|font|i|span|strong|u)(?:\s[^<>]{0,300})?>")
_BREAK = re.compile(r"\n[ \t]*\S")


def mark_up_code(root: Element, *, with_links: bool = False) -> None:
    """Make every listing one `pre` with nothing but its text inside: it is then kept or left as a whole."""
    join_listings(root)
    plain_code(root, with_links=with_links)
    for listing in root.xpath(_TYPED_PATH):
        for el in listing.iter("*"):
            el.text, el.tail = _as_typed(el.text), _as_typed(el.tail) if el is not listing else el.tail


def _as_typed(text: str | None) -> str | None:
    """A line of a terminal as its reader sees it: the script that types it reads the text as HTML."""
    return unescape(_TYPED_TAG.sub("", text)) if text else text


def join_listings(root: Element) -> None:
    """Make every listing of these kinds a `pre`, in place."""
    for table in list(root.iter("table")):
        without_numbers(table)
    for editor in outermost([el for el in root.iter("div") if _EDITOR_NAME.search(attr(el, "class"))]):
        _join_editor(editor)
    inside = {el for pre in outermost(root.iter("pre")) for el in pre.iter("*")}
    left = _MAX_PARTS
    for el in root.xpath(_STYLED_PATH):
        if el not in inside and el.tag not in _NEVER_ONE_TEXT and left > 0:
            parts = list(islice(el.iter("*"), 1, left))
            left -= len(parts)
            if all(part.tag in _OF_A_LINE or part.tag in _LINE_BOXES for part in parts) and _keep_lines(el):
                inside.update(parts)
    for code in outermost(el for el in root.iter(*_CODE) if el not in inside):
        if code.getparent() is not None:
            _join_codes(code)


def _join_editor(editor: Element) -> None:
    names = {name.lower() for name in classes(editor)}
    line_name = next((line for name, line in _EDITORS.items() if name in names), "")
    lines = list(_lines(editor, line_name)) if line_name else []
    if lines:
        drop_trees(editor, [el for el in editor.iter("span", "a") if _NUMBER_IN_LINE in classes(el)])
        lines.sort(key=_place)
        name = language(editor) or language(lines[0])
        text = "\n".join("".join(line.itertext()).rstrip("\n") for line in lines)
        fill(editor, text.replace("\xa0", " "), name)


def _lines(editor: Element, name: str) -> Iterator[Element]:
    """The elements that are lines, none of them in another and none of them a line number."""
    stack = [editor]
    while stack:
        el = stack.pop()
        names = {part.lower() for part in classes(el)}
        if el is not editor and name in names:
            yield el
        elif not names & _NUMBERS:
            stack.extend(child for child in reversed(list(el)) if is_element(child))


def _place(line: Element) -> int:
    """How far down a line is drawn: editors leave lines in the order in which they were last changed."""
    match = _TOP_PX.search(attr(line, "style"))
    return int(match[1]) if match else 0


def _keep_lines(el: Element) -> bool:
    """Keep the line ends of a text that the page shows as it is, if it has any; in letters of even width it is code."""
    style = attr(el, "style").lower()
    keeps = _KEEPS_LINES.search(style)
    has_lines = keeps is not None and _BREAK.search("".join(el.itertext()).strip("\n")) is not None
    has_breaks = any(True for part in islice(el.iter("br", *_LINE_BOXES), 2) if part is not el)
    is_code = (has_lines and keeps is not None and keeps[1] == "pre") or _EVEN.search(style) is not None
    if is_code and (has_lines or has_breaks) and el.tag in _LINE_BOXES:
        if not has_lines:
            _join_blanks(el)
        fill(el, text_of(el), language(el))
    elif has_lines:
        _break_lines(el)
    return has_lines or has_breaks


def _join_blanks(el: Element) -> None:
    """Take line ends out of text in which only breaks end lines."""
    for part in el.iter("*"):
        part.text = _SOURCE_LINE.sub(" ", part.text).lstrip(" ") if part.text else part.text
        if part is not el and part.tail:
            part.tail = _SOURCE_LINE.sub("" if part.tag == "br" else " ", part.tail)


def _break_lines(el: Element) -> None:
    """Put a break for each line end of a text that is no code."""
    for part in list(el.iter("*")):
        inside = list(part)
        if not any(text and "\n" in text for text in (part.text, *(child.tail for child in inside))):
            continue
        part.text, *others = (part.text or "").strip("\n").split("\n")
        _add_lines(part, others)
        for child in inside:
            child.tail, *others = (child.tail or "").split("\n")
            part.append(child)
            _add_lines(part, others)


def _add_lines(part: Element, lines: Sequence[str]) -> None:
    for line in lines:
        end = element("br")
        end.tail = line
        part.append(end)


def _join_codes(code: Element) -> None:
    """Make a block of code that stands alone between blocks, in several lines or in pieces that breaks part."""
    before, parent = code.getprevious(), code.getparent()
    is_only_a_box = any(True for _ in code.iter("pre", "table", "ul", "ol"))
    if is_only_a_box or parent is None or ((parent.text if before is None else before.tail) or "").strip():
        return
    if "block" in classes(code):
        _join_run(code)
    elif _is_box(before) and _is_box(code.getnext()) and not (code.tail or "").strip():
        text = dedent(text_of(code).strip("\n"))
        if _BREAK.search(text):
            fill(code, text, language(code))
    elif before is None and parent.tag in _BOXES:
        inside = list(parent)
        is_code = all(child.tag in {*_CODE, "br"} and not (child.tail or "").strip() for child in inside)
        if is_code and any(child.tag == "br" for child in inside[1:-1]):
            _join_blanks(parent)
            fill(parent, text_of(parent).strip("\n"), language(code))


def _is_box(neighbour: Element | None) -> bool:
    return neighbour is None or neighbour.tag in BLOCKS


def _join_run(code: Element) -> None:
    """Put blocks that stand right behind one another, code and what came of it, into one."""
    run, after = [code], code.getnext()
    while after is not None and not (run[-1].tail or "").strip() and set(classes(after)) & set(classes(code)):
        if after.tag not in {"code", "pre"} or (after.tag == "code" and "block" not in classes(after)):
            break
        run.append(after)
        after = after.getnext()
    for part in run:
        drop_marks(part)
    texts = [text_of(part).strip("\n") for part in run]
    text = "\n".join(dedent(piece) if part.tag == "code" else piece for part, piece in zip(run, texts, strict=True))
    name = language(code)
    for part in run[1:]:
        part.drop_tree()
    fill(code, text if len(run) > 1 else text.strip(), name)
