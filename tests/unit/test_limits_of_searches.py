"""What the settings of `web_search` mean for the engine."""

from pathlib import Path

from gossamer.engine import ContentRules, WebSearchRules
from gossamer.model.http import FetchTerms
from gossamer.settings.load import load
from gossamer.wiring.limits import engine_limits

AS_SPECIFIED = """
[web_search]
default_results_count = 10
max_results_count = 50
max_concurrent_fetches = 5
default_timeout = 30
content_fetch_timeout = 45
max_content_size = "2MB"
summarize_long_content = true
max_summary_length = 500
extract_code_blocks = true
"""
OTHERWISE = """
[search]
timeout_s = 12
max_concurrent_fetches = 2
[web_search]
default_results_count = 30
max_results_count = 20
content_fetch_timeout = 5
max_content_size = "64 KB"
summarize_long_content = false
extract_code_blocks = false
"""


def settings_file(folder: Path, text: str) -> Path:
    file = folder / "gossamer.toml"
    file.write_text(text)
    return file


def test_the_block_of_the_specification_says_what_holds_anyway(tmp_path: Path) -> None:
    loaded = load(config=settings_file(tmp_path, AS_SPECIFIED), environ={})
    assert loaded.problems == ()
    asked, ours = engine_limits(loaded.settings), engine_limits(load(environ={}).settings)
    assert asked.web_search == ours.web_search == WebSearchRules()
    assert asked.deadlines.search_s == ours.deadlines.search_s == 30


def test_every_value_of_the_block_reaches_the_engine(tmp_path: Path) -> None:
    limits = engine_limits(load(config=settings_file(tmp_path, OTHERWISE), environ={}).settings)
    assert limits.web_search == WebSearchRules(
        default_count=20,
        max_count=20,
        contents=ContentRules(
            at_once=2, terms=FetchTerms(timeout_s=5, max_bytes=65_536), summary_chars=0, code_blocks=False
        ),
    )
    assert limits.deadlines.search_s == 12
