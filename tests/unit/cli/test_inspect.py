"""What people see: every value with its origin and meaning, and no secret."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.cli.inspect import Row, rows
from gossamer.settings.load import load
from gossamer.settings.names import fields
from gossamer.settings.reference import EXAMPLE, settings_page


def shown(**environ: str) -> dict[str, Row]:
    """The rows by name, with these variables alone."""
    return {row.name: row for row in rows(load(config=Path(os.devnull), environ=environ))}


def test_every_setting_has_a_row_with_its_meaning_and_variable() -> None:
    found = shown()
    assert list(found) == [".".join(key) for key in fields()]
    assert all(row.meaning and row.env.startswith("GOSSAMER_") and row.origin == "default" for row in found.values())


def test_a_key_that_is_not_set_is_not_masked() -> None:
    assert shown()["embedding.api_key"].value == ""


VALUES = {
    "a word": ("GOSSAMER_NET__ROBOTS", "ignore", "net.robots", "ignore"),
    "a list": ("GOSSAMER_NET__ALLOW_DOMAINS", '["a","b"]', "net.allow_domains", "a, b"),
    "a switch": ("GOSSAMER_LIBRARY__REMEMBER", "no", "library.remember", "false"),
    "a whole number of seconds": ("GOSSAMER_NET__SILENCE_S", "3.0", "net.silence_s", "3"),
    "a fraction": ("GOSSAMER_NET__SILENCE_S", "3.5", "net.silence_s", "3.5"),
    "a proxy with a password": (
        "HTTPS_PROXY",
        "http://me:word@p.example:1",
        "net.service_proxy",
        "http://********@p.example:1",
    ),
    "a proxy with a password and no scheme": ("HTTP_PROXY", "me:word@p:1", "net.service_proxy", "********@p:1"),
    "a proxy with an odd password": (
        "GOSSAMER_NET__PROXY",
        "http://me:wo/r@d@p.example:1",
        "net.proxy",
        "http://********@p.example:1",
    ),
    "a proxy with a key for a name": (
        "http_proxy",
        "https://word@p.example",
        "net.service_proxy",
        "https://********@p.example",
    ),
    "a path": ("SSL_CERT_FILE", "/etc/ca.pem", "net.ca_bundle", "/etc/ca.pem"),
    "an address": ("GOSSAMER_STORE", "memory:", "store", "memory:"),
    "the default address, spelt out": ("DATA_DIR", "/srv", "store", "sqlite:///srv/store.sqlite"),
    "a password in an address": ("GOSSAMER_STATE", "redis://me:hu@sh@host/0", "state", "redis://me:********@host/0"),
    "a provider's field": ("SEARXNG_URL", "http://s", "providers.searxng.base_url", "http://s"),
    "a provider's key": ("GOSSAMER_PROVIDERS__BRAVE__API_KEY", "hush", "providers.brave.api_key", "********"),
    "the key of the embedding server": ("EMBEDDING_SERVER_API_KEY", "hush", "embedding.api_key", "********"),
    "a provider's token": ("GOSSAMER_PROVIDERS__BRAVE__TOKEN", "hush", "providers.brave.token", "********"),
    "a provider's secret": ("GOSSAMER_PROVIDERS__X__MY_SECRET", "hush", "providers.x.my_secret", "********"),
}


@pytest.mark.parametrize(("variable", "text", "name", "expected"), VALUES.values(), ids=VALUES)
def test_a_value_is_shown_as_it_would_be_written(variable: str, text: str, name: str, expected: str) -> None:
    assert shown(**{variable: text})[name].value == expected


def test_a_row_names_origin_and_both_variables() -> None:
    row = shown(SEARXNG_URL="http://s")["providers.searxng.base_url"]
    assert (row.origin, row.env, row.usual) == (
        "environment SEARXNG_URL",
        "GOSSAMER_PROVIDERS__SEARXNG__BASE_URL",
        "SEARXNG_URL",
    )


@pytest.mark.promise("004.77")
def test_nothing_secret_inside_a_provider_table_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_text(
        "[providers.x]\nheaders = {Authorization = 'hush', Accept = 'json'}\nmirrors = ['http://u:hush@m', 'http://n']",
        encoding="utf-8",
    )
    found = {row.name: row.value for row in rows(load(config=path, environ={}))}
    assert found["providers.x.headers"] == "Authorization = ********, Accept = json"
    assert found["providers.x.mirrors"] == "http://u:********@m, http://n"


def test_the_page_lists_every_setting_and_its_variable() -> None:
    page = settings_page()
    for row in shown().values():
        assert f"| `{row.name.split('.')[-1]}` | `{row.env}`" in page
        assert row.meaning in page
        assert f"`{row.usual}`" in page
    assert "Generated" in page.splitlines()[0]


def test_the_page_says_nothing_about_the_machine_it_was_made_on() -> None:
    script = Path(__file__).parents[3] / "scripts" / "docs_settings.py"
    source = Path(__file__).parents[3] / "src"
    done = subprocess.run(
        [sys.executable, script],
        env={"HOME": "/somewhere/else", "PYTHONPATH": str(source), "GOSSAMER_TOOLS": "all"},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert done.stdout == settings_page()


def test_the_example_on_the_page_is_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert load(config=path, environ={}).problems == ()


def test_loading_settings_pulls_in_nothing_that_makes_a_start_slow() -> None:
    code = (
        "import sys; from gossamer.settings.load import load; from pathlib import Path; "
        "load(config=Path('/dev/null'), environ={'DATA_DIR': '/srv'}); "
        "print([m for m in ('typer', 'rich', 'platformdirs', 'difflib', 'httpx2', 'numpy') if m in sys.modules])"
    )
    source = Path(__file__).parents[3] / "src"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "[]\n"
