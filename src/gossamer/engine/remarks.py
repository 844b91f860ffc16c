"""What is to be known of the pages and questions of one reading."""

from collections.abc import Collection, Iterator, Sequence

from gossamer.errors import GossamerError
from gossamer.model.page import Page


def remarks(pages: Sequence[Page]) -> tuple[str, ...]:
    """Of each page what it says of itself, that it is cut or not for everybody, and whose copy it is."""
    return tuple(_each(pages))


def on_strange(strange: Collection[str], queries: Sequence[str]) -> tuple[str, ...]:
    """That no word of these queries occurs, which only vectors could have made up for."""
    if not strange:
        return ()
    numbers = [str(number) for number, query in enumerate(queries, 1) if query in strange]
    which = f"question {', '.join(numbers)}" if len(queries) > 1 else "the question"
    return (f"No word of {which} occurs there.",)


def all_failed(errors: Sequence[GossamerError]) -> GossamerError:
    """The first error; with several pages it also says what happened to the others."""
    first = errors[0]
    if len(errors) > 1:
        others = ", ".join(error.outcome.value for error in errors[1:])
        first.message = f"None of the {len(errors)} pages could be read. The first: {first.message} Others: {others}."
    return first


def _each(pages: Sequence[Page]) -> Iterator[str]:
    firsts: dict[str, str] = {}
    for page in pages:
        first = firsts.setdefault(page.text, page.url)
        if first != page.url and page.text:
            yield f"{page.url} has the same text as {first}, which is shown once."
        if page.message:
            yield f"{page.url}: {page.message}" if len(pages) > 1 else page.message
