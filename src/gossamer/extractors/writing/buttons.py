"""Buttons: those that name what they show are words of the page, the others go."""

import re
from itertools import islice

from gossamer.extractors.tree import Element, attr, classes, drop_tags, drop_trees, is_element

_SHORT = 60
"""What is longer is text, whatever it stands in."""
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "legend")
_MORE = re.compile(r"\s*(?:show|read|see|view|load)\s+(?:more|less|all|full)\b", re.IGNORECASE)
_FOLDS = ("accordion", "collaps", "faq", "expand", "disclosure")


def settle_buttons(top: Element) -> None:
    """Keep the text of a button that is a title, or that folds a part of the content; take out the others."""
    buttons = [el for el in top.iter("button") if el is not top and len("".join(el.itertext())) <= _SHORT]
    if not buttons:
        return
    wanted = {_shown(button) for button in buttons} - {""}
    parts = {name for el in top.iter("*") if (name := attr(el, "id")) in wanted and _has_text(el)}
    titles = [next(button.iterancestors(*_TITLES), None) for button in buttons]
    are_titles = [title is not None and _is_all(el, title) for el, title in zip(buttons, titles, strict=True)]
    folding = [_folds(button, parts) for button in buttons]
    for button, is_title, folds in zip(buttons, are_titles, folding, strict=True):
        if folds and not is_title:
            button.tag = "p"
    drop_tags(top, [button for button, is_title in zip(buttons, are_titles, strict=True) if is_title])
    drop_trees(top, [button for button in buttons if button.tag == "button"])


def _has_text(el: Element) -> bool:
    return any(text.strip() for text in el.itertext())


def _is_all(button: Element, title: Element) -> bool:
    """Whether a title holds one button and nothing else."""
    if sum(1 for _ in islice(title.iter("button"), 2)) > 1:
        return False
    said = "".join(button.itertext()).split()
    return bool(said) and said == "".join(title.itertext()).split()


def _folds(button: Element, parts: set[str]) -> bool:
    """Whether a button, but no tab, names a part of the content as what it shows, or the class says that it does."""
    if attr(button, "role") == "tab" or any(True for _ in button.iterancestors("pre", "nav")):
        return False
    shown = _shown(button)
    if _MORE.match("".join(button.itertext())):
        return False
    if shown:
        return shown in parts
    return _opens_next(button) or any(fold in name.lower() for name in classes(button) for fold in _FOLDS)


def _shown(button: Element) -> str:
    """The name of what a button says that it shows."""
    if named := attr(button, "aria-controls"):
        return named
    is_fold = "collapse" in {attr(button, "data-toggle"), attr(button, "data-bs-toggle")}
    target = (attr(button, "data-bs-target") or attr(button, "data-target")) if is_fold else ""
    return target[1:] if target.startswith("#") else ""


def _opens_next(button: Element) -> bool:
    """Whether a button that opens something stands first in its box, and text right behind it."""
    behind = button.getnext()
    if "aria-expanded" not in button.attrib or attr(button, "aria-haspopup") not in {"", "false"}:
        return False
    return button.getprevious() is None and behind is not None and is_element(behind) and _has_text(behind)
