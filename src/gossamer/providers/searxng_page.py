"""SearXNG's HTML results page, read where an instance has switched its JSON off."""

from collections.abc import Iterator, Sequence

from gossamer.errors import UnexpectedReply
from gossamer.model.http import HttpReply
from gossamer.model.search import Details
from gossamer.providers.searxng_reply import Reply, Row
from gossamer.providers.shared.hit_fields import Tag, day, inside, seconds, tags_of
from gossamer.steps.text.clean_line import plain, plain_address

_MAX_BYTES = 2**20
"""Ten times what a page with thirty results has."""
_FAILED = "response-error"


def read_page(reply: HttpReply) -> Reply:
    """What its JSON would have said; any other page is an error, not a search without results."""
    text = reply.body[:_MAX_BYTES].decode("utf-8", "replace")
    tags = tags_of(text)
    if not any(tag.attributes.get("id") == "urls" for tag in tags):
        raise UnexpectedReply(
            "SearXNG answered with another page than its results, without the list at id=urls.",
            hint="Its limiter may have turned us away, or base_url is not that of a SearXNG instance.",
        )
    return Reply(
        rows=tuple(row for box in _boxes(tags) if (row := _row(box, text))),
        suggestions=tuple(_suggestions(tags)),
        silent=tuple(_silent(tags, text)),
    )


def _boxes(tags: Sequence[Tag]) -> Iterator[list[Tag]]:
    """A result is an article; what follows the last one is no part of it."""
    box: list[Tag] | None = None
    for tag in tags:
        if tag.name == "article":
            if box:
                yield box
            box = [] if "result" in tag.classes and not tag.is_end else None
        if box is not None:
            box.append(tag)


def _row(box: Sequence[Tag], text: str) -> Row | None:
    make = _picture if "result-images" in box[0].classes else _page
    return make(box, text)


def _page(box: Sequence[Tag], text: str) -> Row | None:
    link = _after(box, _opens(box, "h3"), "a")
    if link is None:
        return None
    description = _opens(box, "p", "content")
    has_description = description is not None and "empty_element" not in box[description].classes
    dated, thumb = _opens(box, "time", "published_date"), _opens(box, "img", "thumbnail")
    length = _opens(box, "span", "thumbnail_length")
    return Row(
        url=box[link].attributes.get("href", ""),
        title=inside(box, link, text),
        content=inside(box, description, text) if description is not None and has_description else "",
        engines=_engines(box, text),
        published=day(box[dated].attributes.get("datetime")) if dated is not None else None,
        details=Details(
            thumbnail_url=plain_address(box[thumb].attributes.get("src", "")) if thumb is not None else "",
            duration_s=seconds(inside(box, length, text)) if length is not None else None,
        ),
    )


def _picture(box: Sequence[Tag], text: str) -> Row | None:
    link = _after(box, _opens(box, "p", "result-url"), "a")
    image, title = _opens(box, "a"), _opens(box, "h4")
    if link is None or image is None:
        return None
    description, thumb = _opens(box, "p", "result-content"), _opens(box, "img", "image_thumbnail")
    size, source = _opens(box, "span", "image_resolution"), _opens(box, "span", "source")
    engines = _opens(box, "p", "result-engines")
    return Row(
        url=box[link].attributes.get("href", ""),
        title=inside(box, title, text) if title is not None else "",
        content=inside(box, description, text) if description is not None else "",
        engines=_listed(inside(box, engines, text)) if engines is not None else (),
        details=Details(
            image_url=plain_address(box[image].attributes.get("href", "")),
            thumbnail_url=plain_address(box[thumb].attributes.get("src", "").strip()) if thumb is not None else "",
            resolution=plain(inside(box, size, text), max_chars=40) if size is not None else "",
            source=plain(inside(box, source, text), max_chars=100) if source is not None else "",
        ),
    )


def _engines(box: Sequence[Tag], text: str) -> tuple[str, ...]:
    start = _opens(box, "div", "engines")
    if start is None:
        return ()
    end = next((at for at in range(start + 1, len(box)) if box[at].name == "div"), len(box))
    return tuple(inside(box, at, text) for at in range(start, end) if box[at].name == "span" and not box[at].is_end)


def _listed(names_text: str) -> tuple[str, ...]:
    """The names behind a label, separated by commas."""
    names = names_text.rpartition("</span>")[2].split(",")
    return tuple(name for name in names if plain(name))


def _silent(tags: Sequence[Tag], text: str) -> Iterator[tuple[str, str]]:
    """The engines that had no answer, each with its reason."""
    name = ""
    for place, tag in enumerate(tags):
        if tag.name == "td" and "engine-name" in tag.classes:
            name = inside(tags, place, text)
        elif tag.name == "td" and _FAILED in tag.classes:
            yield name, inside(tags, place, text)


def _suggestions(tags: Sequence[Tag]) -> Iterator[str]:
    for tag in tags:
        if tag.name == "input" and "suggestion" in tag.classes:
            yield tag.attributes.get("value", "")


def _opens(box: Sequence[Tag], name: str, class_: str = "") -> int | None:
    """Where the first tag of that name and class begins."""
    return next(
        (
            at
            for at, tag in enumerate(box)
            if tag.name == name and not tag.is_end and (not class_ or class_ in tag.classes)
        ),
        None,
    )


def _after(box: Sequence[Tag], start: int | None, name: str) -> int | None:
    if start is None:
        return None
    return next((at for at in range(start, len(box)) if box[at].name == name and not box[at].is_end), None)
