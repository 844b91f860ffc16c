"""Formulas as text: their TeX source where the page has it, else what their MathML says, each of them once."""

import re
from collections.abc import Sequence
from itertools import islice

from gossamer.extractors.html.tree import Element, attr, classes

_MAX_SOURCE = 4_000
_MAX_PARTS = 400
"""A formula of more parts is written as its bare text."""
_PICTURE = re.compile(r"math|latex|\btex\b", re.IGNORECASE)
_DISPLAY_STYLE = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
_DRAWN = frozenset({"katex-html", "mathjax_preview", "mjx-math", "mathjax_svg", "mathjax_chtml"})
_BETWEEN = {"mfrac": "/", "msup": "^", "msub": "_", "mover": "^", "munder": "_"}
_THREE = frozenset({"msubsup", "munderover"})


def write_formulas(top: Element) -> None:
    """Show every formula once, as text between dollar signs where its source is TeX."""
    maths = list(top.iter("math"))
    if maths:
        _drop_drawn(top)
    inner: set[Element] = set()
    for math in maths:
        if math not in inner:
            inner.update(math.iter("math"))
            _write(math)
    for img in list(top.iter("img")):
        if _PICTURE.search(attr(img, "class")) and attr(img, "alt").strip():
            _become(img, f"${_bare(attr(img, 'alt')[:_MAX_SOURCE])}$")


def _write(math: Element) -> None:
    note = next((el for el in math.iter("annotation") if "tex" in attr(el, "encoding").lower()), None)
    source = _bare("".join(note.itertext())) if note is not None else ""
    if source and len(source) <= _MAX_SOURCE:
        sign = "$$" if attr(math, "display") == "block" else "$"
        _become(math, f"{sign}{source}{sign}")
    else:
        _become(math, _linear(math))


def _bare(source: str) -> str:
    source = " ".join(source.split())
    match = _DISPLAY_STYLE.fullmatch(source)
    return match[1].strip() if match else source


def _become(el: Element, text: str) -> None:
    for child in list(el):
        child.tail = ""
        child.drop_tree()
    el.attrib.clear()
    el.tag, el.text = "span", text


def _drop_drawn(top: Element) -> None:
    """Remove what draws a formula beside the marks that say it."""
    for el in list(top.iter("*")):
        is_drawn = el.tag in _DRAWN or (el.tag == "img" and bool(_PICTURE.search(attr(el, "class"))))
        if is_drawn or (el.tag in {"span", "div"} and _DRAWN & {name.lower() for name in classes(el)}):
            beside = (el.getprevious(), el.getnext())
            if any(_says_formula(other) for other in beside if other is not None):
                el.drop_tree()


def _says_formula(el: Element) -> bool:
    return any(part.tag == "math" for part in islice(el.iter("*"), 5))


def _linear(math: Element) -> str:
    """A formula without a source on one line, its parts from the inside out."""
    parts = list(math.iter("*"))
    if len(parts) > _MAX_PARTS:
        return " ".join("".join(math.itertext()).split())
    written: dict[Element, str] = {}
    for part in reversed(parts):
        inner = [written[child] for child in part if child in written]
        written[part] = _linear_part(part, inner)
    return written[math]


def _linear_part(part: Element, inner: Sequence[str]) -> str:
    if part.tag in {"annotation", "annotation-xml"}:
        return ""
    if part.tag in _BETWEEN and len(inner) == 2:
        return f"{_grouped(inner[0])}{_BETWEEN[part.tag]}{_grouped(inner[1])}"
    if part.tag in _THREE and len(inner) == 3:
        return f"{_grouped(inner[0])}_{_grouped(inner[1])}^{_grouped(inner[2])}"
    if part.tag == "msqrt":
        return f"sqrt({''.join(inner)})"
    if part.tag == "mroot" and len(inner) == 2:
        return f"root({inner[0]}, {inner[1]})"
    if part.tag == "mtr":
        return f"{', '.join(inner)}; "
    own = " ".join((part.text or "").split())
    return f" {own} " if part.tag == "mo" and own in {"=", "<", ">", "≤", "≥", "≠", "≈", "→"} else own + "".join(inner)


def _grouped(text: str) -> str:
    bare = text.strip()
    return bare if len(bare) <= 1 or bare.isalnum() else f"({bare})"
