"""Footnotes: the reference in the text and the note it stands for get the same label."""

import re
from itertools import islice

from gossamer.extractors.html.tree import Element, attr, classes

_LABEL = re.compile(r"[\[(]?\s*(?P<label>[\w*†‡§¶.-]{1,8})\s*[\])]?")
_HINT = re.compile(r"foot-?note|end-?note|note-?ref|^fn|[-_]fn|cite[-_]|reference|sidenote|ftn", re.IGNORECASE)
_BACK = re.compile(
    r"[\s\[\]()^↑↩↵⏎⬆⤴↖←\ufe0e\ufe0f]*(?:jump up|jump up to|back|return|go back|back to (?:text|content|reference))?"
    r"[\s\[\]()^↑↩↵⏎⬆⤴↖←\ufe0e\ufe0f:]*",
    re.IGNORECASE,
)
_NOTE_TAGS = frozenset({"li", "p", "div", "aside", "dd", "dt", "section", "span", "td"})
_BACK_CHARS = 40
_MAX_PIECES = 20


def join_notes(top: Element, page_url: str) -> None:
    """Write references as `[1]`, give their notes the same number, and remove the ways back."""
    page = page_url.partition("#")[0]
    links = [(link, name) for link in top.iter("a") if (name := _fragment(link, page))]
    wanted = {name for _, name in links}
    targets = {attr(el, "id"): el for el in top.xpath(".//*[@id]") if attr(el, "id") in wanted} if wanted else {}
    for link, name in links:
        text, note = _short(link), targets.get(name)
        match = _LABEL.fullmatch(text)
        if match and _is_reference(link, note):
            _to_number(link, match["label"])
            if note is not None:
                _number(note, match["label"])
        elif note is not None and 0 < len(text) <= _BACK_CHARS and _BACK.fullmatch(text) and _is_in_note(link):
            link.drop_tree()


def _short(link: Element) -> str:
    """The text of a link, empty when it is longer than a sign."""
    pieces = list(islice(link.itertext(), _MAX_PIECES + 1))
    return " ".join("".join(pieces).split()) if len(pieces) <= _MAX_PIECES else ""


def _fragment(link: Element, page: str) -> str:
    href = attr(link, "href")
    before, _, name = href.strip().partition("#") if "#" in href else (href, "", "")
    return name if before in {"", page} else ""


def _is_reference(link: Element, note: Element | None) -> bool:
    """Whether a link leads to a note: raised above the line, or said so at both ends."""
    parent = link.getparent()
    if (parent is not None and parent.tag == "sup") or next(link.iter("sup"), None) is not None:
        return note is None or note.tag in _NOTE_TAGS
    says_so = _says_note(link) or (parent is not None and _says_note(parent))
    return says_so and note is not None and note.tag in _NOTE_TAGS and _says_note(note)


def _says_note(el: Element) -> bool:
    names = (*classes(el), attr(el, "id"), attr(el, "role"), attr(el, "href").rpartition("#")[2])
    return any(_HINT.search(name[:80]) for name in names if name)


def _is_in_note(link: Element) -> bool:
    """Whether a link stands in a note, near its edge."""
    at: Element | None = link
    for _ in range(4):
        at = at.getparent() if at is not None else None
        if at is not None and _says_note(at):
            return True
    return False


def _to_number(link: Element, label: str) -> None:
    """Make a reference plain text in brackets."""
    for child in list(link):
        child.tail = ""
        child.drop_tree()
    link.text = f"[{label}]"
    parent = link.getparent()
    if parent is not None and parent.tag == "sup":
        parent.tag = "span"
    link.drop_tag()


def _number(note: Element, label: str) -> None:
    """Let a note begin with its number, unless it does already."""
    if note.tag == "li" and label.isascii() and label.isdigit():
        note.set("value", label)
        return
    begin = "".join(islice(note.itertext(), 8)).lstrip()
    if not begin.lstrip("[(^ ").startswith(label):
        first = next((el for el in note if el.tag == "p" and not (note.text or "").strip()), note)
        first.text = f"[{label}] {first.text or ''}"
