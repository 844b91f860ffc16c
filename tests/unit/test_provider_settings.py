"""What is wrong with a provider's table is told by its name, and never with what is in it."""

from typing import Any

import pytest

from gossamer.compose import configured_providers, engine_options
from gossamer.errors import BadSettings
from gossamer.settings.load import load

WRONG: dict[str, tuple[dict[str, dict[str, Any]], str]] = {
    "a key in the clear": (
        {"brave": {"api_key": "k-secret", "base_url": "http://api.example/v1"}},
        "providers.brave: base_url must begin with https://",
    ),
    "a key in two lines": ({"brave": {"api_key": "k-secret\nk"}}, "providers.brave.api_key: must be a key in one word"),
    "no such field": ({"brave": {"api_key": "k-secret", "no_such": 1}}, "providers.brave.no_such: "),
    "a time that is none": ({"exa": {"api_key": "k-secret", "timeout_s": 0}}, "providers.exa.timeout_s: "),
    "no such provider": ({"quill": {"api_key": "k-secret"}}, "no provider named 'quill'"),
}


@pytest.mark.parametrize(("tables", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_table_is_named_and_its_key_is_not_told(tables: dict[str, dict[str, Any]], says: str) -> None:
    with pytest.raises(BadSettings) as failed:
        configured_providers(tables)
    assert says in failed.value.message
    assert "k-secret" not in f"{failed.value.__cause__} {failed.value}"


def test_the_time_of_a_provider_is_a_setting_for_all_and_for_each() -> None:
    environment = {"GOSSAMER_SEARCH__PROVIDER_TIMEOUT_S": "7", "GOSSAMER_PROVIDERS__OPENAI__TIMEOUT_S": "120"}
    settings = load(environ=environment).settings
    (openai,) = configured_providers(settings.providers, names=["openai"])
    assert engine_options(settings).provider_timeout_s == 7
    assert openai.timeout_s == 120


@pytest.mark.promise("001.30")
def test_what_google_filters_by_default_has_the_name_that_people_know() -> None:
    settings = load(environ={"GOOGLE_SAFE_SEARCH": "strict"}).settings
    (google,) = configured_providers(settings.providers, names=["google"])
    assert google.model_dump()["safe_search"] == "strict"
