"""The rules of a page's own style sheets that apply on an ordinary screen, nested ones and layers included."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from gossamer.extractors.sight.media import is_for_screen, is_supported, split_outside
from gossamer.extractors.sight.styles import Declarations, add, unescaped

MAX_SELECTORS = 64
"""A rule nested in others stands for at most as many selectors."""
MAX_SELECTOR_CHARS = 1_000
_MAX_NESTING = 32
_PLAIN = 1_000_000
"""The layer of rules that stand in none: it wins over all of them."""
_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"  # a comment
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"  # a string
    r"|[uU][rR][lL]\(\s*[^\"'\s)][^)]*\)?"  # an address without quotes
    r"|<!--|-->|[{};()]|\\.",
    re.DOTALL,
)
_TRANSPARENT = ("@supports", "@layer", "@container", "@scope", "@media", "@document", "@-moz-document")


class Rule(NamedTuple):
    """Declarations for whatever a selector matches."""

    selector: str
    declarations: Declarations
    layer: int = _PLAIN


@dataclass(kw_only=True, slots=True)
class _Block:
    """What stands between two braces."""

    selectors: tuple[str, ...] = ()
    applies: bool = True
    layer: str = ""
    declarations: Declarations = field(default_factory=Declarations)


class _Reader:
    """Reads one sheet from beginning to end, once."""

    def __init__(self, layers: dict[str, int]) -> None:
        self._layers = layers
        self._blocks = [_Block()]
        self._skipped = 0
        """Braces opened beyond what is followed."""

    def opened(self, head: str) -> None:
        """A block begins."""
        around = self._blocks[-1]
        if self._skipped or len(self._blocks) > _MAX_NESTING or not around.applies:
            self._skipped += 1
            return
        block = _Block(selectors=around.selectors, layer=around.layer)
        if head.startswith("@"):
            name = head.split(None, 1)[0].partition("(")[0].lower()
            block.applies = name in _TRANSPARENT and _applies(name, head[len(name) :])
            if name == "@layer":
                block.layer = self._layer(head[len(name) :].strip() or f"#{len(self._layers)}", around.layer)
        else:
            block.selectors = tuple(_nested(around.selectors, head))
        self._blocks.append(block)

    def closed(self) -> Iterator[Rule]:
        """A block ends: its rules are complete."""
        if self._skipped:
            self._skipped -= 1
        elif len(self._blocks) > 1:
            block = self._blocks.pop()
            if block.declarations:
                layer = self._layers[block.layer] if block.layer else _PLAIN
                yield from (Rule(selector, block.declarations, layer) for selector in block.selectors)

    def said(self, text: str) -> None:
        """A declaration, or a statement between rules."""
        block = self._blocks[-1]
        if self._skipped or not block.applies:
            return
        if block.selectors:
            name, colon, value = text.partition(":")
            if colon:
                add(block.declarations, name.strip(), value)
        elif text.lstrip()[:6].lower() == "@layer":
            for name in text.strip()[6:].split(","):
                self._layer(name.strip(), block.layer)

    def _layer(self, name: str, around: str) -> str:
        path = f"{around}.{name}" if around else name
        self._layers.setdefault(path, len(self._layers))
        return path


def rules(css: str, layers: dict[str, int] | None = None) -> Iterator[Rule]:
    """The rules that apply on a screen and say anything that can hide text, in the order in which they end.

    `layers` remembers the order of named layers between the sheets of a page.
    """
    css = unescaped(css)
    reader = _Reader({} if layers is None else layers)
    pieces, start, brackets = list[str](), 0, 0
    for token in _TOKEN.finditer(css):
        sign = token[0]
        if sign in "()":
            brackets = max(0, brackets + (1 if sign == "(" else -1))
        elif sign in "{}" or (sign == ";" and not brackets):
            text = "".join((*pieces, css[start : token.start()])).strip()
            pieces, start, brackets = [], token.end(), 0
            if sign == "{":
                reader.opened(text)
            else:
                reader.said(text)
                yield from reader.closed() if sign == "}" else ()
        elif sign.startswith(("/*", "<!--", "-->")):
            pieces += (css[start : token.start()], " ")
            start = token.end()
    reader.said("".join((*pieces, css[start:])).strip())
    for _ in range(_MAX_NESTING + 1):
        yield from reader.closed()


def _applies(name: str, condition: str) -> bool:
    """Whether what stands inside an at-rule is seen on an ordinary screen."""
    if name == "@media":
        return is_for_screen(condition)
    return is_supported(condition) if name == "@supports" else True


def _nested(around: tuple[str, ...], head: str) -> Iterator[str]:
    """The selectors of a rule, those of the rules round it put in front, or in place of `&`."""
    count = 0
    for part in split_outside(head, ","):
        inner = part.strip()
        for outer in around or ("",):
            count += 1
            if not inner or count > MAX_SELECTORS or len(inner) + inner.count("&") * len(outer) > MAX_SELECTOR_CHARS:
                continue
            if not outer:
                yield inner
            else:
                yield inner.replace("&", outer) if "&" in inner else f"{outer} {inner}"
