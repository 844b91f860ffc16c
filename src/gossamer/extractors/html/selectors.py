"""CSS selectors of callers: checked before a page is fetched, applied after."""

from typing import TYPE_CHECKING

from gossamer.errors import InvalidArgument

if TYPE_CHECKING:
    from gossamer.extractors.html.tree import Element

MAX_SELECTOR_CHARS = 1_000
_MAX_MATCHES = 2_000


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
        return HTMLTranslator().css_to_xpath(css)
    except (SelectorError, RecursionError) as error:
        raise InvalidArgument(
            "The selector is not a CSS selector that can be used here.",
            hint="Use tags, classes, ids and attributes, e.g. `article`, `.content p`, `#main`.",
        ) from error


def matches(root: "Element", css: str) -> "list[Element]":
    """The outermost elements that a selector matches, in page order."""
    from gossamer.extractors.html.tree import body

    elements = body(root).xpath(xpath_of(css))
    chosen = set(elements)
    return [el for el in elements if not any(up in chosen for up in el.iterancestors())][:_MAX_MATCHES]
