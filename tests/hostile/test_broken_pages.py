"""Real pages that were cut, doubled, torn or strewn with control characters and random bytes: none is unreadable.

A sample; `python -m bench.mutations` breaks 300 pages.
"""

import pytest
from bench.mutations import SHARED, outcomes

PAGES = 6


@pytest.mark.skipif(not SHARED.exists(), reason="the pages that extraction is measured with are not on this machine")
def test_no_page_is_so_broken_that_it_cannot_be_read() -> None:
    ends = list(outcomes(PAGES))
    assert len(ends) == PAGES * 5
    assert [end for end in ends if end[2].startswith(("cannot be read", "faults"))] == []
