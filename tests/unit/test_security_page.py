"""Every promise of docs/security.md names its test, and the test is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
PROMISES = PAGE.partition("\n## What is promised\n")[2].partition("\n## What is not promised\n")[0]


def test_every_promise_names_a_test_that_exists() -> None:
    promises = re.findall(r"(?m)^- .+(?:\n  .+)*", PROMISES)
    assert promises
    for promise in promises:
        tests = re.findall(r"`(tests/\S+)`", promise)
        assert tests, promise
        assert [name for name in tests if not (ROOT / name).is_file()] == []
