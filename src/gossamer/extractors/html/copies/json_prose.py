"""JSON prose: what an application's data says to readers, written as HTML in the order of the data.

Names, addresses and settings stand beside the text, and nobody says which is which. So a string is text where it is
long enough for prose, or is markup, or stands under a name that titles have.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import cast

MAX_NODES = 100_000
MAX_CHARS = 1_000_000
_MAX_DEPTH = 60
_TITLE_CHARS = 200
_PROSE_CHARS = 40
_WIDE = re.compile("[\u0e00-\u0eff\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_MARKUP = re.compile(
    r"<(?:p|div|h[1-6]|ul|ol|li|br|span|strong|em|b|i|a|table|figure|img|section|pre|blockquote)\b", re.IGNORECASE
)
_NO_PROSE = re.compile(
    r"^(?:https?://|data:|/|[\[{#.@]|[\w+/=-]{60,}$|M[\d.-]+[ ,])|[{};]\s*$|function\s*\(|=>|\}\s*\{"
)
_TITLES = ("headline", "title", "name", "heading", "question", "label")
_BODIES = ("articleBody", "reviewBody", "description", "text", "body", "content", "html", "answer", "summary")
_SKIPPED_NAMES = (
    r"url|uri|href|src|srcset|link|slug|path|route|class(?:name)?|style|css|token|hash|image|thumbnail|icon|svg|seo|og|"
    r"twitter|config|settings|env|translations?|messages|i18n|locales?|dictionary|intl|query|buildid|__typename|"
    r"analytics|tracking|experiments?|flags|features|schema|meta(?:data|tags)?|head|scripts?|cookies?|consent|"
    r"navigation|nav|menus?|footer|header|breadcrumbs?|errors?|permissions?|headers|labels|strings|ads?|newsletter"
)
_SKIPPED = re.compile(rf"(?:{_SKIPPED_NAMES}|.*(?:url|href|token|hash|json|slug|css|classname))", re.IGNORECASE)
_KINDS = ("type", "nodeType", "_type", "name", "tag", "tagName")
_INSIDES = ("content", "children", "nodes", "spans")
_TAGS = {
    **{f"{name}{level}": f"h{level}" for name in ("heading-", "heading", "h") for level in range(1, 7)},
    **dict.fromkeys(("paragraph", "p", "block"), "p"),
    **dict.fromkeys(("list-item", "listitem", "list_item", "li"), "li"),
    **dict.fromkeys(("unordered-list", "bulletlist", "bullet_list", "bulleted-list", "ul"), "ul"),
    **dict.fromkeys(("ordered-list", "orderedlist", "ordered_list", "numbered-list", "ol"), "ol"),
    **dict.fromkeys(("blockquote", "quote"), "blockquote"),
    **dict.fromkeys(("code", "codeblock", "code_block", "code-block", "pre"), "pre"),
    **dict.fromkeys(("heading",), "h2"),
}
_OPEN_ENDED = frozenset({"text", "span", "root", "document", "doc", "hyperlink", "link", "a", "strong", "em", "body"})


def prose_of(value: object) -> tuple[str, int]:
    """The text of a JSON value as HTML, and how many characters of prose that is."""
    writer = _Writer()
    writer.write(value, "", 0)
    return "".join(writer.pieces), writer.size


def strings_of(texts: Iterator[str]) -> tuple[str, int]:
    """The same of strings without names, in their order."""
    writer = _Writer()
    for text in texts:
        writer.text(text)
        if writer.is_full:
            break
    return "".join(writer.pieces), writer.size


def is_prose(text: str) -> bool:
    """Whether a string is written for readers."""
    size = len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text[:500]))
    if size < _PROSE_CHARS or _NO_PROSE.search(text[:2_000]):
        return False
    return text.count(" ") * 15 >= min(len(text), 2_000) or bool(_WIDE.search(text[:500]))


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self._nodes = 0
        self._known: set[str] = set()

    @property
    def is_full(self) -> bool:
        return self._nodes > MAX_NODES or self.size > MAX_CHARS

    def write(self, value: object, name: str, depth: int) -> None:
        """Write a value and all in it."""
        self._nodes += 1
        if self.is_full or depth > _MAX_DEPTH:
            return
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, list):
            for item in cast("list[object]", value):
                self.write(item, name, depth + 1)
        elif isinstance(value, dict):
            self._object(cast("dict[str, object]", value), depth)

    def text(self, text: str) -> None:
        """Write a string that reads like text."""
        text = text.strip()
        if text in self._known or len(text) < _PROSE_CHARS // 2:
            return
        if _MARKUP.search(text[:5_000]):
            self._known.add(text)
            self.pieces.append(f"<div>{text[:MAX_CHARS]}</div>")
            self.size += len(re.sub(r"<[^<>]*>", "", text[:MAX_CHARS]))
        elif is_prose(text):
            self._known.add(text)
            self.size += len(text)
            self.pieces.extend(f"<p>{escape(part, quote=False)}</p>" for part in text.split("\n") if part.strip())

    def _object(self, fields: dict[str, object], depth: int) -> None:
        if rich := self._rich(fields, depth):
            self._known.add(rich)
            self.pieces.append(rich)
            self.size += len(re.sub(r"<[^<>]*>", "", rich))
            return
        start, size = len(self.pieces), self.size
        title = next((text for key in _TITLES if (text := _line(fields.get(key)))), "")
        author = _author(fields)
        rest = sorted(fields, key=lambda key: key not in _BODIES)
        for key in rest:
            if key not in _TITLES and not _SKIPPED.fullmatch(key):
                self.write(fields[key], key, depth + 1)
        price = _price(fields)
        if not title or (self.size == size and not price) or title in self._known:
            return
        self._known.add(title)
        head = f"<h2>{escape(title, quote=False)}</h2>" if self.size > size else f"<p>{escape(title, quote=False)}</p>"
        facts = "".join(f"<p>{escape(fact, quote=False)}</p>" for fact in (author, price) if fact)
        self.pieces.insert(start, head + facts)

    def _rich(self, fields: dict[str, object], depth: int) -> str:
        """A node of an editor's tree of text, and all in it; empty for anything else."""
        inside = next((fields[key] for key in _INSIDES if isinstance(fields.get(key), list)), None)
        kind = next((str(fields[key]).lower() for key in _KINDS if isinstance(fields.get(key), str)), "")
        if inside is None or not (kind in _TAGS or kind in _OPEN_ENDED):
            return ""
        parts: list[str] = []
        for child in cast("list[object]", inside):
            self._nodes += 1
            if self.is_full or depth > _MAX_DEPTH or not isinstance(child, dict):
                continue
            node = cast("dict[str, object]", child)
            text = node.get("text", node.get("value"))
            if isinstance(text, str):
                parts.append(escape(text, quote=False))
            else:
                parts.append(self._rich(node, depth + 1))
        if not any(part.strip() for part in parts):
            return ""
        tag = _TAGS.get(kind, "div" if kind in {"root", "document", "doc", "body"} else "span")
        return f"<{tag}>{''.join(parts)}</{tag}>"


def _line(value: object) -> str:
    """A short text on one line; empty for anything else."""
    text = " ".join(value.split()) if isinstance(value, str) and len(value) <= _TITLE_CHARS else ""
    return "" if _NO_PROSE.search(text) or _MARKUP.search(text) else text


def _author(fields: dict[str, object]) -> str:
    author = fields.get("author")
    first = next(iter(cast("list[object]", author)), None) if isinstance(author, list) else author
    return _line(cast("dict[str, object]", first).get("name") if isinstance(first, dict) else first)


def _price(fields: dict[str, object]) -> str:
    price = fields.get("price")
    if isinstance(price, dict):
        price = cast("dict[str, object]", price).get("formatted", cast("dict[str, object]", price).get("amount"))
    if isinstance(price, float):
        return f"{price:.2f}"
    if isinstance(price, int) and not isinstance(price, bool) and isinstance(fields.get("variants"), list):
        return f"{price / 100:.2f}"
    return price if isinstance(price, str) and 0 < len(price) <= 20 and any(map(str.isdigit, price)) else ""
