"""Style sheets of a page: where they stand, and their rules that apply, nested ones and layers included."""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from gossamer.extractors.html.tree import Element, attr
from gossamer.extractors.html.visibility.css.conditions import is_for_screen, is_supported
from gossamer.extractors.html.visibility.css.declarations import Declarations, add, unescaped
from gossamer.extractors.html.visibility.css.rule_filter import only_hiding
from gossamer.extractors.html.visibility.css.selector_parser import MAX_CHARS, is_selector
from gossamer.extractors.html.visibility.css.values import split_outside, too_complex

_DATA = re.compile(r"data:text/css[^,]{0,100},", re.IGNORECASE)
_BEFORE_IMPORT = re.compile(r"(?:\s|/\*.*?\*/|<!--|-->|@(?:charset|layer)\b[^;{}]*;)*", re.DOTALL | re.IGNORECASE)
_IMPORT = re.compile(
    r"@import\s*(?:url\(\s*)?(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s\"'();]+(?:;base64,[^\s\"'();]+)?))\s*\)?([^;{}]*)(?:;|\Z)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:layer|supports)\b(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?", re.IGNORECASE)
_MAX_IMPORTS = 20
Layer = tuple[int, ...]
"""The places of a layer and of those round it, first ones first; it ends in `_OWN`, since a layer's own rules win."""
_MAX_NESTED = 50_000
"""The rules nested in others, of all sheets of a page, stand for at most as many selectors."""
_MAX_NESTING = 32
_OWN = 1_000_000
_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"  # a comment
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"  # a string
    r"|[uU][rR][lL]\(\s*[^\"'\s)][^)]*\)?"  # an address without quotes
    r"|<!--|-->|[{};()\[\]]|\\.",
    re.DOTALL,
)
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_SCOPE_SIGN = re.compile(r":scope\b|&", re.IGNORECASE)


class Rule(NamedTuple):
    """Declarations for whatever a selector matches."""

    selector: str
    declarations: Declarations
    layer: Layer = (_OWN,)


@dataclass(kw_only=True, slots=True)
class _Block:
    """What stands between two braces."""

    selectors: tuple[str, ...] = ()
    applies: bool = True
    is_doubtful: bool = False
    """Whether it applies is unknown."""
    is_lost: bool = False
    """Stands for more selectors than are followed."""
    layer: str = ""
    scope: str = ""
    """What it demands of an element besides its selector."""
    scope_root: str = ""
    variable: str = ""
    """The variable that is declared here."""
    declarations: Declarations = field(default_factory=Declarations)


class Sheets:
    """All style sheets of a page, read one after another: they share their layers and what they may cost."""

    def __init__(self) -> None:
        self.layers: dict[str, Layer] = {"": (_OWN,)}
        self.nested_left = _MAX_NESTED
        self.declared: dict[str, dict[str, str]] = {}
        """What is said of variables that `@property` declares."""
        self._known: dict[str, bool] = {}

    def rules(self, css: str) -> Iterator[Rule]:
        """The rules that apply on a screen and say anything that can hide text, in the order in which they end."""
        css = unescaped(css)
        reader = _Reader(self)
        pieces, start, brackets, is_void = list[str](), 0, list[str](), False
        for token in _TOKEN.finditer(css):
            sign = token[0]
            if sign in "()[]" or (brackets and sign in "{}"):
                _bracket(brackets, sign)
            elif sign in "{};" and not brackets:
                if sign != "{" and reader.is_between_rules(sign):
                    is_void = is_void or "".join((*pieces, css[start : token.start()])).lstrip()[:1] != "@"
                    if is_void:
                        continue
                text = css[start : token.start()]
                text = "".join((*pieces, text)).strip() if pieces else text.strip()
                pieces, start, is_void = [], token.end(), False
                if sign == "{":
                    reader.opened(text)
                else:
                    reader.statement(text)
                    yield from reader.closed() if sign == "}" else ()
            elif sign.startswith(("/*", "<!--", "-->")):
                pieces += (css[start : token.start()], " ")
                start = token.end()
        reader.statement("".join((*pieces, css[start:])).strip())
        for _ in range(_MAX_NESTING + 1):
            yield from reader.closed()

    def layer(self, name: str, outer: str) -> str:
        """Note that a layer has been named, with those that its name says are round it; gives its full name."""
        path, parts = outer, name.split(".")
        if len(parts) > _MAX_NESTING:
            raise too_complex()
        for part in parts:
            place = self.layers[path][:-1]
            path = f"{path}.{part.strip()}" if path else part.strip()
            self.layers.setdefault(path, (*place, len(self.layers), _OWN))
        return path

    def are_selectors(self, texts: list[str]) -> bool:
        """Whether a browser takes each of a list; one that it does not take voids them all."""
        for text in texts:
            if text not in self._known:
                self._known[text] = is_selector(text)
            if not self._known[text]:
                return False
        return True


class _Reader:
    """Reads one sheet from beginning to end, once."""

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._blocks = [_Block()]
        self._skipped = 0
        """Braces opened beyond what is followed."""

    def is_between_rules(self, sign: str) -> bool:
        """Whether a sign ends nothing here: it is then part of the next selector, and voids it as in a browser."""
        block = self._blocks[-1]
        return not (self._skipped or block.selectors or block.variable) and (sign == ";" or len(self._blocks) == 1)

    def opened(self, head: str) -> None:
        """A block begins."""
        enclosing = self._blocks[-1]
        if self._skipped or len(self._blocks) > _MAX_NESTING or not enclosing.applies:
            self._skipped += 1
            return
        block = replace(enclosing, declarations=Declarations())
        if head.startswith("@"):
            name = head.split(None, 1)[0].partition("(")[0].lower()
            self._condition(block, name, head[len(name) :].strip())
        else:
            self._select(block, [part.strip() for part in split_outside(head, ",")])
        self._blocks.append(block)

    def _condition(self, block: _Block, name: str, condition: str) -> None:
        """An at-rule: whether what stands inside is seen on an ordinary screen."""
        if name == "@layer":
            block.layer = self._sheets.layer(condition or f"#{len(self._sheets.layers)}", block.layer)
        elif name == "@scope" and (scope := _scope(condition)):
            block.scope, block.scope_root = scope, f":where({_bracketed(condition)[0]})"
        elif name == "@property":
            block.variable, block.selectors = condition, ()
            self._sheets.declared[condition] = {}
        elif name in {"@scope", "@container"}:
            block.is_doubtful = True
        elif name == "@media":
            block.applies = is_for_screen(condition)
        elif name == "@supports":
            answer = is_supported(condition)
            block.applies, block.is_doubtful = answer is not False, block.is_doubtful or answer is None
        else:
            block.applies = False

    def _select(self, block: _Block, parts: list[str]) -> None:
        """A rule: its selectors, those of the rules round it put in front, or in place of `&`."""
        outers = block.selectors
        whole = [part.lstrip(">+~").lstrip() for part in parts] if outers else parts
        block.applies = all(whole) and (len(whole) == 1 or self._sheets.are_selectors(whole))
        if not outers:
            block.selectors = tuple(_scoped(part, block) if block.scope else part for part in parts)
            return
        self._sheets.nested_left -= len(outers) * len(parts)
        longest = max(map(len, outers))
        block.is_lost |= self._sheets.nested_left < 0
        block.is_lost |= any(len(part) + part.count("&") * longest > MAX_CHARS for part in parts)
        if not block.is_lost:
            pairs = ((outer, inner) for inner in parts for outer in outers)
            block.selectors = tuple(
                inner.replace("&", outer) if "&" in inner else f"{outer} {inner}" for outer, inner in pairs
            )

    def closed(self) -> Iterator[Rule]:
        """A block ends: its rules are complete."""
        if self._skipped:
            self._skipped -= 1
        elif len(self._blocks) > 1:
            block = self._blocks.pop()
            declared = only_hiding(block.declarations) if block.is_doubtful else block.declarations
            if declared and block.applies:
                if block.is_lost:
                    raise too_complex()
                layer = self._sheets.layers[block.layer]
                yield from (Rule(selector, declared, layer) for selector in block.selectors)

    def statement(self, text: str) -> None:
        """A declaration, or a statement between rules."""
        block = self._blocks[-1]
        if not block.applies:
            return
        if self._skipped:
            if ":" in text:
                raise too_complex()
        elif block.variable:
            name, _, value = text.partition(":")
            self._sheets.declared[block.variable][name.strip().lower()] = value.strip()
        elif block.selectors:
            name, colon, value = text.partition(":")
            if colon:
                add(block.declarations, name.strip(), value)
        elif text.lstrip()[:6].lower() == "@layer":
            for name in text.strip()[6:].split(","):
                self._sheets.layer(name.strip(), block.layer)


def _scoped(selector: str, block: _Block) -> str:
    """A selector within a scope, the sign of which stands for the element that the scope starts from."""
    return f"{_SCOPE_SIGN.sub(lambda _: block.scope_root, selector)}{block.scope}"


def _bracket(opened: list[str], sign: str) -> None:
    """Note a bracket; within brackets a brace is one of them, and ends no rule."""
    if sign in _CLOSED_BY:
        opened.append(_CLOSED_BY[sign])
    elif opened and opened[-1] == sign:
        opened.pop()


def _scope(condition: str) -> str:
    """What a scope demands of an element besides its selector; empty when that is unknown."""
    start, rest = _bracketed(condition)
    end, more = _bracketed(rest[2:].lstrip()) if rest[:2].lower() == "to" else ("", rest)
    if not start or more:
        return ""
    limit = f":not(:where(:is({end}), :is({end}) *))" if end else ""
    return f":where(:is({start}), :is({start}) *){limit}"


def _bracketed(text: str) -> tuple[str, str]:
    """What stands in the brackets that a text begins with, and what stands behind them."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return text[1:at].strip(), text[at + 1 :].strip()
    return "", text


def sheets(root: Element) -> Iterator[str]:
    """The text of the page's style sheets for screens: those of a browser that runs scripts."""
    for el in root.iter("style", "link"):
        if not is_for_screen(attr(el, "media")) or any(True for _ in el.iterancestors("noscript", "template")):
            continue
        if el.tag == "style" and attr(el, "type").strip().lower() in {"", "text/css"}:
            yield from _with_imports(el.text or "")
        elif "stylesheet" in attr(el, "rel").lower().split():
            yield from _with_imports(_data(attr(el, "href")))


def _with_imports(css: str) -> list[str]:
    """A sheet behind those that it imports, as far as their addresses hold them; the first of very many."""
    sheets_read: list[str] = []
    waiting = [css]
    while waiting and len(sheets_read) < _MAX_IMPORTS:
        sheet = waiting.pop()
        sheets_read.append(sheet)
        waiting.extend(_imported(sheet))
    sheets_read.reverse()
    return sheets_read


def _imported(css: str) -> list[str]:
    imported: list[str] = []
    at = _end(_BEFORE_IMPORT.match(css))
    if css[at : at + 2].lower() not in {"@i", "@\\"}:
        return imported
    css = unescaped(css)
    at = _end(_BEFORE_IMPORT.match(css))
    while len(imported) < _MAX_IMPORTS and (rule := _IMPORT.match(css, at)):
        address, condition = rule[1] or rule[2] or rule[3] or "", _CONDITION.sub(" ", rule[4])
        if is_for_screen(condition.strip()) and (sheet := _data(address)):
            imported.append(sheet)
        at = _end(_BEFORE_IMPORT.match(css, rule.end()))
    return imported


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _data(address: str) -> str:
    """The sheet inside a `data:` address; empty for any other."""
    head = _DATA.match(address.strip())
    if head is None:
        return ""
    body = unquote_to_bytes(address.strip()[head.end() :])
    if "base64" in head[0].lower():
        try:
            body = base64.b64decode(body, validate=False)
        except (binascii.Error, ValueError):
            return ""
    return body.decode("utf-8", "replace")
