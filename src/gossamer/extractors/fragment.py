"""A piece of HTML inside another document, as its reader would see it."""

from gossamer.extractors.prescan import prescan
from gossamer.extractors.sight.hidden import strip_hidden
from gossamer.extractors.tree import body, drop_trees, parse, serialise, words

_UNREAD = ("script", "style", "noscript", "template", "iframe", "object", "form", "nav")


def seen(text: str) -> tuple[str, int, bool]:
    """The piece without what is hidden: its HTML, how much was hidden, and whether it has a heading."""
    text = text.replace("\x00", "")
    if "<" not in text and "&" not in text:
        return text, 0, False
    prescan(text)
    root = parse(text)
    if root is None:
        return "", 0, False
    hidden = strip_hidden(root)
    drop_trees(root, list(root.iter(*_UNREAD)))
    top = body(root)
    top.tag = "div"
    has_heading = any(words(el) for el in top.iter("h1", "h2", "h3"))
    return (serialise(top) if words(top) else "", hidden, has_heading)
