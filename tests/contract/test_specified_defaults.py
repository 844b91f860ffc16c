"""What holds where nothing is set: the times, counts and levels that the specifications name."""

import re
import tomllib
from pathlib import Path

import pytest

from gossamer.contracts import CONTRACTS
from gossamer.contracts.google.policy import GooglePolicy
from gossamer.settings.load import load
from gossamer.wiring.limits import contract_policies

SETTINGS = load(environ={}, config=Path("/dev/null")).settings
TOOLS = {one.name: one for contract in CONTRACTS.values() for one in contract.tools}
SECONDS = {
    "web_search": 30,
    "WebSearch": 30,
    "WebFetch": 30,
    "web.search": 20,
    "web.readFromPage": 20,
    "search_web": 15,
    "chatgpt_o3_search": 30,
}


@pytest.mark.promise("000.17", "000.85", "001.28", "002.112", "003.67", "004.85")
@pytest.mark.parametrize(("tool", "seconds"), SECONDS.items())
def test_a_call_has_the_time_that_its_specification_says(tool: str, seconds: float) -> None:
    assert TOOLS[tool].timeout_s(contract_policies(SETTINGS)) == seconds


@pytest.mark.promise("000.22")
def test_of_all_tools_one_has_a_limit_of_its_own() -> None:
    assert {name: tool.rate for name, tool in TOOLS.items() if tool.rate} == {"search_web": "20/600"}


@pytest.mark.promise(
    "000.130",
    "001.26",
    "001.29",
    "001.30",
    "003.104",
    "003.105",
    "003.122",
    "003.123",
    "003.125",
    "003.126",
    "003.127",
    "003.130",
)
def test_levels_and_counts_are_those_of_the_specifications() -> None:
    assert (SETTINGS.google.similarity_threshold, SETTINGS.google.concurrency) == (0.72, 2)
    assert SETTINGS.openai.cache_s == 300
    assert SETTINGS.search.cache_s == 3600
    assert SETTINGS.WebFetch.CacheDurationMinutes == 24 * 60
    assert SETTINGS.WebSearch.RateLimitPerMinute == 30
    assert SETTINGS.WebSearch.MaxResultsPerQuery == 20
    assert SETTINGS.WebSearch.DefaultSafeSearch
    assert (SETTINGS.WebFetch.TimeoutSeconds, SETTINGS.WebFetch.MaxContentLength) == (30, 100_000)
    assert contract_policies(SETTINGS).of(GooglePolicy).safe_search == "off"


DOCUMENT = (Path(__file__).parents[2] / "docs" / "mcp-servers.md").read_text(encoding="utf-8")
UNUSED = (
    "instance_health_check_interval",
    "max_consecutive_failures",
    "rate_limit_backoff_base",
    "rotate_user_agents",
    "request_delay_range",
    "use_random_instances",
)


@pytest.mark.promise("003.121")
def test_the_settings_that_the_document_shows_are_read_as_they_stand(tmp_path: Path) -> None:
    [block] = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    file = tmp_path / "gossamer.toml"
    file.write_text(block, encoding="utf-8")
    loaded = load(environ={"BRAVE_API_KEY": "k"}, config=file)
    assert loaded.problems == ()
    shown = tomllib.loads(block)
    assert set(shown) == {"WebSearch", "WebFetch"}
    assert loaded.settings.WebSearch.MaxResultsPerQuery == shown["WebSearch"]["MaxResultsPerQuery"]
    assert loaded.settings.WebFetch.UserAgent == shown["WebFetch"]["UserAgent"]


@pytest.mark.promise("002.115", "002.116", "002.117", "002.118", "002.119", "002.120")
@pytest.mark.parametrize("name", UNUSED)
def test_a_setting_that_means_nothing_here_is_told_and_the_document_says_so(name: str, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(f"[web_search]\n{name} = 1\n", encoding="utf-8")
    loaded = load(environ={}, config=file)
    assert loaded.problems == ()
    assert loaded.unused == (f"web_search.{name} (file {file})",)
    assert f"`{name}`" in DOCUMENT


def test_a_block_that_is_pasted_whole_is_read_but_for_what_sets_nothing(tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    lines = [f"{name} = [100, 500]" if name == "request_delay_range" else f"{name} = 3" for name in UNUSED]
    file.write_text("\n".join(["[web_search]", "max_summary_length = 300", *lines]), encoding="utf-8")
    loaded = load(environ={"DATA_DIR": str(tmp_path)}, config=file)
    assert loaded.problems == ()
    assert loaded.settings.web_search.max_summary_length == 300
    assert [name.partition(" ")[0] for name in loaded.unused] == [f"web_search.{name}" for name in UNUSED]
