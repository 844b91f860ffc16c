"""What the settings of the contracts mean: the policies by which their tools ask."""

from pathlib import Path

import pytest

from gossamer.cli.inspect import rows
from gossamer.compose import configured_providers, contract_policies, misfits
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.google.policy import GooglePolicy
from gossamer.contracts.openai.policy import SearchWebPolicy
from gossamer.contracts.websearch.policy import WebSearchPolicy
from gossamer.engine.policies import ContentPolicy, SearchPolicy
from gossamer.model.http import FetchPolicy
from gossamer.resilience.retry import RetryPolicy
from gossamer.settings.load import load
from gossamer.settings.model import Settings

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


@pytest.mark.promise(
    "002.109", "002.110", "002.111", "002.112", "002.113", "002.114", "002.121", "002.122", "002.123", "002.171"
)
def test_the_block_of_the_specification_says_what_holds_anyway(tmp_path: Path) -> None:
    loaded = load(config=settings_file(tmp_path, AS_SPECIFIED), environ={})
    assert loaded.problems == ()
    asked, ours = contract_policies(loaded.settings), contract_policies(load(environ={}).settings)
    assert asked.of(CorePolicy) == ours.of(CorePolicy) == CorePolicy()
    assert CorePolicy().search_s == 30


@pytest.mark.promise("002.111", "002.113")
def test_every_value_of_the_block_reaches_the_engine(tmp_path: Path) -> None:
    policies = contract_policies(load(config=settings_file(tmp_path, OTHERWISE), environ={}).settings)
    assert policies.of(CorePolicy) == CorePolicy(
        search_s=12,
        default_count=20,
        max_count=20,
        contents=ContentPolicy(
            at_once=2, fetch=FetchPolicy(timeout_s=5, max_bytes=65_536), summary_chars=0, code_blocks=False
        ),
    )


BLOCK = """
[WebSearch]
Provider = "brave"
ApiKey = "${BRAVE_API_KEY}"
MaxResultsPerQuery = 20
DefaultSafeSearch = true
CacheDurationMinutes = 60
RateLimitPerMinute = 30
"""
QUEUED = RetryPolicy(most=2, when_limited=True)


def test_the_media_library_s_block_says_what_holds_anyway_but_who_is_asked(tmp_path: Path) -> None:
    loaded = load(config=settings_file(tmp_path, BLOCK), environ={"BRAVE_API_KEY": "k-secret-1"})
    assert loaded.problems == ()
    policy = contract_policies(loaded.settings).of(WebSearchPolicy)
    usual = contract_policies(load(environ={}).settings).of(WebSearchPolicy)
    assert usual == WebSearchPolicy()
    assert usual.search == SearchPolicy(first=("brave",), retries=QUEUED, keep_s=None, per_minute=30)
    assert policy == WebSearchPolicy(
        search=SearchPolicy(providers=("brave",), first=("brave",), retries=QUEUED, keep_s=3600.0, per_minute=30)
    )


def test_every_value_of_the_media_library_s_block_reaches_the_engine(tmp_path: Path) -> None:
    text = """
    [search]
    timeout_s = 12
    [WebSearch]
    Provider = ["bing", "searxng"]
    MaxResultsPerQuery = 5
    DefaultSafeSearch = false
    CacheDurationMinutes = 0
    RateLimitPerMinute = 600
    """
    policies = contract_policies(load(config=settings_file(tmp_path, text), environ={}).settings)
    assert policies.of(WebSearchPolicy) == WebSearchPolicy(
        timeout_s=12,
        max_count=5,
        is_safe=False,
        search=SearchPolicy(
            providers=("bing", "searxng"), first=("brave",), retries=QUEUED, keep_s=0.0, per_minute=600
        ),
    )


KEYS: dict[str, tuple[dict[str, str], str, str]] = {
    "Brave's, where nobody is named": ({"GOSSAMER_WEBSEARCH__APIKEY": "k-block-01"}, "brave", "k-block-01"),
    "of who is named first": (
        {"GOSSAMER_WEBSEARCH__APIKEY": "k-block-01", "GOSSAMER_WEBSEARCH__PROVIDER": "serper,brave"},
        "serper",
        "k-block-01",
    ),
    "a variable": ({"GOSSAMER_WEBSEARCH__APIKEY": " ${MY_KEY} ", "MY_KEY": "k-mine-001"}, "brave", "k-mine-001"),
    "a variable that is not set": ({"GOSSAMER_WEBSEARCH__APIKEY": "${MY_KEY}"}, "brave", ""),
    "never against its own": (
        {"GOSSAMER_WEBSEARCH__APIKEY": "k-block-01", "BRAVE_API_KEY": "k-brave-01"},
        "brave",
        "k-brave-01",
    ),
    "none": ({}, "brave", ""),
}


@pytest.mark.parametrize(("environ", "name", "key"), KEYS.values(), ids=KEYS)
def test_the_block_s_key_is_its_provider_s(environ: dict[str, str], name: str, key: str) -> None:
    loaded = load(environ=environ)
    assert loaded.problems == ()
    (provider,) = configured_providers(loaded.settings.provider_tables, names=[name])
    assert getattr(provider, "api_key").get_secret_value() == key  # noqa: B009  not every provider has one


def test_the_block_s_key_is_never_shown() -> None:
    loaded = load(environ={"GOSSAMER_WEBSEARCH__APIKEY": "k-block-01"})
    assert "k-block-01" not in f"{loaded.settings!r}"
    assert "k-block-01" not in str(rows(loaded))


def test_a_provider_of_the_block_that_does_not_exist_is_told() -> None:
    (problem,) = misfits(Settings.model_validate({"WebSearch": {"Provider": "brave,altavista"}}))
    assert problem.message == "WebSearch.Provider names 'altavista', which is no provider."


def test_a_file_of_guardrails_is_kept_and_told_where_it_cannot_be_used(tmp_path: Path) -> None:
    settings = Settings.model_validate({"openai": {"guardrails_file": tmp_path / "gone.toml"}})
    assert contract_policies(settings).of(SearchWebPolicy).guardrails_file == tmp_path / "gone.toml"
    (problem,) = misfits(settings)
    assert "openai.guardrails_file" in problem.message
    assert not misfits(Settings())


SAFE = {"moderate": "moderate", "strict": "strict", "off": "off", "": "off", "loud": "off"}


@pytest.mark.parametrize(("said", "meant"), SAFE.items(), ids=SAFE)
def test_what_google_filters_by_default_has_the_specification_s_name(said: str, meant: str) -> None:
    policies = contract_policies(load(environ={"GOOGLE_SAFE_SEARCH": said}).settings)
    assert policies.of(GooglePolicy).safe_search == meant
