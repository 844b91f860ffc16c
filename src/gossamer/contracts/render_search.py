"""Search results within a budget: every result once, pages shared out fairly, the rest behind the cursor."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import (
    Frame,
    failure_data,
    failure_lines,
    fit,
    lines,
    more,
    note_line,
    shortened,
    too_small,
)
from gossamer.contracts.shapes import ContentOut, FetchStats, HitOut, SearchOut
from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.model.search import Content, Hit, SearchPage
from gossamer.steps.mark import escape
from gossamer.steps.plain import plain
from gossamer.steps.tokens import count

_GAP = "\n\n…\n\n"
_LEAST_BODY = 48
"""A page gets at least this many tokens, or none."""
_FIELDS = 40
"""What a body costs in the structured form beside its marks: names of fields, numbers, escaped quotes."""
_STEPS = 32
"""How finely the share of the pages is tuned: what a text costs in the structured form is known only when written."""
_WIDEST = 12
_MOST_SUGGESTIONS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """A choice of what to show: how many results, and the text of each page that is shown."""

    results: int
    with_extracts: bool = True
    is_bare: bool = False
    """Titles cut short; no statistics, suggestions, failures and services: they are in `_meta` or can be missed."""
    bodies: Mapping[int, str] = field(default_factory=dict[int, str])


def search_reply(
    page: SearchPage, *, start: int, everything: int, fetch_content: bool, frame: Frame
) -> Reply[SearchOut]:
    """The results from `start` on, as text and as data, each within the budget."""
    sheet = _Sheet(page=page, start=start, everything=everything, fetch_content=fetch_content, frame=frame)
    shown = sheet.with_bodies(sheet.most_results())
    data = sheet.data(shown)
    notes = [*frame.notes, *page.notes]
    meta = {
        "gossamer/services": list(page.services),
        **({"gossamer/cursor": data.cursor} if data.cursor else {}),
        **({"gossamer/note": notes} if notes else {}),
        **({"gossamer/failures": failure_data(page.failures)} if page.failures else {}),
    }
    outcome = Outcome.OK if page.hits else Outcome.NO_MATCH
    return Reply(text=sheet.text(shown), data=data, outcome=outcome, meta=meta)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sheet:
    """One search, laid out for a choice of what to show."""

    page: SearchPage
    start: int
    everything: int
    fetch_content: bool
    frame: Frame

    def most_results(self) -> _Shown:
        """As many results as fit without their pages; where not even one does, extracts and extras go."""
        total = len(self.page.hits)
        for with_extracts, is_bare in ((True, False), (False, False), (False, True)):
            choices = [
                _Shown(results=results, with_extracts=with_extracts, is_bare=is_bare)
                for results in range(min(1, total), total + 1)
            ]
            if self._size(choices[-1]) <= self.frame.max_tokens:
                return choices[-1]
            if fitting := bisect_right(choices[:-1], self.frame.max_tokens, key=self._size):
                return choices[fitting - 1]
        raise too_small(self._size(choices[0]))

    def with_bodies(self, bare: _Shown) -> _Shown:
        """The same results with as much of their pages as the budget holds, shared out evenly."""
        limit = self.frame.max_tokens
        pages = {n: c.page for n, c in enumerate(self.page.contents[: bare.results]) if c.page and c.page.text}
        price = max((count(self._marked("", page)) for page in pages.values()), default=0) + _FIELDS
        left = limit - self._size(bare)
        pages = dict(islice(pages.items(), left // (price + _LEAST_BODY)))
        left -= price * len(pages)
        sizes = {n: _size_of(page.text, limit) for n, page in pages.items()}

        def filled(step: int) -> _Shown:
            shares = share_out(sizes, left * step // _STEPS) if step else {}
            bodies = {n: _body(self.page.contents[n], pages[n], share, sizes[n]) for n, share in shares.items()}
            return replace(bare, bodies={n: body for n, body in bodies.items() if body})

        fitting = bisect_right(range(_STEPS + 1), limit, key=lambda step: self._size(filled(step)))
        return filled(fitting - 1)

    def data(self, shown: _Shown) -> SearchOut:
        """The structured form."""
        page = self.page
        hits = page.hits[: shown.results]
        return SearchOut(
            query=shortened(page.query.text, self.frame.max_tokens // 8),
            category=page.query.category,
            language=page.query.language,
            results_count=len(hits),
            search_time_ms=page.elapsed_ms,
            instance_used=page.instance,
            fetch_content=self.fetch_content,
            results=[self._hit(n, hit, shown) for n, hit in enumerate(hits)],
            total_results=page.total if page.total is not None else self.everything,
            engines_used=list(page.engines[: 1 if shown.is_bare else 10]),
            content_fetch_stats=_stats(page.contents) if self.fetch_content and not shown.is_bare else None,
            suggestions=None if shown.is_bare else [escape(text) for text in self._suggestions()] or None,
            note=self._note().removeprefix("Note: ") or None,
            cursor=self._cursor(shown) or None,
        )

    def text(self, shown: _Shown) -> str:
        """The readable form: the list of results, what their pages hold, and what else is to be said."""
        page, total = self.page, self.everything
        first, last = self.start + 1, self.start + shown.results
        if page.hits:
            head = f"Results {first}-{last} of {total} from {page.provider}."
            listed = "\n\n".join(self._row(n, hit, shown) for n, hit in enumerate(page.hits[: shown.results]))
        else:
            head = f"No results for: {shortened(plain(page.query.text), self.frame.max_tokens // 8)}"
            listed = "" if shown.is_bare else "\n".join(f"Try also: {text}" for text in self._suggestions())
        cursor = self._cursor(shown)
        return lines(
            head,
            f"Seen by: {', '.join(page.services)}." if page.services and not shown.is_bare else "",
            self.frame.marked(listed, url=page.instance, fetched_at=self.frame.now) if listed else "",
            *(
                f"From result {first + n}:\n{self._marked(body, kept)}"
                for n, body in shown.bodies.items()
                if (kept := page.contents[n].page)
            ),
            "" if shown.is_bare else failure_lines(page.failures, self.frame.max_tokens),
            self._note(),
            more(cursor, f"results {last + 1}-{total} of {total}") if cursor else "",
        )

    def _size(self, shown: _Shown) -> int:
        structured = self.data(shown).model_dump_json(exclude_none=True)
        return max(count(self.text(shown)), count(structured))

    def _note(self) -> str:
        return note_line([*self.frame.notes, *self.page.notes], self.frame.max_tokens)

    def _suggestions(self) -> list[str]:
        return [plain(text, max_chars=80) for text in self.page.suggestions[:_MOST_SUGGESTIONS]]

    def _cursor(self, shown: _Shown) -> str:
        return self.frame.cursor_at(self.start + shown.results) if shown.results < len(self.page.hits) else ""

    def _marked(self, body: str, page: Page) -> str:
        return self.frame.marked(body, url=page.final_url, fetched_at=page.fetched_at)

    def _hit(self, n: int, hit: Hit, shown: _Shown) -> HitOut:
        content = None
        if n in shown.bodies and (page := self.page.contents[n].page):
            content = ContentOut(
                markdown=self._marked(shown.bodies[n], page),
                word_count=self.page.contents[n].words,
                fetch_time_ms=self.page.contents[n].fetch_ms,
            )
        return HitOut(
            title=escape(self._title(hit, shown)),
            url=hit.url,
            description=escape(hit.snippet) if shown.with_extracts else "",
            score=hit.score,
            engine=hit.engine or self.page.provider,
            published=hit.published,
            content=content,
        )

    def _title(self, hit: Hit, shown: _Shown) -> str:
        return shortened(hit.title, self.frame.max_tokens // 10) if shown.is_bare else hit.title

    def _row(self, n: int, hit: Hit, shown: _Shown) -> str:
        failure = self.page.contents[n].failure if n < len(self.page.contents) else None
        date = f" ({hit.published})" if hit.published else ""
        return lines(
            f"{self.start + n + 1}. {self._title(hit, shown)}{date}",
            hit.url,
            hit.snippet if shown.with_extracts else "",
            f"(page not read: {failure.outcome})" if failure else "",
        )


def share_out(sizes: Mapping[int, int], budget: int) -> dict[int, int]:
    """Split a budget evenly; what a small one does not need goes to the others."""
    shares: dict[int, int] = {}
    left = max(0, budget)
    for place, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: (item[1], item[0]))):
        shares[name] = min(size, left // (len(sizes) - place))
        left -= shares[name]
    return dict(sorted(shares.items()))


def _size_of(text: str, limit: int) -> int:
    """The tokens of a text, or more than `limit` where it is surely longer."""
    return count(text) if len(text) <= limit * _WIDEST else limit + 1


def _body(content: Content, page: Page, share: int, size: int) -> str:
    """The whole page where it fits, else its best passages for the query in page order, else its beginning."""
    if size <= share:
        return page.text
    chosen: list[tuple[int, str]] = []
    for passage in content.passages:
        left = share - sum(count(text) + count(_GAP) for _, text in chosen)
        if left < _LEAST_BODY // 2:
            break
        end = fit(passage.text, 0, left, len(passage.text))
        if end == len(passage.text) or not chosen:
            chosen.append((passage.start, passage.text[:end]))
    return _GAP.join(text for _, text in sorted(chosen)) or page.text[: fit(page.text, 0, share, len(page.text))]


def _stats(contents: Sequence[Content]) -> FetchStats:
    failed = sum(1 for content in contents if content.failure)
    return FetchStats(
        attempted=len(contents),
        successful=len(contents) - failed,
        failed=failed,
        total_time_ms=max((content.fetch_ms for content in contents), default=0),
        outcomes=dict(Counter(content.outcome.value for content in contents)),
    )
