"""HTML to Markdown, text or clean HTML: what its reader sees, and of that the content."""

from dataclasses import replace
from urllib.parse import urljoin

from gossamer.errors import EmptyPage, NeedsScript, Outcome, TooComplex
from gossamer.extractors import walls
from gossamer.extractors.about import linked
from gossamer.extractors.about.links import read_links
from gossamer.extractors.about.meta import read_head, read_info
from gossamer.extractors.about.prices import with_price
from gossamer.extractors.characters import clean
from gossamer.extractors.content import gather, main_content
from gossamer.extractors.content.controls import drop_controls
from gossamer.extractors.prescan import prescan
from gossamer.extractors.select import matches
from gossamer.extractors.sight.hidden import strip_hidden
from gossamer.extractors.sight.panels import controls_by_place, named_panels, write_titles
from gossamer.extractors.stages import spared
from gossamer.extractors.tree import Element, attr, body, copy, held, parse, words
from gossamer.extractors.writing.listings import settle_code
from gossamer.extractors.writing.render import render
from gossamer.extractors.writing.tidy import absolute, tidy
from gossamer.model.page import Extracted, View

_CUT_CHARS = 1_000_000
_RAW_STARTS = ("<style", "<script")


def read_html(text: str, *, url: str, view: View) -> Extracted:
    """Read a page; walls, logins and empty shells are raised as what they are."""
    try:
        return _read(text.replace("\x00", ""), url=url, view=view)
    except (EmptyPage, NeedsScript):
        if _is_cut_short(text.lower()):
            message = "The page begins with more style or script than is read, and its text was not reached."
            raise TooComplex(message, hint="Look for another source.") from None
        raise


def _is_cut_short(text: str) -> bool:
    """Whether a page ends within a style sheet or a script of uncommon length: what follows was cut off."""
    start = max(text.rfind(tag) for tag in _RAW_STARTS)
    return 0 <= start < len(text) - _CUT_CHARS and "</st" not in text[start:] and "</sc" not in text[start:]


def _read(text: str, *, url: str, view: View) -> Extracted:
    prescan(text)
    root = parse(text)
    if root is None:
        raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
    nodes = held(root)
    said = linked.nodes(root)
    head, base = read_head(root), _base(root, url)
    found, made_by = walls.signs(root, said, base), _generator(root)
    placed = controls_by_place(root)
    hidden = strip_hidden(root, placed)
    panels = spared(named_panels, {})(root, placed)
    spared(drop_controls, None)(root, text)
    title, info = read_info(root, said, head, url=url)
    shown = walls.look(root, title, clean(words(body(root)))[0])
    is_paid = False
    if view.selector:
        parts = matches(root, view.selector)
        is_paid = walls.judge(found, shown, shown.text) or (
            walls.may_be_paid(found, shown) and walls.judge(found, shown, words(main_content(copy(root), said)))
        )
        if not parts:
            message = "Nothing on the page matches the selector; without it the whole page is read."
            return Extracted(outcome=Outcome.NO_MATCH, title=title, info=info, hidden=hidden, message=message)
        spared(write_titles, None)(panels, are_tabs_needed=True)
        top = gather([copy(part) for part in parts])
        spared(settle_code, None)(top, with_links=view.include_links)
    else:
        spared(settle_code, None)(root, with_links=view.include_links)
        top = main_content(root, said, with_comments=view.comments, panels={*placed, *panels}, made_by=made_by)
        spared(write_titles, None)(panels, are_tabs_needed=False)
    hidden += tidy(top, view, base=base, page_url=url)
    links = tuple(link for link in spared(read_links, ())(top) if link.url.partition("#")[0] != url.partition("#")[0])
    content = render(top, view.format)
    if info.price and content and not view.selector and view.format != "html":
        content = with_price(content, info.price)
    nodes.clear()
    result = Extracted(title=title, text=content, info=info, links=links, hidden=hidden)
    is_paid = is_paid or (not view.selector and walls.judge(found, shown, words(top)))
    if not content.strip():
        raise walls.empty(found)
    return replace(result, outcome=Outcome.PAYWALL, message=walls.PAYWALL_MESSAGE) if is_paid else result


def _generator(root: Element) -> str:
    """The tool that a page says it was made by."""
    return next((attr(el, "content") for el in root.iter("meta") if attr(el, "name").lower() == "generator"), "")


def _base(root: Element, url: str) -> str:
    """The address that relative links start from."""
    said = next((attr(el, "href") for el in root.iter("base") if attr(el, "href")), "")
    return absolute(said, url) or urljoin(url, "")
