"""Which blocks of a page are its content: trafilatura reads, and its choice is marked on the page's own tree.

Its own output would lose code languages, table cells and headings; the page's tree keeps them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from gossamer.extractors.tree import Element, attr, body, classes, element, words

MAX_ELEMENTS = 20_000
"""A larger page is cut by its landmarks alone: choosing costs more than a page may."""

_FEW_TOKENS = 60
"""A choice this small out of a page ten times as long is a miss."""
_STRAY = 0.15
"""Up to this share of the chosen words outside the main part are strays: breadcrumbs, a contents list."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+")
_SHINGLE = 4
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_GROUPS = ("table", "ul", "ol", "dl")
_BLOCKS_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hgroup hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = _HEADINGS | frozenset(_BLOCKS_NAMES.split())
_LANDMARKS = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})
_POST = re.compile(
    r"^(?:post|message|reply|answer|comment|topic|entry)(?:[-_]?(?:body|content|text|item|message|inner))?$",
    re.IGNORECASE,
)


@dataclass(kw_only=True, slots=True)
class _Unit:
    """The text that stands in a block and in no block inside it."""

    block: Element
    tokens: list[str]
    has_image: bool = False
    is_kept: bool = False


def main_content(root: Element, *, is_thread: bool) -> Element:
    """Leave only the content in the tree's body and return it; everything when no content can be told apart."""
    whole = body(root)
    if sum(1 for _ in root.iter("*")) > MAX_ELEMENTS:
        return landmarks_removed(whole)
    chosen = _chosen(root, is_thread=is_thread)
    units = _units(whole)
    size = sum(map(len, chosen))
    if not size or (size < _FEW_TOKENS and size * 10 < sum(len(unit.tokens) for unit in units)):
        return landmarks_removed(whole)
    _mark(units, chosen)
    _mend(units)
    _keep_to_main(whole, units)
    if not any(unit.is_kept for unit in units):
        return landmarks_removed(whole)
    _prune(whole, units)
    return whole


def looks_like_thread(root: Element) -> bool:
    """Whether most of the page's text stands in repeated posts."""
    posts = [el for el in root.iter("div", "li", "article", "section", "td") if any(map(_POST.match, classes(el)))]
    outer = [el for el in posts if not any(any(map(_POST.match, classes(up))) for up in el.iterancestors())]
    return len(outer) >= 3 and sum(len(words(el)) for el in outer) > 0.5 * len(words(body(root)))


def landmarks_removed(whole: Element) -> Element:
    """The page's main part, or all of it, without navigation, banners and footers."""
    mains = [el for el in whole.iter("*") if el.tag == "main" or attr(el, "role") == "main"]
    mains = mains or list(whole.iter("article"))
    top = mains[0] if len(mains) == 1 and len(words(mains[0])) > 0.3 * len(words(whole)) else whole
    for el in list(top.iter("*")):
        is_aside = el.tag in {"nav", "footer", "aside"} or attr(el, "role").lower() in _LANDMARKS
        if el is not top and (is_aside or (el.tag == "header" and not any(True for _ in el.iter("h1")))):
            el.drop_tree()
    return top


def _chosen(root: Element, *, is_thread: bool) -> list[list[str]]:
    """The tokens of each block that trafilatura keeps."""
    from trafilatura import bare_extraction

    try:
        document = cast(
            "Any",
            bare_extraction(
                cast("Any", root),
                include_comments=is_thread,
                include_tables=True,
                include_formatting=True,
                include_links=True,
            ),
        )
    except RecursionError:
        return []
    if document is None:
        return []
    parts = [
        cast("Element | None", document.body),
        cast("Element | None", document.commentsbody if is_thread else None),
    ]
    found: list[list[str]] = []
    for part in parts:
        for el in part.iter("*") if part is not None else ():
            tokens = _tokens("".join(el.itertext())) if el.tag in {"p", "head", "item", "cell", "code", "quote"} else []
            if tokens:
                found.append(tokens)
    return found


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _units(whole: Element) -> list[_Unit]:
    """The page's text by blocks, in page order."""
    units: list[_Unit] = []
    texts: list[list[str]] = []
    stack: list[tuple[Element, int, bool]] = [(whole, -1, False)]
    while stack:
        el, at, is_end = stack.pop()
        if is_end:
            texts[at] += [" " if el.tag in _BLOCKS else "", el.tail or ""]
            continue
        if at >= 0:
            stack.append((el, at, True))
        if el.tag in _BLOCKS:
            at = len(units)
            units.append(_Unit(block=el, tokens=[]))
            texts.append([])
        units[at].has_image |= el.tag == "img"
        texts[at].append(" " if el.tag == "br" else el.text or "")
        stack.extend((child, at, False) for child in reversed(list(el)))
    for unit, text in zip(units, texts, strict=True):
        unit.tokens = _tokens("".join(text))
    return [unit for unit in units if unit.tokens or unit.has_image]


def _shingles(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(tokens[at : at + _SHINGLE]) for at in range(len(tokens) - _SHINGLE + 1)]


def _mark(units: Sequence[_Unit], chosen: Sequence[Sequence[str]]) -> None:
    """Keep the blocks whose words were chosen."""
    known = {shingle for tokens in chosen for shingle in _shingles(tokens)}
    short = {tuple(tokens) for tokens in chosen if len(tokens) < _SHINGLE}
    for unit in units:
        shingles = _shingles(unit.tokens)
        if shingles:
            unit.is_kept = sum(shingle in known for shingle in shingles) >= 0.6 * len(shingles)
        else:
            unit.is_kept = tuple(unit.tokens) in short


def _mend(units: Sequence[_Unit]) -> None:
    """Close the gaps: whole tables and lists, headings of kept text, code and pictures within it."""
    by_group: dict[Element, list[_Unit]] = {}
    for unit in units:
        for group in [unit.block, *unit.block.iterancestors(*_GROUPS)]:
            if group.tag in _GROUPS:
                by_group.setdefault(group, []).append(unit)
    for group, inside in by_group.items():
        kept = sum(len(unit.tokens) for unit in inside if unit.is_kept)
        if kept >= 0.5 * sum(len(unit.tokens) for unit in inside) and not any(True for _ in group.iterancestors("nav")):
            for unit in inside:
                unit.is_kept = True
    following = False
    for unit in reversed(units):
        if unit.block.tag in _HEADINGS:
            unit.is_kept = unit.is_kept or following
        else:
            following = unit.is_kept
    _close_gaps([unit for unit in units if unit.tokens])
    _close_gaps(units)


def _keep_to_main(whole: Element, units: Sequence[_Unit]) -> None:
    """Where nearly all that was chosen stands in the page's one main part, what stands outside it was a mistake."""
    mains = [el for el in whole.iter("*") if el.tag == "main" or attr(el, "role") == "main"]
    if len(mains) != 1:
        return
    outside = [unit for unit in units if unit.is_kept and mains[0] not in [unit.block, *unit.block.iterancestors()]]
    lost = sum(len(unit.tokens) for unit in outside)
    if lost <= _STRAY * sum(len(unit.tokens) for unit in units if unit.is_kept):
        for unit in outside:
            unit.is_kept = unit.block.tag == "h1"


def _close_gaps(units: Sequence[_Unit]) -> None:
    """Keep captions and pictures between kept blocks, and code beside one."""
    for before, unit, after in zip(units, units[1:], units[2:], strict=False):
        is_code = unit.block.tag == "pre"
        if (is_code and (before.is_kept or after.is_kept)) or (before.is_kept and after.is_kept and _is_minor(unit)):
            unit.is_kept = True


def _is_minor(unit: _Unit) -> bool:
    return unit.block.tag in {"figcaption", "summary", "dt"} or not unit.tokens


def _prune(whole: Element, units: Sequence[_Unit]) -> None:
    """Remove the blocks that are not kept, from the inside out."""
    kept = {unit.block for unit in units if unit.is_kept}
    needed = kept | {up for block in kept for up in block.iterancestors()}
    for unit in units:
        if unit.block in needed and unit.block not in kept:
            _strip_own(unit.block)
    for el in [el for el in whole.iter(*_BLOCKS) if el not in needed]:
        if el.getparent() is not None and el.tag != "hr":
            el.drop_tree()


def _strip_own(block: Element) -> None:
    """Remove the text that stands in a block itself, leaving the blocks inside it."""
    block.text = ""
    for child in list(block):
        child.tail = ""
        if child.tag not in _BLOCKS and not any(True for _ in child.iter(*_BLOCKS)):
            child.drop_tree()


def gather(parts: Sequence[Element]) -> Element:
    """Put elements, in order, into one new block."""
    top = element("div")
    for part in parts:
        part.tail = ""
        top.append(part)
    return top
