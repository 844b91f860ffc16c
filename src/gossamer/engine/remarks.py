"""What is to be known of the pages and questions of one reading."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from gossamer.errors import GossamerError
from gossamer.model.page import Page
from gossamer.model.search import Failure


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


def failures(errors: Mapping[int, GossamerError], urls: Sequence[str], *, are_results: bool) -> tuple[Failure, ...]:
    """The pages that failed, by their place among the addresses."""
    if are_results:
        return tuple(Failure.of_result(n + 1, urls[n], error) for n, error in errors.items())
    return tuple(Failure.of(urls[n], error) for n, error in errors.items())


def all_failed(errors: Sequence[GossamerError], *, are_results: bool) -> GossamerError:
    """The first error; with several pages it also says what happened to the others.

    Of results of a search the outcomes are all that is said.
    """
    first = errors[0]
    if are_results:
        outcomes = ", ".join(error.outcome.value for error in errors)
        return first.but(
            message=f"No page of the {len(errors)} results could be read: {outcomes}.",
            hint="Ask in other words, or try again later.",
            quote="",
        )
    if len(errors) == 1:
        return first
    others = ", ".join(error.outcome.value for error in errors[1:])
    return first.but(
        message=f"None of the {len(errors)} pages could be read. The first: {first.message} Others: {others}."
    )


def _each(pages: Sequence[Page]) -> Iterator[str]:
    firsts: dict[str, str] = {}
    for page in pages:
        first = firsts.setdefault(page.text, page.url)
        if first != page.url and page.text:
            yield f"{page.url} has the same text as {first}, which is shown once."
        if page.message:
            yield f"{page.url}: {page.message}" if len(pages) > 1 else page.message
