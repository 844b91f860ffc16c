"""Search results within a budget: every result once, pages shared out fairly, the rest behind the cursor."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from gossamer.contracts.contract import Reply
from gossamer.contracts.core.budget_split import GAP, LEAST_BODY, body_of, ended, fenced, price_of, share_out, size_of
from gossamer.contracts.core.render_hit import content_data, hit_data, hit_row, page_remark, seen_by
from gossamer.contracts.core.shapes import FetchStats, HitOut, SearchOut
from gossamer.contracts.render.envelope import (
    Envelope,
    failure_data,
    failure_lines,
    inert,
    lines,
    more,
    note_line,
    shortened,
    too_small,
)
from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.model.search import Content, Hit, SearchPage
from gossamer.steps.text.clean_line import plain
from gossamer.steps.tokens.count import count

_FIELDS = 40
"""What a body costs in the structured form beside its marks: names of fields, numbers, escaped quotes."""
_SUMMARY_SHARE = 5
_LEAST_SUMMARY = 24
_CODE_SHARE = 6
"""What a page's code may take of the budget, at most one in so many tokens."""
_STEPS = 32
"""How finely the share of the pages is tuned: what a text costs in the structured form is known only when written."""
_MOST_SUGGESTIONS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """A choice of what to show: how many results, and the text of each page that is shown."""

    results: int
    with_extracts: bool = True
    is_bare: bool = False
    """Titles cut short; no statistics, suggestions, failures and services: they are in `_meta` or can be missed."""
    bodies: Mapping[int, str] = field(default_factory=dict[int, str])
    summaries: Mapping[int, str] = field(default_factory=dict[int, str])


def search_reply(
    page: SearchPage, *, start: int, everything: int, fetch_content: bool, frame: Envelope
) -> Reply[SearchOut]:
    """The results from `start` on, as text and as data, each within the budget."""
    layout = _SearchLayout(page=page, start=start, everything=everything, fetch_content=fetch_content, frame=frame)
    shown = layout.with_pages(layout.most_results())
    data = layout.data(shown)
    notes = [*frame.notes, *page.notes]
    meta = {
        "gossamer/services": list(page.services),
        **({"gossamer/cursor": data.cursor} if data.cursor else {}),
        **({"gossamer/note": notes} if notes else {}),
        **({"gossamer/failures": failure_data(page.failures)} if page.failures else {}),
    }
    outcome = Outcome.OK if page.hits else Outcome.NO_MATCH
    return Reply(text=layout.text(shown), data=data, outcome=outcome, meta=meta)


@dataclass(frozen=True, kw_only=True, slots=True)
class _SearchLayout:
    """One search, laid out for a choice of what to show."""

    page: SearchPage
    start: int
    everything: int
    fetch_content: bool
    frame: Envelope

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

    def with_pages(self, bare: _Shown) -> _Shown:
        """The same results with as much of their pages as the budget holds, shared out evenly."""
        limit = self.frame.max_tokens
        contents = {n: c for n, c in enumerate(self.page.contents[: bare.results]) if c.is_shown}
        bare = self._with_summaries(bare, contents)
        pages = {n: c.page for n, c in contents.items() if c.page}
        price = max((count(self._marked("", page)) for page in pages.values()), default=0) + _FIELDS
        left = limit - self._size(bare)
        pages = dict(islice(pages.items(), max(0, left) // (price + LEAST_BODY)))
        left -= price * len(pages)
        for_code = min(left // _CODE_SHARE, sum(price_of(block) for n in pages for block in contents[n].code))
        sizes = {n: size_of(page.text, limit) for n, page in pages.items()}

        def filled(step: int) -> _Shown:
            shares = share_out(sizes, (left - for_code) * step // _STEPS) if step else {}
            bodies = {n: body_of(self.page.contents[n], pages[n], share, sizes[n]) for n, share in shares.items()}
            return replace(bare, bodies={n: body for n, body in bodies.items() if body})

        fitting = bisect_right(range(_STEPS + 1), limit - for_code, key=lambda step: self._size(filled(step)))
        return self._with_code(filled(max(0, fitting - 1)))

    def _with_summaries(self, bare: _Shown, contents: Mapping[int, Content]) -> _Shown:
        """A fifth of what a page may cost goes to its summary, where that holds a sentence."""
        each = (self.frame.max_tokens - self._size(bare)) // max(1, len(contents)) // _SUMMARY_SHARE
        if bare.is_bare or each < _LEAST_SUMMARY:
            return bare
        told = {n: ended(shortened(content.summary, each), content.summary) for n, content in contents.items()}
        with_them = replace(bare, summaries={n: text for n, text in told.items() if text})
        return with_them if self._size(with_them) <= self.frame.max_tokens else bare

    def _with_code(self, shown: _Shown) -> _Shown:
        """The same with code that the bodies leave out, while there is room; the best of each page first."""
        left = self.frame.max_tokens - self._size(shown)
        listed = [(rank, n, block) for n in shown.bodies for rank, block in enumerate(self.page.contents[n].code)]
        chosen: list[tuple[int, str]] = []
        for _, n, block in sorted(listed, key=lambda one: one[:2]):
            if block.text not in shown.bodies[n] and (price := price_of(block)) <= left:
                chosen.append((n, fenced(block)))
                left -= price

        def filled(most: int) -> _Shown:
            bodies = {
                n: GAP.join([body, *(code for at, code in chosen[:most] if at == n)])
                for n, body in shown.bodies.items()
            }
            return replace(shown, bodies=bodies)

        fitting = bisect_right(range(len(chosen) + 1), self.frame.max_tokens, key=lambda most: self._size(filled(most)))
        return filled(max(0, fitting - 1))

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
            content_fetch_stats=_stats(page) if self.fetch_content and not shown.is_bare else None,
            suggestions=None if shown.is_bare else self._suggestions() or None,
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
            "" if shown.is_bare else seen_by(page, now=self.frame.now),
            self._listing(listed) if listed else "",
            *(
                f"From result {first + n}:\n{self._marked(body, kept)}"
                for n, body in shown.bodies.items()
                if (kept := page.contents[n].page)
            ),
            "" if shown.is_bare else failure_lines(page.failures, self.frame.max_tokens, "No answer from"),
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

    def _listing(self, listed: str) -> str:
        """The list of results between marks; a kept one is from the time of the caller's own search."""
        made_at = self.frame.now if self.page.kept_since is None else self.page.kept_since
        return self.frame.marked(inert(listed), url=self.page.instance, fetched_at=made_at)

    def _marked(self, body: str, page: Page) -> str:
        return self.frame.marked(body, url=page.final_url, fetched_at=page.fetched_at)

    def _hit(self, n: int, hit: Hit, shown: _Shown) -> HitOut:
        content = None
        kept = self._content(n)
        if kept and kept.page and (n in shown.bodies or n in shown.summaries):
            content = content_data(
                kept,
                markdown=self._marked(shown.bodies[n], kept.page) if n in shown.bodies else None,
                summary=shown.summaries.get(n, ""),
            )
        return hit_data(
            hit,
            title=self._title(hit, shown),
            engine=hit.engine or self.page.provider,
            with_extract=shown.with_extracts,
            kept=kept,
            content=content,
        )

    def _content(self, n: int) -> Content | None:
        return self.page.contents[n] if n < len(self.page.contents) else None

    def _title(self, hit: Hit, shown: _Shown) -> str:
        return shortened(hit.title, self.frame.max_tokens // 10) if shown.is_bare else hit.title

    def _row(self, n: int, hit: Hit, shown: _Shown) -> str:
        kept = self._content(n)
        summary = "" if n in shown.bodies else shown.summaries.get(n, "")
        return hit_row(
            self.start + n + 1,
            hit,
            title=self._title(hit, shown),
            with_extract=shown.with_extracts,
            remark=page_remark(kept, start=self.start, summary=summary) if kept else "",
        )


def _stats(page: SearchPage) -> FetchStats:
    contents = page.contents
    failed = sum(1 for content in contents if content.failure)
    return FetchStats(
        attempted=len(contents),
        successful=len(contents) - failed,
        failed=failed,
        dropped=sum(1 for content in contents if not content.failure and not content.is_shown),
        total_time_ms=page.contents_ms,
        outcomes=dict(Counter(content.outcome.value for content in contents)),
    )
