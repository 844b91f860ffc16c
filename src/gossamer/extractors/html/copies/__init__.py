"""Copies: the text of a page that a script would show, read from where the page carries it.

Applications send their pages as data beside an empty frame: in `noscript`, in the state that React, Next.js, Nuxt or
Apollo start from, in JSON-LD, in the data of a shop's product. Where the page itself has no or much less running text,
the best of these copies takes its place in the tree, before anybody asks what can be seen: it is parsed and cleaned as
the page is.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple, cast

from gossamer.extractors.html.copies.json_prose import is_prose, prose_of, strings_of
from gossamer.extractors.html.copies.react_flight import pushed, streamed_page
from gossamer.extractors.html.metadata.structured_data import Node
from gossamer.extractors.html.tidy import tidy
from gossamer.extractors.html.tree import Element, attr, body, element, inner_html, is_element, outermost, parse, words
from gossamer.extractors.html.visibility.strip_hidden import NEVER_SHOWN

_MUCH = 3_000
"""Characters of running text in the body, visible or not, of a page whose copies nobody looks at."""
_LITTLE = 200
"""As much running text that can be seen is a page."""
_LEAST = 400
_TIMES = 3
"""A copy says as many times as much as all that can be seen, menus and links included."""
_WHOLE = 10
"""So it is for what any page may hold beside its text."""
_NEARLY = 0.6
_DESCRIPTION_CHARS = 2_000
_NOTHING = 20
_MAX_SCRIPTS = 200
_MAX_SCRIPT_CHARS = 6_000_000
_NO_PROSE = frozenset({"a", "h1", "h2", "h3", "h4", "h5", "h6", "nav", "footer", "button", "label", "form", "dialog"})
_UNREAD = NEVER_SHOWN | _NO_PROSE
_STATE = re.compile(
    r"(?:\b(?:window|self|globalThis)\s*(?:\.|\[\s*[\"'])\s*|\b(?:var|let|const)\s+)"
    r"(__\w{2,40}__|__\w{0,40}(?:STATE|DATA|CONTEXT|context|Context)\w{0,20}|initialState|pageData)"
    r"(?:[\"']\s*\])?\s*=\s*"
)
_PARSED = re.compile(r"JSON\.parse\(\s*(?:decodeURIComponent\()?\s*")
_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"")
_NAMES = {"__NUXT__": "Nuxt data", "__APOLLO_STATE__": "Apollo data", "__NEXT_DATA__": "Next.js data"}
_PRODUCT = re.compile(r"product", re.IGNORECASE)
_LD = "application/ld+json"
_OF_SITE = frozenset(
    {"BreadcrumbList", "ListItem", "WebSite", "Organization", "SearchAction", "ImageObject", "WebPage"}
)
_LD_TEXTS = ("articleBody", "text", "description", "reviewBody", "recipeInstructions", "acceptedAnswer")
_DECODER = json.JSONDecoder(strict=False)


class Copy(NamedTuple):
    """The text of a page as it is carried in another part of it."""

    name: str
    """Where it stands, for the reader of a note."""
    html: str
    size: int
    """Characters of text."""
    is_for_readers: bool = False
    """It is written to be read, and not to be worked with."""
    is_summary: bool = False
    """It only says what the text is about."""


def copies_in(root: Element, structured: list[Node]) -> tuple[Copy, ...]:
    """The copies of its text that a page carries; none of a page that has much text in its body, visible or not."""
    if _prose(root) >= _MUCH:
        return ()
    copies = [copy for copy in _copies(root, structured) if copy.size >= _LEAST]
    return (*copies, *_description(root))


def best_copy(root: Element, copies: tuple[Copy, ...]) -> Copy | None:
    """The best of them where next to nothing else can be read; the hidden parts of the page are out by now.

    Beside a page that its reader sees, a copy could say anything: it is not read.
    """
    own, beside = _prose(root), len(words(body(root)))
    if own >= _LITTLE:
        return None
    whole = [
        copy
        for copy in copies
        if not copy.is_summary and copy.size >= beside * (_WHOLE if copy.is_for_readers else _TIMES)
    ]
    largest = max((copy.size for copy in whole), default=0)
    best = next((copy for copy in whole if copy.size >= _NEARLY * largest), None)
    return best or next((copy for copy in copies if copy.is_summary and beside < _NOTHING), None)


def place_copy(root: Element, copy: Copy) -> None:
    """Put a copy of a page's text into its body, as an article; what hides in it by itself is out already."""
    page = parse(tidy(copy.html)[0])
    if page is None:
        return
    article, inside = element("article"), body(page)
    article.text = inside.text
    for node in list(inside):
        article.append(node)
    body(root).append(article)


def _prose(root: Element) -> int:
    """How much text stands in the body outside of links, headings and controls; as much as matters."""
    size = 0
    stack = [body(root)]
    while stack and size < _MUCH:
        el = stack.pop()
        size += len((el.text or "").strip())
        for child in el:
            size += len((child.tail or "").strip())
            if child.tag not in _UNREAD and is_element(child):
                stack.append(child)
    return size


def _copies(root: Element, structured: list[Node]) -> Iterator[Copy]:
    """All copies, those first that are nearest to what a reader would see."""
    for el in outermost(body(root), ("noscript",)):
        yield Copy("its `noscript` part", inner_html(el), len(words(el)), is_for_readers=True)
    scripts = [el for el, _ in zip(root.iter("script"), range(_MAX_SCRIPTS), strict=False)]
    codes = [text for el in scripts if (text := el.text) and len(text) <= _MAX_SCRIPT_CHARS]
    if stream := pushed([code for code in codes if "__next_f" in code]):
        yield Copy("its Next.js stream", *streamed_page(stream))
    for el in scripts:
        kind = attr(el, "type").partition(";")[0].strip().lower()
        if kind == "application/json" and len(el.text or "") <= _MAX_SCRIPT_CHARS:
            yield from _json_copy(el)
    for code in codes:
        yield from _states(code)
    yield Copy("its JSON-LD", *_linked(structured), is_for_readers=True)


def _description(root: Element) -> Iterator[Copy]:
    """What a page that tells when it was published says of itself."""
    told = {attr(el, "property").lower() or attr(el, "name").lower(): attr(el, "content") for el in root.iter("meta")}
    text = max((told.get(name, "").strip() for name in ("og:description", "description")), key=len)
    if "article:published_time" in told and len(text) >= _LITTLE:
        html = f"<p>{escape(text[:_DESCRIPTION_CHARS])}</p>"
        yield Copy(
            "its own description, which is no more than a summary",
            html,
            len(text),
            is_for_readers=True,
            is_summary=True,
        )


def _json_copy(script: Element) -> Iterator[Copy]:
    try:
        value = json.loads(script.text or "", strict=False)
    except (ValueError, RecursionError):
        return
    name = attr(script, "id")
    if name == "__NUXT_DATA__" and isinstance(value, list):
        value = _unflattened(cast("list[object]", value))
    about = f"{name} {attr(script, 'class')} {' '.join(script.keys())}"
    where = _NAMES.get(name, "Nuxt data" if "NUXT" in name else "product data" if _PRODUCT.search(about) else "data")
    yield Copy(f"its {where}", *prose_of(value))


def _states(code: str) -> Iterator[Copy]:
    """What a script sets as the state that an application starts from."""
    for match, _ in zip(_STATE.finditer(code), range(_MAX_SCRIPTS), strict=False):
        where = f"its {_NAMES.get(match[1], 'data')}"
        value = _value_at(code, match.end())
        if value is None:
            end = code.find("</script", match.end())
            strings = (
                str(text)
                for literal in _LITERAL.finditer(code, match.end(), end if end > 0 else len(code))
                if (text := _loaded(literal[0])) is not None
            )
            yield Copy(where, *strings_of(text for text in strings if "<" in text or is_prose(text)))
            return
        yield Copy(where, *prose_of(value))


def _value_at(code: str, at: int) -> object:
    """The JSON value that stands at a place of a script, or that it parses there; None where there is none."""
    parsed = _PARSED.match(code, at)
    try:
        value, _ = cast("tuple[object, int]", _DECODER.raw_decode(code, parsed.end() if parsed else at))
        return json.loads(value, strict=False) if parsed and isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None


def _loaded(literal: str) -> object:
    try:
        return json.loads(literal, strict=False)
    except ValueError:
        return None


def _unflattened(values: list[object]) -> object:
    """What Nuxt wrote as one list, in which numbers stand for other places of it; each place once."""
    met: set[int] = set()

    def at(place: object, depth: int) -> object:
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(values):
            return place
        value = values[place]
        if isinstance(value, dict | list):
            if place in met or depth > 40:
                return None
            met.add(place)
            if isinstance(value, dict):
                return {key: at(inner, depth + 1) for key, inner in cast("dict[str, object]", value).items()}
            return [at(inner, depth + 1) for inner in cast("list[object]", value)]
        return value

    return at(0, 0)


def _linked(structured: list[Node]) -> tuple[str, int]:
    """The nodes of the page's JSON-LD that say something of its subject."""
    told = [node for node in structured if str(node.get("@type", "")) not in _OF_SITE]
    told = [node for node in told if any(isinstance(node.get(name), str | list | dict) for name in _LD_TEXTS)]
    return prose_of(told)
