"""HTML pipeline: parse, strip hidden text, detect walls, choose the content, render it."""

from dataclasses import replace
from urllib.parse import urljoin

from gossamer.errors import EmptyPage, NeedsScript, Outcome, TooComplex
from gossamer.extractors.html import walls
from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.content import drop_controls, gather, main_content
from gossamer.extractors.html.markdown.normalise import absolute, normalise, read_links
from gossamer.extractors.html.markdown.renderer import render
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.metadata import structured_data
from gossamer.extractors.html.metadata.head import read_head, read_info
from gossamer.extractors.html.metadata.structured_data import with_price
from gossamer.extractors.html.prescan import prescan
from gossamer.extractors.html.selectors import matches
from gossamer.extractors.html.streaming import place_streamed
from gossamer.extractors.html.tree import Element, attr, body, copy, held, parse, words
from gossamer.extractors.html.visibility.reveal.disclosure import controls_by_place, named_panels, write_titles
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden
from gossamer.extractors.invisible_characters import clean
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
    best_effort(place_streamed, None)(root)
    nodes = held(root)
    structured = structured_data.nodes(root)
    head, base = read_head(root), _base(root, url)
    signs, generator = walls.collect_signs(root, structured, base), _generator(root)
    placed = controls_by_place(root)
    hidden = strip_hidden(root, placed)
    panels = best_effort(named_panels, {})(root, placed)
    best_effort(drop_controls, None)(root, text)
    title, info = read_info(root, structured, head, url=url)
    shown = walls.look_at(root, title, clean(words(body(root)))[0])
    is_paywalled = False
    if view.selector:
        parts = matches(root, view.selector)
        is_paywalled = walls.judge(signs, shown, shown.text) or (
            walls.may_be_paid(signs, shown) and walls.judge(signs, shown, words(main_content(copy(root), structured)))
        )
        if not parts:
            message = "Nothing on the page matches the selector; without it the whole page is read."
            return Extracted(outcome=Outcome.NO_MATCH, title=title, info=info, hidden=hidden, message=message)
        best_effort(write_titles, None)(panels, are_tabs_needed=True)
        top = gather([copy(part) for part in parts])
        best_effort(mark_up_code, None)(top, with_links=view.include_links)
    else:
        best_effort(mark_up_code, None)(root, with_links=view.include_links)
        top = main_content(root, structured, with_comments=view.comments, panels={*placed, *panels}, made_by=generator)
        best_effort(write_titles, None)(panels, are_tabs_needed=False)
    hidden += normalise(top, view, base=base, page_url=url)
    links = tuple(
        link for link in best_effort(read_links, ())(top) if link.url.partition("#")[0] != url.partition("#")[0]
    )
    content = render(top, view.format)
    if info.price and content and not view.selector and view.format != "html":
        content = with_price(content, info.price)
    nodes.clear()
    result = Extracted(title=title, text=content, info=info, links=links, hidden=hidden)
    is_paywalled = is_paywalled or (not view.selector and walls.judge(signs, shown, words(top)))
    if not content.strip():
        raise walls.empty_page(signs)
    return replace(result, outcome=Outcome.PAYWALL, message=walls.PAYWALL_MESSAGE) if is_paywalled else result


def _generator(root: Element) -> str:
    """The tool that a page says it was made by."""
    return next((attr(el, "content") for el in root.iter("meta") if attr(el, "name").lower() == "generator"), "")


def _base(root: Element, url: str) -> str:
    """The address that relative links start from."""
    href = next((attr(el, "href") for el in root.iter("base") if attr(el, "href")), "")
    return absolute(href, url) or urljoin(url, "")
