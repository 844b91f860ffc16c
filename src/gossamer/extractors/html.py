"""HTML to Markdown, text or clean HTML: what its reader sees, and of that the content."""

from dataclasses import replace
from urllib.parse import urljoin

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors import walls
from gossamer.extractors.about import linked
from gossamer.extractors.about.links import read_links
from gossamer.extractors.about.meta import read_head, read_info
from gossamer.extractors.characters import clean
from gossamer.extractors.content import gather, main_content
from gossamer.extractors.prescan import prescan
from gossamer.extractors.select import matches
from gossamer.extractors.sight.hidden import strip_hidden
from gossamer.extractors.tree import Element, attr, body, copy, parse, words
from gossamer.extractors.writing.render import render
from gossamer.extractors.writing.tidy import absolute, tidy
from gossamer.model.page import Extracted, View


def read_html(text: str, *, url: str, view: View) -> Extracted:
    """Read a page; walls, logins and empty shells are raised as what they are."""
    text = text.replace("\x00", "")
    prescan(text)
    root = parse(text)
    if root is None:
        raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
    said = linked.nodes(root)
    head, base = read_head(root), _base(root, url)
    found = walls.signs(root, said)
    hidden = strip_hidden(root)
    title, info = read_info(root, said, head, url=url)
    shown = walls.look(root, title, clean(words(body(root)))[0])
    if view.selector:
        parts = matches(root, view.selector)
        walls.judge(found, shown, shown.text)
        if not parts:
            message = "Nothing on the page matches the selector; without it the whole page is read."
            return Extracted(outcome=Outcome.NO_MATCH, title=title, info=info, hidden=hidden, message=message)
        top = gather([copy(part) for part in parts])
    else:
        top = main_content(root, said, with_comments=view.comments)
    hidden += tidy(top, view, base=base, page_url=url)
    links = read_links(top)
    content = render(top, view.format)
    result = Extracted(title=title, text=content, info=info, links=links, hidden=hidden)
    if not view.selector and walls.judge(found, shown, words(top)):
        return replace(result, outcome=Outcome.PAYWALL, message=walls.PAYWALL_MESSAGE)
    if not content.strip():
        raise EmptyPage("The page holds no text to read.", hint="Check the address or look for another source.")
    return result


def _base(root: Element, url: str) -> str:
    """The address that relative links start from."""
    said = next((attr(el, "href") for el in root.iter("base") if attr(el, "href")), "")
    return absolute(said, url) or urljoin(url, "")
