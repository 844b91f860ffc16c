"""Pages of ten manuals, evenly over each: every one is read, and has its lists, tables and code.

All of them, some four thousand, are read by `python -m bench.manuals`.
"""

import pytest

from gossamer.extractors.dispatch import read
from gossamer.model.page import View
from tests import components
from tests.manual_parts import ASIDES, Part, compared, pages_of, parts_of, source_of, url_of, without_note

pytestmark = pytest.mark.component("packages")

PER_MANUAL = 8
MAX_BYTES = 150_000
"""Larger pages are read by the benchmark: here each would take as long as all others."""
MOST_LOST = 0.005


def test_the_lists_tables_and_code_of_manuals_are_kept_or_said_to_be_left_out() -> None:
    every, lost = 0, list[tuple[str, Part]]()
    for name, asides in ASIDES.items():
        pages = [page for page in pages_of(components.find("packages") / name) if page.stat().st_size < MAX_BYTES]
        step = max(1, len(pages) // PER_MANUAL)
        for page in pages[::step][:PER_MANUAL]:
            source = source_of(page)
            result = read(source, content_type="text/html", url=url_of(page), view=View())
            count = compared(parts_of(source, asides), result.text)
            every += count.every.total()
            lost += [(page.name, part) for part in without_note(count, result)]
    assert every > 500
    assert len(lost) <= MOST_LOST * every, lost
