"""CSS selectors of callers: checked before a page is fetched, applied after."""

import re
from typing import TYPE_CHECKING

from gossamer.errors import InvalidArgument
from gossamer.extractors.invisible_characters import UNHELD

if TYPE_CHECKING:
    from gossamer.extractors.html.tree import Element

MAX_SELECTOR_CHARS = 1_000
_MAX_MATCHES = 2_000
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def check_selector(css: str) -> None:
    """Raise for a selector that cannot be understood, so that nobody fetches a page in vain."""
    xpath_of(css)


def xpath_of(css: str) -> str:
    """The path that selects the same elements."""
    from cssselect import HTMLTranslator, SelectorError

    if len(css) > MAX_SELECTOR_CHARS:
        raise InvalidArgument(
            f"The selector is longer than {MAX_SELECTOR_CHARS:,} characters.", hint="Use a shorter CSS selector."
        )
    try:
        path = HTMLTranslator().css_to_xpath(css)
    except (SelectorError, RecursionError) as error:
        raise _not_usable() from error
    if UNHELD.search(path) or ":" in _QUOTED.sub("", path).replace("::", ""):  # a control character, a namespace
        raise _not_usable()
    return path


def matches(root: "Element", css: str) -> "list[Element]":
    """The outermost elements that a selector matches, in page order."""
    from gossamer.extractors.html.tree import body

    elements = body(root).xpath(xpath_of(css))
    chosen = set(elements)
    return [el for el in elements if not any(up in chosen for up in el.iterancestors())][:_MAX_MATCHES]


def _not_usable() -> InvalidArgument:
    return InvalidArgument(
        "The selector is not a CSS selector that can be used here.",
        hint="Use tags, classes, ids and attributes, e.g. `article`, `.content p`, `#main`.",
    )
