"""Every source, what it may say, and which one counts."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs
import pytest

from gossamer.settings.load import Loaded, load
from gossamer.settings.model import Settings
from gossamer.settings.names import env_name, fields


def from_env(**environ: str) -> Loaded:
    """Load with these variables alone, and no settings file."""
    return load(environ=environ, config=Path(os.devnull))


def from_toml(folder: Path, text: str, environ: Mapping[str, str] | None = None) -> Loaded:
    """Load a file with this text."""
    path = folder / "gossamer.toml"
    path.write_text(text, encoding="utf-8")
    return load(environ=environ or {}, config=path)


def value(loaded: Loaded, name: str) -> object:
    """The setting with a dotted name."""
    found: object = loaded.settings
    for part in name.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    return found


def test_nothing_written_gives_the_defaults_and_no_problem() -> None:
    loaded = from_env()
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert set(loaded.origins.values()) == {"default"}
    assert len(loaded.origins) == len(fields())


EVERY_VARIABLE = {
    "GOSSAMER_DATA_DIR": ("/srv/gossamer", "data_dir", Path("/srv/gossamer")),
    "DATA_DIR": ("/srv/gossamer", "data_dir", Path("/srv/gossamer")),
    "GOSSAMER_STORE": ("memory:", "store", "memory:"),
    "GOSSAMER_STATE": ("sqlite:///my files/s.sqlite", "state", "sqlite:///my files/s.sqlite"),
    "GOSSAMER_TOOLS": ("core, WebFetch", "tools", "core,WebFetch"),
    "GOSSAMER_WEB_SEARCH_ENABLED": ("false", "web_search_enabled", False),
    "WEB_SEARCH_ENABLED": ("0", "web_search_enabled", False),
    "GOSSAMER_WEB_FETCH_ENABLED": ("false", "web_fetch_enabled", False),
    "WEB_FETCH_ENABLED": ("no", "web_fetch_enabled", False),
    "GOSSAMER_SEARCH__PROVIDERS": ("wikipedia,library", "search.providers", ("wikipedia", "library")),
    "GOSSAMER_SEARCH__TIMEOUT_S": ("7.5", "search.timeout_s", 7.5),
    "GOSSAMER_SEARCH__PROVIDER_TIMEOUT_S": ("8", "search.provider_timeout_s", 8.0),
    "GOSSAMER_SEARCH__CACHE_S": ("0", "search.cache_s", 0),
    "GOSSAMER_SEARCH__MAX_CONCURRENT_FETCHES": ("9", "search.max_concurrent_fetches", 9),
    "GOSSAMER_PROVIDERS__SEARXNG__BASE_URL": ("http://s", "providers.searxng.base_url", "http://s"),
    "GOSSAMER_PROVIDERS__SEMANTIC_SCHOLAR__API_KEY": ("k", "providers.semantic_scholar.api_key", "k"),
    "SEARXNG_URL": ("http://s", "providers.searxng.base_url", "http://s"),
    "GOOGLE_SAFE_SEARCH": ("strict", "providers.google.safe_search", "strict"),
    "GOSSAMER_NET__ALLOW_PRIVATE": ("[::1]:80, localhost", "net.allow_private", ("[::1]:80", "localhost")),
    "GOSSAMER_NET__ALLOW_DOMAINS": ("a.example", "net.allow_domains", ("a.example",)),
    "GOSSAMER_NET__BLOCK_DOMAINS": ('["a.example"]', "net.block_domains", ("a.example",)),
    "GOSSAMER_NET__ROBOTS": ("IGNORE", "net.robots", "ignore"),
    "GOSSAMER_NET__USER_AGENT": ("Me/1.0 (me@example.com)", "net.user_agent", "Me/1.0 (me@example.com)"),
    "GOSSAMER_NET__PAGE_TIMEOUT_S": ("3", "net.page_timeout_s", 3),
    "GOSSAMER_NET__CONNECT_TIMEOUT_S": ("3", "net.connect_timeout_s", 3),
    "GOSSAMER_NET__SILENCE_S": ("3", "net.silence_s", 3),
    "GOSSAMER_NET__MAX_BYTES": ("4096", "net.max_bytes", 4096),
    "GOSSAMER_NET__CA_BUNDLE": ("/etc/ca.pem", "net.ca_bundle", Path("/etc/ca.pem")),
    "GOSSAMER_NET__PROXY": ("http://p.example:3128", "net.proxy", "http://p.example:3128"),
    "GOSSAMER_NET__SERVICE_PROXY": ("http://p.example:3128", "net.service_proxy", "http://p.example:3128"),
    "GOSSAMER_NET__SERVICE_NO_PROXY": ("a.example", "net.service_no_proxy", ("a.example",)),
    "HTTP_PROXY": ("http://p.example:3128", "net.service_proxy", "http://p.example:3128"),
    "HTTPS_PROXY": ("http://p.example:3128", "net.service_proxy", "http://p.example:3128"),
    "http_proxy": ("http://p.example:3128", "net.service_proxy", "http://p.example:3128"),
    "https_proxy": ("http://p.example:3128", "net.service_proxy", "http://p.example:3128"),
    "GOSSAMER_NET__NO_PROXY": ("a.example,10.0.0.0/8", "net.no_proxy", ("a.example", "10.0.0.0/8")),
    "NO_PROXY": ("a.example, .b.example", "net.service_no_proxy", ("a.example", ".b.example")),
    "no_proxy": ("*", "net.service_no_proxy", ("*",)),
    "SSL_CERT_FILE": ("/etc/ca.pem", "net.ca_bundle", Path("/etc/ca.pem")),
    "GOSSAMER_PAGES__COMMENTS": ("yes", "pages.comments", True),
    "GOSSAMER_WEB_SEARCH__DEFAULT_RESULTS_COUNT": ("5", "web_search.default_results_count", 5),
    "GOSSAMER_WEB_SEARCH__MAX_RESULTS_COUNT": ("20", "web_search.max_results_count", 20),
    "GOSSAMER_WEB_SEARCH__MAX_CONCURRENT_FETCHES": ("3", "web_search.max_concurrent_fetches", 3),
    "GOSSAMER_WEB_SEARCH__DEFAULT_TIMEOUT": ("20", "web_search.default_timeout", 20),
    "GOSSAMER_WEB_SEARCH__CONTENT_FETCH_TIMEOUT": ("15", "web_search.content_fetch_timeout", 15),
    "GOSSAMER_WEB_SEARCH__MAX_CONTENT_SIZE": ("512KB", "web_search.max_content_size", 524_288),
    "GOSSAMER_WEB_SEARCH__SUMMARIZE_LONG_CONTENT": ("no", "web_search.summarize_long_content", False),
    "GOSSAMER_WEB_SEARCH__MAX_SUMMARY_LENGTH": ("200", "web_search.max_summary_length", 200),
    "GOSSAMER_WEB_SEARCH__EXTRACT_CODE_BLOCKS": ("off", "web_search.extract_code_blocks", False),
    "GOSSAMER_WEBSEARCH__PROVIDER": ("bing,brave", "WebSearch.Provider", ("bing", "brave")),
    "GOSSAMER_WEBSEARCH__APIKEY": ("a-key", "WebSearch.ApiKey", "a-key"),
    "GOSSAMER_WEBSEARCH__MAXRESULTSPERQUERY": ("5", "WebSearch.MaxResultsPerQuery", 5),
    "GOSSAMER_WEBSEARCH__DEFAULTSAFESEARCH": ("No", "WebSearch.DefaultSafeSearch", False),
    "GOSSAMER_WEBSEARCH__CACHEDURATIONMINUTES": ("0", "WebSearch.CacheDurationMinutes", 0),
    "GOSSAMER_WEBSEARCH__RATELIMITPERMINUTE": ("60", "WebSearch.RateLimitPerMinute", 60),
    "GOSSAMER_WEBFETCH__TIMEOUTSECONDS": ("12", "WebFetch.TimeoutSeconds", 12),
    "GOSSAMER_WEBFETCH__MAXCONTENTLENGTH": ("5000", "WebFetch.MaxContentLength", 5000),
    "GOSSAMER_WEBFETCH__USERAGENT": ("Me/1.0", "WebFetch.UserAgent", "Me/1.0"),
    "GOSSAMER_WEBFETCH__RESPECTROBOTSTXT": ("No", "WebFetch.RespectRobotsTxt", False),
    "GOSSAMER_WEBFETCH__CACHEDURATIONMINUTES": ("0", "WebFetch.CacheDurationMinutes", 0),
    "GOSSAMER_READ__CHUNK_TOKENS": ("256", "read.chunk_tokens", 256),
    "EMBEDDING_TOKENS_SIZE": ("512", "read.chunk_tokens", 512),
    "GOSSAMER_EMBEDDING__SERVER_URL": ("http://a.test:8080", "embedding.server_url", "http://a.test:8080"),
    "EMBEDDING_SERVER_URL": ("https://a.test/v1", "embedding.server_url", "https://a.test/v1"),
    "GOSSAMER_EMBEDDING__API_KEY": ("sk-1", "embedding.api_key", "sk-1"),
    "EMBEDDING_SERVER_API_KEY": ("sk-1", "embedding.api_key", "sk-1"),
    "GOSSAMER_EMBEDDING__MODEL": ("nomic-embed-text", "embedding.model", "nomic-embed-text"),
    "EMBEDDING_MODEL_NAME": ("BAAI/bge-m3", "embedding.model", "BAAI/bge-m3"),
    "GOSSAMER_EMBEDDING__QUESTION_PREFIX": ("query:", "embedding.question_prefix", "query:"),
    "GOSSAMER_EMBEDDING__TEXT_PREFIX": ("none", "embedding.text_prefix", "none"),
    "GOSSAMER_EMBEDDING__TIMEOUT_S": ("3", "embedding.timeout_s", 3),
    "GOSSAMER_EMBEDDING__MULTILINGUAL": ("no", "embedding.multilingual", False),
    "GOSSAMER_EMBEDDING__RERANK_MODEL": ("/m/model.onnx", "embedding.rerank_model", Path("/m/model.onnx")),
    "GOSSAMER_GOOGLE__TIMEOUT_MS": ("1500", "google.timeout_ms", 1500),
    "REQUEST_TIMEOUT_MS": ("1500", "google.timeout_ms", 1500),
    "GOSSAMER_GOOGLE__CONCURRENCY": ("4", "google.concurrency", 4),
    "CONCURRENCY": ("4", "google.concurrency", 4),
    "GOSSAMER_GOOGLE__SIMILARITY_THRESHOLD": ("0.5", "google.similarity_threshold", 0.5),
    "SIMILARITY_THRESHOLD": ("0.5", "google.similarity_threshold", 0.5),
    "GOSSAMER_OPENAI__TIMEOUT_S": ("20", "openai.timeout_s", 20),
    "GOSSAMER_OPENAI__CACHE_S": ("0", "openai.cache_s", 0),
    "GOSSAMER_OPENAI__GUARDRAILS": ("Literal", "openai.guardrails", "literal"),
    "GOSSAMER_OPENAI__GUARDRAILS_FILE": ("/etc/rules.toml", "openai.guardrails_file", Path("/etc/rules.toml")),
    "GOSSAMER_O3__TIMEOUT_S": ("45", "o3.timeout_s", 45),
    "GOSSAMER_O3__MODEL": ("gpt-5.6-sol", "o3.model", "gpt-5.6-sol"),
    "GOSSAMER_READ__TIMEOUT_S": ("3", "read.timeout_s", 3),
    "GOSSAMER_ANSWER__TIMEOUT_S": ("3", "answer.timeout_s", 3),
    "GOSSAMER_ANSWER__MODEL": ("qwen3", "answer.model", "qwen3"),
    "GOSSAMER_ANSWER__BASE_URL": ("http://127.0.0.1:11434/v1", "answer.base_url", "http://127.0.0.1:11434/v1"),
    "GOSSAMER_ANSWER__API_KEY": ("sk-answer", "answer.api_key", "sk-answer"),
    "GOSSAMER_ANSWER__UNSUPPORTED": ("flag", "answer.unsupported", "flag"),
    "GOSSAMER_LIBRARY__REMEMBER": ("off", "library.remember", False),
    "GOSSAMER_LIBRARY__MAX_BYTES": ("33554432", "library.max_bytes", 33_554_432),
    "GOSSAMER_LIBRARY__JOURNAL": ("Truncate", "library.journal", "truncate"),
    "GOSSAMER_DOTLESS": ("yes", "dotless", True),
    "GOSSAMER_LANGUAGE": ("JA", "language", "ja"),
    "GOSSAMER_HTTP__HOSTS": ("web.example.org", "http.hosts", ("web.example.org",)),
    "GOSSAMER_HTTP__ORIGINS": ("https://chat.example.org", "http.origins", ("https://chat.example.org",)),
    "GOSSAMER_HTTP__TOKENS": ("/run/secrets/tokens.json", "http.tokens", Path("/run/secrets/tokens.json")),
    "GOSSAMER_LIMITS__REQUESTS": ("0", "limits.requests", "0"),
    "GOSSAMER_LIMITS__TOOLS": ("web_search=20/600", "limits.tools", ("web_search=20/600",)),
    "GOSSAMER_LIMITS__IN_FLIGHT": ("4", "limits.in_flight", 4),
    "GOSSAMER_LIMITS__IN_FLIGHT_TOTAL": ("40", "limits.in_flight_total", 40),
    "GOSSAMER_LOG__LEVEL": ("debug", "log.level", "debug"),
}


@pytest.mark.promise("001.26", "001.27", "001.28", "001.29", "004.86")
@pytest.mark.parametrize("variable", EVERY_VARIABLE)
def test_a_variable_sets_its_setting(variable: str) -> None:
    text, name, expected = EVERY_VARIABLE[variable]
    loaded = from_env(**{variable: text})
    assert loaded.problems == ()
    assert value(loaded, name) == expected
    assert loaded.origins[name] == f"environment {variable}"


def test_every_setting_has_a_variable_in_the_table_above() -> None:
    assert {env_name(key) for key in fields()} <= set(EVERY_VARIABLE)


def test_flags_win_over_the_environment_over_the_file_over_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_text("[net]\nrobots = 'ignore'\nmax_bytes = 2000\nsilence_s = 1\n", encoding="utf-8")
    loaded = load(
        config=path,
        environ={"GOSSAMER_NET__MAX_BYTES": "3000", "GOSSAMER_NET__SILENCE_S": "2"},
        flags={"net.silence_s": "3"},
    )
    net = loaded.settings.net
    assert (net.page_timeout_s, net.robots, net.max_bytes, net.silence_s) == (20, "ignore", 3000, 3)
    assert [loaded.origins[f"net.{name}"] for name in ("page_timeout_s", "robots", "max_bytes", "silence_s")] == [
        "default",
        f"file {path}",
        "environment GOSSAMER_NET__MAX_BYTES",
        "flag --silence-s",
    ]
    assert loaded.problems == ()


def test_our_own_name_wins_over_the_usual_one() -> None:
    loaded = from_env(DATA_DIR="/usual", GOSSAMER_DATA_DIR="/ours")
    assert loaded.settings.data_dir == Path("/ours")


def test_tables_of_one_provider_are_joined_from_all_sources(tmp_path: Path) -> None:
    text = "[providers.searxng]\nbase_url = 'http://file'\nlanguage = 'de'\n[providers.wikipedia]\nlimit = 3\n"
    loaded = from_toml(tmp_path, text, {"SEARXNG_URL": "http://env"})
    assert loaded.settings.providers == {
        "searxng": {"base_url": "http://env", "language": "de"},
        "wikipedia": {"limit": 3},
    }
    assert loaded.origins["providers.searxng.language"] == f"file {tmp_path / 'gossamer.toml'}"
    assert loaded.origins["providers.searxng.base_url"] == "environment SEARXNG_URL"


@pytest.mark.parametrize("empty", ["", "   "])
def test_an_empty_variable_counts_as_unset(empty: str) -> None:
    loaded = from_env(GOSSAMER_NET__ROBOTS=empty, DATA_DIR=empty, GOSSAMER_NO_SUCH=empty, GOSSAMER_CONFIG=empty)
    assert loaded.settings == Settings()
    assert loaded.problems == ()


@pytest.mark.promise("001.25")
def test_the_data_folder_is_the_systems_own_for_user_data_unless_one_is_named() -> None:
    assert from_env().settings.data_dir == Path(platformdirs.user_data_dir("gossamer", appauthor=False))
    assert from_env(DATA_DIR="/srv/g").settings.data_dir == Path("/srv/g")


@pytest.mark.promise("001.49")
def test_the_addresses_default_to_files_in_the_data_folder() -> None:
    settings = from_env(DATA_DIR="/srv/g").settings
    assert settings.store_address == "sqlite:///srv/g/store.sqlite"
    assert settings.state_address == "sqlite:///srv/g/state.sqlite"
    settings = from_env(GOSSAMER_STORE="memory:", GOSSAMER_STATE="memory:").settings
    assert (settings.store_address, settings.state_address) == ("memory:", "memory:")


def test_the_journal_that_is_set_is_added_to_addresses_that_take_one_and_name_none() -> None:
    settings = from_env(DATA_DIR="/srv/g", GOSSAMER_LIBRARY__JOURNAL="truncate", GOSSAMER_STATE="memory:").settings
    assert settings.store_address == "sqlite:///srv/g/store.sqlite?journal=truncate"
    assert settings.state_address == "memory:"
    named = "sqlite:///srv/g/store.sqlite?journal=wal"
    settings = from_env(GOSSAMER_LIBRARY__JOURNAL="truncate", GOSSAMER_STORE=named).settings
    assert settings.store_address == named
    settings = from_env(GOSSAMER_LIBRARY__JOURNAL="truncate", GOSSAMER_STORE="postgresql://db/g").settings
    assert settings.store_address == "postgresql://db/g"


def test_without_a_mapping_the_process_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSSAMER_LOG__LEVEL", "error")
    assert load(config=Path(os.devnull)).settings.log.level == "error"


def test_settings_are_frozen_and_show_no_provider_table() -> None:
    settings = from_env(GOSSAMER_PROVIDERS__BRAVE__API_KEY="hush").settings
    assert "hush" not in repr(settings)
    with pytest.raises(ValueError, match="frozen"):
        settings.tools = "all"  # pyright: ignore[reportAttributeAccessIssue]


SECRET_NAMES = ("API_KEY", "KEY", "TOKEN", "CLIENT_SECRET", "PASSWORD")


@pytest.mark.parametrize("variable", ["EMBEDDING_SERVER_API_KEY", "GOSSAMER_EMBEDDING__API_KEY"])
def test_the_key_of_the_embedding_server_may_stand_in_a_file(variable: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hush\n", encoding="utf-8")
    loaded = from_env(**{f"{variable}_FILE": str(tmp_path / "key")})
    assert loaded.problems == ()
    assert loaded.settings.embedding.api_key == "hush"
    assert loaded.origins["embedding.api_key"] == f"environment {variable}_FILE"
    assert "hush" not in repr(loaded.settings)


@pytest.mark.parametrize("field", SECRET_NAMES)
def test_a_secret_may_stand_in_a_file_that_a_variable_names(field: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("hush\n", encoding="utf-8")
    variable = f"GOSSAMER_PROVIDERS__BRAVE__{field}_FILE"
    loaded = from_env(**{variable: str(path)})
    assert loaded.settings.providers == {"brave": {field.lower(): "hush"}}
    assert loaded.origins[f"providers.brave.{field.lower()}"] == f"environment {variable}"
    assert loaded.problems == ()


def test_a_secret_itself_wins_over_its_file(tmp_path: Path) -> None:
    loaded = from_env(
        GOSSAMER_PROVIDERS__BRAVE__API_KEY="direct",
        GOSSAMER_PROVIDERS__BRAVE__API_KEY_FILE=str(tmp_path / "absent"),
    )
    assert loaded.settings.providers == {"brave": {"api_key": "direct"}}
    assert loaded.problems == ()


def test_a_field_that_is_no_secret_keeps_its_name_even_when_it_ends_in_file() -> None:
    loaded = from_env(GOSSAMER_PROVIDERS__SEARXNG__LIST_FILE="/x")
    assert loaded.settings.providers == {"searxng": {"list_file": "/x"}}


@pytest.mark.parametrize(
    "variable", ["GOSSAMER_NET__PROXY", "GOSSAMER_NET__SERVICE_PROXY", "HTTP_PROXY", "https_proxy"]
)
def test_the_password_of_a_proxy_does_not_stand_in_the_settings_as_they_are_printed(variable: str) -> None:
    for address in ("http://me:sesame@proxy.example:3128", "socks5://me:sesame@proxy.example"):
        loaded = load(environ={variable: address})
        assert "sesame" not in f"{loaded.settings!r} {loaded.problems!r}"


ODD_PROXIES = ("socks5://me:sesame@proxy.example", "not a proxy", "http://pr\N{SNOWMAN}xy", "p" * 400, "http://\udcff")


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"])
@pytest.mark.parametrize("address", ODD_PROXIES)
def test_whatever_the_environment_holds_for_a_proxy_is_no_mistake_in_the_settings(variable: str, address: str) -> None:
    loaded = from_env(**{variable: address})
    assert loaded.problems == ()
    assert loaded.settings.net.service_proxy_variable == variable
    assert "service_proxy_variable" not in f"{loaded.settings!r} {dict(loaded.origins)}"


@pytest.mark.parametrize("variable", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize(
    "text", ["a.example, .b.example", "a.example .b.example", "'a.example',\".b.example\"", "a.example\t,,.b.example,"]
)
def test_what_goes_past_the_proxy_is_written_for_other_programs_with_commas_or_blanks(variable: str, text: str) -> None:
    loaded = from_env(**{variable: text})
    assert loaded.problems == ()
    assert loaded.settings.net.service_no_proxy == ("a.example", ".b.example")


def test_a_long_list_of_what_goes_past_the_proxy_is_no_mistake() -> None:
    loaded = from_env(NO_PROXY=",".join(f"n{number}.example" for number in range(5000)))
    assert loaded.problems == ()
    assert loaded.settings.net.service_no_proxy[0] == "n0.example"


def test_a_service_proxy_of_our_own_name_counts_before_the_environment_and_has_no_variable(tmp_path: Path) -> None:
    ours = from_env(HTTP_PROXY="socks5://a", GOSSAMER_NET__SERVICE_PROXY="http://b:1")
    file = from_toml(tmp_path, "[net]\nservice_proxy = 'http://b:1'")
    for loaded in (ours, file):
        assert loaded.settings.net.service_proxy == "http://b:1"
        assert loaded.settings.net.service_proxy_variable == ""


def test_the_name_of_the_variable_cannot_be_set(tmp_path: Path) -> None:
    written = from_toml(tmp_path, "[net]\nservice_proxy_variable = 'x'")
    named = from_env(GOSSAMER_NET__SERVICE_PROXY_VARIABLE="x")
    assert [len(loaded.problems) for loaded in (written, named)] == [1, 1]
