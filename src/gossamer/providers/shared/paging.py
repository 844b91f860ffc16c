"""Paging: gathers several pages of results into one list."""

from collections.abc import Callable, Generator
from dataclasses import replace

from gossamer.errors import GossamerError
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found


def gather(
    ask: Callable[[int], HttpRequest],
    read: Callable[[HttpReply], tuple[Found, bool]],
    *,
    count: int,
    max_pages: int,
) -> Generator[HttpRequest, HttpReply, Found]:
    """Ask for page 0, 1, … until `count` hits are there; what the first page says beside its hits counts for all.

    `read` also tells whether it is worth asking on. Each page costs a request, so one that brings nothing new is the
    last; one that fails costs only itself.
    """
    results, is_more = read((yield ask(0)))
    page = 0
    while is_more and len(results.hits) < count and page + 1 < max_pages:
        page += 1
        try:
            more, is_more = read((yield ask(page)))
        except GossamerError as error:
            note = f"Page {page + 1} could not be had: {error.message}"
            return replace(results, hits=results.hits[:count], note=f"{results.note} {note}".strip(), is_part=True)
        known = {hit.url for hit in results.hits}
        new = tuple(hit for hit in more.hits if hit.url not in known)
        is_more = is_more and bool(new)
        results = replace(results, hits=results.hits + new)
    return replace(results, hits=results.hits[:count])
