"""HTML pipeline: parse, strip hidden text, detect walls, choose the content, render it.

What can be read is never refused. A page beyond the limits of a stage is read by simpler rules, a stage that fails is
done without, text that the page carries for its scripts is read where the page shows none; and a note says so.
"""

import gc
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urljoin

from gossamer.errors import Denied, EmptyPage, GossamerError, NeedsScript, Outcome, TooComplex
from gossamer.extractors.html import walls
from gossamer.extractors.html.best_effort import Faults, best_effort, counted_faults
from gossamer.extractors.html.content import choose_content, drop_controls, gather, landmarks_removed, main_content
from gossamer.extractors.html.copies import Copy, best_copy, copies_in, place_copy
from gossamer.extractors.html.markdown.normalise import absolute, normalise, read_links
from gossamer.extractors.html.markdown.renderer import render, render_words
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.metadata import structured_data
from gossamer.extractors.html.metadata.head import HeadFields, read_head, read_info
from gossamer.extractors.html.metadata.prices import with_price
from gossamer.extractors.html.metadata.structured_data import Node
from gossamer.extractors.html.prescan import prescan
from gossamer.extractors.html.selectors import matches
from gossamer.extractors.html.streaming import place_streamed
from gossamer.extractors.html.tidy import FEW_TAGS, MAX_TAGS, tidy
from gossamer.extractors.html.tree import Element, attr, body, copy, held, parse, words
from gossamer.extractors.html.visibility.reveal.disclosure import controls_by_place, named_panels, write_titles
from gossamer.extractors.html.visibility.strip_hidden import Stripped, strip_hidden
from gossamer.extractors.invisible_characters import clean
from gossamer.model.page import Extracted, LeftOut, Link, PageInfo, View

_CUT_CHARS = 1_000_000
_RAW_STARTS = ("<style", "<script")
_NO_STAGES: Mapping[str, Callable[..., Any]] = {}
_NO_HEAD = HeadFields()
_NOTHING = 50
_COLLECT_AFTER = 50_000
"""So many values made and not let go since the last search for cycles bring on the next."""
_LITTLE_CHARS = 600
"""A page of less text may carry more of it elsewhere."""
LIFTED = "The page hides its text until a script has run; it was read as it stands after that."
PARTLY_HIDDEN = "A large part of the page is hidden until a script has run, and was left out."
SIMPLER = "Simpler rules decided what its readers cannot see."


def read_html(
    text: str,
    *,
    url: str,
    view: View,
    is_plain: bool = False,
    stages: Mapping[str, Callable[..., Any]] = _NO_STAGES,
) -> Extracted:
    """Read a page; walls, logins and empty shells are raised as what they are.

    `is_plain` asks for the simplest rules at once: the page took too much time or memory before. `stages` are run in
    place of ours, by the names in `STAGES`.
    """
    text = text.replace("\x00", "")
    with _rarely_collected(), counted_faults(stages) as faults:
        result = _Reading(text, url, view, faults).result(is_plain=is_plain)
    if not faults.stages:
        return result
    message = f"{result.message} Reading it failed in part ({', '.join(faults.stages)}), and went on without.".strip()
    return replace(result, message=message, faults=faults.stages)


@contextmanager
def _rarely_collected() -> Generator[None]:
    """Look for reference cycles less often while a page is read.

    Its stages make many small values and no cycles among them; looking for some takes a tenth of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(_COLLECT_AFTER, usual[0]) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class _Source(NamedTuple):
    """What a page is read from: its tree, what was found in it, and what is known of its hidden parts."""

    root: Element
    nodes: list[Element]
    structured: list[Node]
    signs: walls.Signs
    base: str
    generator: str
    head: HeadFields


class _Reading:
    """One page, read as it stands; else from a copy that it carries, or by simpler rules."""

    def __init__(self, text: str, url: str, view: View, faults: Faults) -> None:
        self._text = text
        self._url = url
        self._view = view
        self._faults = faults
        self._copy: Copy | None = None
        """The best of the copies that the page carries of its text, where it has little of its own."""

    def result(self, *, is_plain: bool) -> Extracted:
        """The page, in the first way in which it can be read."""
        if is_plain:
            return self._simply("Reading the page in full takes more time or memory than a page may.", is_plain=True)
        try:
            prescan(self._text)
            return self._as_it_stands()
        except TooComplex as error:
            return self._simply(error.message, error=error)
        except (GossamerError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, there are simpler ways to read a page
            self._faults.add("page")
            return self._simply("", error=error)

    def _as_it_stands(self) -> Extracted:
        """The page itself; a copy of its text where it has none or little."""
        try:
            result = self._read(self._text)
        except (Denied, EmptyPage, NeedsScript) as error:
            is_for_readers = self._copy and (self._copy.is_for_readers or not isinstance(error, Denied))
            if self._copy and is_for_readers:
                return self._from_copy(self._copy)
            if not isinstance(error, Denied) and _is_cut_short(self._text.lower()):
                message = "The page begins with more style or script than is read, and its text was not reached."
                raise TooComplex(message, hint="Look for another source.") from None
            raise
        is_little = len(result.text) < _LITTLE_CHARS and result.outcome is not Outcome.PAYWALL
        if self._copy and (is_little or result.outcome is Outcome.NO_MATCH):
            try:
                return self._from_copy(self._copy)
            except GossamerError:
                return result
        return result

    def _from_copy(self, text: Copy) -> Extracted:
        """The page with a copy of its text in place."""
        result = self._read(self._text, text)
        return _noted(result, f"The page shows its text only after scripts have run; it was read from {text.name}.")

    def _simply(self, why: str, *, is_plain: bool = False, error: Exception | None = None) -> Extracted:
        """The page by rules that take no more than a moment, whatever the page holds."""
        root = None
        try:
            most_tags = FEW_TAGS if is_plain else MAX_TAGS
            html, hidden = tidy(self._text, most_tags=most_tags)
            root = parse(html)
            if root is None or len(words(body(root))) < _NOTHING:
                # The rules that are not followed may show again what these hide.
                html, hidden = tidy(self._text, most_tags=most_tags, has_sheets=False)
                root = parse(html)
            if root is not None:
                result = self._read_tree(self._source(root), Stripped(hidden), is_plain=is_plain)
                return _noted(result, f"{why} {SIMPLER}".strip())
        except EmptyPage:
            if error is None or not isinstance(error, GossamerError):
                raise
        if isinstance(error, GossamerError):
            raise error
        raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")

    def _read(self, text: str, carried: Copy | None = None) -> Extracted:
        root = parse(text)
        if root is None:
            raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
        best_effort("streaming", place_streamed, None)(root)
        source = self._source(root)
        copies: tuple[Copy, ...] = ()
        if carried is not None:
            best_effort("copies", place_copy, None)(root, carried)
        elif not source.signs.is_paid:
            copies = best_effort("copies", copies_in, ())(root, source.structured)
        placed = best_effort("panels", controls_by_place, dict[Element, Element]())(root)
        stripped = best_effort("visibility", strip_hidden, None)(root, placed)
        if stripped is None:
            return self._simply("")
        if copies:
            self._copy = best_effort("copies", best_copy, None)(root, copies)
        result = self._read_tree(source, stripped, placed=placed)
        if stripped.is_lifted:
            return _noted(result, LIFTED)
        return _noted(result, PARTLY_HIDDEN) if stripped.is_partial else result

    def _source(self, root: Element) -> _Source:
        structured = best_effort("metadata", structured_data.nodes, list[Node]())(root)
        base = _base(root, self._url)
        signs = best_effort("walls", walls.collect_signs, walls.Signs.none())(root, structured, base)
        head = best_effort("metadata", read_head, _NO_HEAD)(root)
        return _Source(root, held(root), structured, signs, base, _generator(root), head)

    def _read_tree(
        self,
        source: _Source,
        stripped: Stripped,
        *,
        placed: Mapping[Element, Element] | None = None,
        is_plain: bool = False,
    ) -> Extracted:
        """Read a tree of which the hidden parts are gone."""
        root, nodes, structured, signs, base, generator, head = source
        view, url = self._view, self._url
        placed = placed or {}
        panels = best_effort("panels", named_panels, dict[Element, Element]())(root, placed)
        best_effort("controls", drop_controls, None)(root, self._text)
        title, info = best_effort("metadata", read_info, ("", PageInfo()))(root, structured, head, url=url)
        shown = best_effort("walls", walls.look_at, walls.Shown.none())(root, title, clean(words(body(root)))[0])
        judge = best_effort("walls", walls.judge, otherwise=False)
        is_paywalled, left_out = False, LeftOut()
        if view.selector:
            parts = matches(root, view.selector)
            try:
                is_paywalled = judge(signs, shown, shown.text)
            except (EmptyPage, NeedsScript):
                if not any(words(part) for part in parts):
                    raise
            if not is_paywalled and best_effort("walls", walls.may_be_paid, otherwise=False)(signs, shown):
                content = best_effort("content", main_content, root)(copy(root), structured)
                is_paywalled = judge(signs, shown, words(content))
            if not parts:
                message = "Nothing on the page matches the selector; without it the whole page is read."
                return Extracted(
                    outcome=Outcome.NO_MATCH, title=title, info=info, hidden=stripped.hidden, message=message
                )
            best_effort("panels", write_titles, None)(panels, are_tabs_needed=True)
            top = gather([copy(part) for part in parts])
            best_effort("code", mark_up_code, None)(top, with_links=view.include_links)
        else:
            best_effort("code", mark_up_code, None)(root, with_links=view.include_links)
            chosen = (
                None
                if is_plain
                else best_effort("content", choose_content, None)(
                    root,
                    structured,
                    with_comments=view.comments,
                    panels={*placed, *panels},
                    made_by=generator,
                    title=head.title,
                )
            )
            top, left_out = (landmarks_removed(body(root)), LeftOut()) if chosen is None else chosen
            best_effort("panels", write_titles, None)(panels, are_tabs_needed=False)
        written = best_effort("writing", _written, None)(top, view, base=base, url=url)
        removed, links, content = written or (0, (), render_words(top, view.format))
        if info.price and content and not view.selector and view.format != "html":
            content = best_effort("metadata", with_price, content)(content, info.price)
        nodes.clear()
        hidden = stripped.hidden + removed
        result = Extracted(title=title, text=content, info=info, links=links, hidden=hidden, left_out=left_out)
        is_paywalled = is_paywalled or (not view.selector and judge(signs, shown, words(top)))
        if not content.strip():
            raise walls.empty_page(signs)
        return replace(result, outcome=Outcome.PAYWALL, message=walls.PAYWALL_MESSAGE) if is_paywalled else result


def _written(top: Element, view: View, *, base: str, url: str) -> tuple[int, tuple[Link, ...], str]:
    """How many invisible runs the content held, its links, and itself in the wanted form."""
    removed = normalise(top, view, base=base, page_url=url)
    page = url.partition("#")[0]
    links = best_effort("links", read_links, ())(top)
    return removed, tuple(link for link in links if link.url.partition("#")[0] != page), render(top, view.format)


def _noted(result: Extracted, note: str) -> Extracted:
    return replace(result, message=f"{result.message} {note}".strip()) if note else result


def _is_cut_short(text: str) -> bool:
    """Whether a page ends within a style sheet or a script of uncommon length: what follows was cut off."""
    start = max(text.rfind(tag) for tag in _RAW_STARTS)
    return 0 <= start < len(text) - _CUT_CHARS and "</st" not in text[start:] and "</sc" not in text[start:]


def _generator(root: Element) -> str:
    """The tool that a page says it was made by."""
    return next((attr(el, "content") for el in root.iter("meta") if attr(el, "name").lower() == "generator"), "")


def _base(root: Element, url: str) -> str:
    """The address that relative links start from."""
    href = next((attr(el, "href") for el in root.iter("base") if attr(el, "href")), "")
    return absolute(href, url) or urljoin(url, "")
