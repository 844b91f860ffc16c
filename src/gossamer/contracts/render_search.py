"""Search results within a budget: every result once, pages shared out fairly, the rest behind the cursor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gossamer.contracts.contract import Reply
from gossamer.contracts.frame import Frame, fit, note_lines, too_small
from gossamer.contracts.render_page import failure_data, failure_lines
from gossamer.contracts.shapes import ContentOut, FetchStats, HitOut, SearchOut
from gossamer.errors import Outcome
from gossamer.model.search import Content, Hit, SearchPage
from gossamer.steps.mark import mark, new_nonce
from gossamer.steps.plain import plain
from gossamer.steps.tokens import count

_GAP = "\n\n…\n\n"
_LEAST_BODY = 48
"""A page gets at least this many tokens, or none."""
_MARK_TOKENS = 110
"""What the marks round a body cost in the structured form, at most."""
_TRIES = 6
_SHORT_QUERY = 120


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """A choice of what to show: how many results, and the text of each page that is shown."""

    results: int
    bodies: Mapping[int, str]
    with_extracts: bool = True


def search_reply(
    page: SearchPage, *, start: int, everything: int, fetch_content: bool, frame: Frame
) -> Reply[SearchOut]:
    """The results from `start` on, as text and as data, each within the budget."""
    sheet = _Sheet(page, start=start, everything=everything, fetch_content=fetch_content, frame=frame)
    bare = sheet.most_results()
    shown = sheet.with_bodies(bare)
    data = sheet.data(shown)
    meta = {
        "gossamer/services": list(page.services),
        **({"gossamer/cursor": data.cursor} if data.cursor else {}),
        **({"gossamer/note": list(frame.notes)} if frame.notes else {}),
        **({"gossamer/failures": failure_data(page.failures)} if page.failures else {}),
    }
    outcome = Outcome.OK if page.hits else Outcome.NO_MATCH
    return Reply(text=sheet.text(shown), data=data, outcome=outcome, meta=meta)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One search, laid out for a choice of what to show."""

    page: SearchPage
    start: int
    everything: int
    fetch_content: bool
    frame: Frame

    def most_results(self) -> _Shown:
        """As many results as fit without their pages; extracts go before results do."""
        total = len(self.page.hits)
        for with_extracts in (True, False):
            for results in range(total, 0 if total else -1, -1):
                shown = _Shown(results=results, bodies={}, with_extracts=with_extracts)
                if self._size(shown) <= self.frame.max_tokens:
                    return shown
        raise too_small(self._size(_Shown(results=1, bodies={}, with_extracts=False)))

    def with_bodies(self, bare: _Shown) -> _Shown:
        """The same results with as much of their pages as the budget holds, shared out evenly."""
        contents = {n: c for n, c in enumerate(self.page.contents[: bare.results]) if c.page and c.page.text}
        left = self.frame.max_tokens - self._size(bare) - _MARK_TOKENS * len(contents)
        for _ in range(_TRIES):
            shares = share_out({n: count(c.page.text) for n, c in contents.items() if c.page}, left)
            bodies = {n: _body(contents[n], share) for n, share in shares.items() if share >= _LEAST_BODY}
            shown = _Shown(results=bare.results, bodies=bodies, with_extracts=bare.with_extracts)
            size = self._size(shown)
            if not bodies or size <= self.frame.max_tokens:
                return shown
            left -= round((size - self.frame.max_tokens) * 1.1) + len(bodies)
        return bare

    def data(self, shown: _Shown) -> SearchOut:
        """The structured form."""
        page = self.page
        hits = page.hits[: shown.results]
        stats = _stats(page.contents) if self.fetch_content else None
        return SearchOut(
            query=page.query.text[:_SHORT_QUERY] if self.frame.max_tokens < 1000 else page.query.text,
            category=page.query.category,
            language=page.query.language,
            results_count=len(hits),
            search_time_ms=page.elapsed_ms,
            instance_used=page.instance,
            fetch_content=self.fetch_content,
            results=[self._hit(n, hit, shown) for n, hit in enumerate(hits)],
            total_results=page.total if page.total is not None else self.everything,
            engines_used=list(page.engines[:10]),
            content_fetch_stats=stats,
            suggestions=list(page.suggestions[:3]) or None,
            note=self._notes().removeprefix("Note: ") or None,
            cursor=self._cursor(shown) or None,
        )

    def text(self, shown: _Shown) -> str:
        """The readable form."""
        page, total = self.page, self.everything
        if not page.hits:
            head = f"No results for: {plain(page.query.text, max_chars=_SHORT_QUERY)}"
        else:
            first, last = self.start + 1, self.start + shown.results
            head = f"Results {first}-{last} of {total} from {page.provider}."
        rows = [self._row(n, hit, shown) for n, hit in enumerate(page.hits[: shown.results])]
        cursor = self._cursor(shown)
        block = "\n\n".join(rows)
        suggested = f"Try also: {', '.join(plain(s, max_chars=80) for s in page.suggestions[:3])}"
        return "\n".join(
            part
            for part in (
                head,
                f"Seen by: {', '.join(page.services)}." if page.services else "",
                mark(block, source=self.frame.source(page.instance), fetched_at=self.frame.now, nonce=new_nonce())
                if rows
                else "",
                suggested if page.suggestions and not page.hits else "",
                failure_lines(page.failures, limit=3),
                self._notes(),
                f'More: cursor="{cursor}" (results {last + 1}-{total} of {total})' if cursor else "",
            )
            if part
        )

    def _notes(self) -> str:
        return note_lines([*self.frame.notes, *self.page.notes], self.frame.max_tokens)

    def _size(self, shown: _Shown) -> int:
        structured = self.data(shown).model_dump_json(exclude_none=True)
        return max(count(self.text(shown)), count(structured))

    def _cursor(self, shown: _Shown) -> str:
        end = self.start + shown.results
        return self.frame.cursor_at(end) if shown.results < len(self.page.hits) else ""

    def _hit(self, n: int, hit: Hit, shown: _Shown) -> HitOut:
        content = None
        if n in shown.bodies:
            kept = self.page.contents[n]
            body = mark(
                shown.bodies[n], source=self.frame.source(hit.url), fetched_at=self.frame.now, nonce=new_nonce()
            )
            words = len(kept.page.text.split()) if kept.page else 0
            content = ContentOut(markdown=body, word_count=words, fetch_time_ms=kept.fetch_ms)
        return HitOut(
            title=hit.title,
            url=hit.url,
            description=hit.snippet if shown.with_extracts else "",
            score=hit.score,
            engine=hit.engine or self.page.provider,
            published=hit.published,
            content=content,
        )

    def _row(self, n: int, hit: Hit, shown: _Shown) -> str:
        failure = self.page.contents[n].failure if n < len(self.page.contents) else None
        date = f" ({hit.published})" if hit.published else ""
        lines = [
            f"{self.start + n + 1}. {hit.title}{date}",
            hit.url,
            hit.snippet if shown.with_extracts else "",
            f"(page not read: {failure.outcome})" if failure else "",
            shown.bodies.get(n, ""),
        ]
        return "\n".join(line for line in lines if line)


def share_out(sizes: Mapping[int, int], budget: int) -> dict[int, int]:
    """Split a budget evenly; what a small one does not need goes to the others."""
    shares: dict[int, int] = {}
    left = max(0, budget)
    for place, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: (item[1], item[0]))):
        shares[name] = min(size, left // (len(sizes) - place))
        left -= shares[name]
    return shares


def _body(content: Content, share: int) -> str:
    """The whole page where it fits, else its best passages for the query in page order."""
    page = content.page
    if page is None:
        return ""
    if count(page.text) <= share:
        return page.text
    chosen: list[tuple[int, str]] = []
    for passage in content.passages:
        left = share - sum(count(text) + count(_GAP) for _, text in chosen)
        if left < _LEAST_BODY // 2:
            break
        end = fit(passage.text, 0, left, len(passage.text))
        if chosen and end < len(passage.text):
            continue
        chosen.append((passage.start, passage.text[:end]))
    return _GAP.join(text for _, text in sorted(chosen))


def _stats(contents: Sequence[Content]) -> FetchStats:
    failed = {c.failure.who: c.failure.outcome.value for c in contents if c.failure}
    return FetchStats(
        attempted=len(contents),
        successful=len(contents) - len(failed),
        failed=len(failed),
        total_time_ms=max((c.fetch_ms for c in contents), default=0),
    )
