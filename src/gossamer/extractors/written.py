"""A document that is no web page, told as one: the same views, selectors and cleaning for every format."""

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.about.links import read_links
from gossamer.extractors.characters import clean_line
from gossamer.extractors.select import matches
from gossamer.extractors.tree import Element, body, copy, element, parse, words
from gossamer.extractors.writing.listings import settle_code
from gossamer.extractors.writing.render import render
from gossamer.extractors.writing.tidy import tidy
from gossamer.model.page import Extracted, PageInfo, View


def written(
    html: str,
    *,
    view: View,
    url: str = "",
    title: str = "",
    info: PageInfo | None = None,
    hidden: int = 0,
    message: str = "",
    headings: tuple[str, ...] = ("h1", "h2", "h3"),
) -> Extracted:
    """Put a document's blocks into the wanted form; without a title of its own the first of its `headings` names it."""
    root = parse(html)
    if root is None or not words(body(root)):
        raise EmptyPage("The document holds no text.", hint="Look for another version of the document.")
    top, about = body(root), info or PageInfo()
    title = clean_line(title, limit=300) or _first_heading(root, headings)
    if view.selector:
        parts = matches(root, view.selector)
        if not parts:
            said = "Nothing in the document matches the selector; without it the whole text is read."
            return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=said)
        top = element("div")
        for part in parts:
            chosen = copy(part)
            chosen.tail = None
            top.append(chosen)
    settle_code(top, with_links=view.include_links)
    hidden += tidy(top, view, base=url, page_url=url)
    links = read_links(top)
    text = render(top, view.format)
    if not text.strip():
        raise EmptyPage("The document holds no text.", hint="Look for another version of the document.")
    return Extracted(title=title, text=text, info=about, links=links, hidden=hidden, message=message)


def _first_heading(root: Element, names: tuple[str, ...]) -> str:
    return next((line for el in root.iter(*names) if (line := clean_line(words(el), limit=300))), "")
