"""Names of settings: in the file, in the environment, and the nearest one to a misspelt name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from pydantic.fields import FieldInfo

from gossamer.setting_types import Section
from gossamer.settings.model import BLOCKS, Settings

PREFIX = "GOSSAMER_"
CONFIG = "GOSSAMER_CONFIG"
"""Names the settings file; the one variable of ours that is no setting."""
PROVIDERS = "providers"

_IN_A_PROVIDER = re.compile(rf"{PREFIX}{PROVIDERS.upper()}__([A-Z0-9]+(?:_[A-Z0-9]+)*)__([A-Z0-9]+(?:_[A-Z0-9]+)*)")

Key = tuple[str, ...]
"""Where a setting stands: `("net", "robots")`, written `net.robots`."""

UNUSED = frozenset((name, unused) for name, block in BLOCKS.items() for unused in block.unused)
"""Names that a block may hold which was written for another server of the same specification: nothing here has them."""

USUAL: Mapping[str, Key] = MappingProxyType(
    {
        "DATA_DIR": ("data_dir",),
        "WEB_SEARCH_ENABLED": ("web_search_enabled",),
        "WEB_FETCH_ENABLED": ("web_fetch_enabled",),
        "EMBEDDING_TOKENS_SIZE": ("read", "chunk_tokens"),
        "EMBEDDING_SERVER_URL": ("embedding", "server_url"),
        "EMBEDDING_SERVER_API_KEY": ("embedding", "api_key"),
        "EMBEDDING_MODEL_NAME": ("embedding", "model"),
        "SSL_CERT_FILE": ("net", "ca_bundle"),
        "HTTP_PROXY": ("net", "service_proxy"),
        "http_proxy": ("net", "service_proxy"),
        "HTTPS_PROXY": ("net", "service_proxy"),
        "https_proxy": ("net", "service_proxy"),
        "NO_PROXY": ("net", "service_no_proxy"),
        "no_proxy": ("net", "service_no_proxy"),
        "SEARXNG_URL": (PROVIDERS, "searxng", "base_url"),
        "BRAVE_API_KEY": (PROVIDERS, "brave", "api_key"),
        "GOOGLE_API_KEY": (PROVIDERS, "google", "api_key"),
        "GOOGLE_SEARCH_ENGINE_ID": (PROVIDERS, "google", "engine_id"),
        "GOOGLE_SAFE_SEARCH": (PROVIDERS, "google", "safe_search"),
        "BING_API_KEY": (PROVIDERS, "bing", "api_key"),
        "SERPER_API_KEY": (PROVIDERS, "serper", "api_key"),
        "KAGI_API_KEY": (PROVIDERS, "kagi", "api_key"),
        "JINA_API_KEY": (PROVIDERS, "jina", "api_key"),
        "MOJEEK_API_KEY": (PROVIDERS, "mojeek", "api_key"),
        "MARGINALIA_API_KEY": (PROVIDERS, "marginalia", "api_key"),
        "TAVILY_API_KEY": (PROVIDERS, "tavily", "api_key"),
        "EXA_API_KEY": (PROVIDERS, "exa", "api_key"),
        "PERPLEXITY_API_KEY": (PROVIDERS, "perplexity", "api_key"),
        "FIRECRAWL_API_KEY": (PROVIDERS, "firecrawl", "api_key"),
        "YDC_API_KEY": (PROVIDERS, "you", "api_key"),
        "OPENAI_API_KEY": (PROVIDERS, "openai", "api_key"),
        "STACKEXCHANGE_API_KEY": (PROVIDERS, "stackexchange", "api_key"),
        "GITHUB_TOKEN": (PROVIDERS, "github", "api_key"),
        "SEMANTIC_SCHOLAR_API_KEY": (PROVIDERS, "semantic_scholar", "api_key"),
        "OPENALEX_API_KEY": (PROVIDERS, "openalex", "api_key"),
    }
    | {variable: (name, field) for name, block in BLOCKS.items() for variable, field in block.usual.items()}
)
"""Names that people use already, beside ours; where both are set, ours counts."""


@cache
def fields() -> Mapping[Key, FieldInfo]:
    """Every setting in the order of the model; those inside provider tables are the providers' own."""
    return MappingProxyType(
        {key: field for key, field in _walk(Settings, ()) if key != (PROVIDERS,) and not field.exclude}
    )


def _walk(model: type[Section], above: Key) -> Iterator[tuple[Key, FieldInfo]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Section):
            yield from _walk(inner, (*above, name))
        else:
            yield (*above, name), field


@cache
def sections() -> Mapping[str, str]:
    """Every table of the file with what it is about, in the order of the model."""
    tables: dict[str, str] = {}
    for name, field in Settings.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Section):
            tables[name] = inner.__doc__ or ""
    tables[PROVIDERS] = Settings.model_fields[PROVIDERS].description or ""
    return MappingProxyType(tables)


def dotted(key: Key) -> str:
    """A setting's name in the file and on the screen."""
    return ".".join(key)


def env_name(key: Key) -> str:
    """The variable of a setting: `GOSSAMER_<SECTION>__<NAME>`."""
    return PREFIX + "__".join(key).upper()


def usual_name(key: Key) -> str:
    """The name that people use already, or nothing."""
    return next((name for name, other in USUAL.items() if other == key), "")


def key_of(variable: str) -> Key | None:
    """The setting that a variable of ours names; None when there is no such setting.

    A provider's fields are known to the provider alone, so any name inside its table is passed on.
    """
    if match := _IN_A_PROVIDER.fullmatch(variable):
        return (PROVIDERS, match[1].lower(), match[2].lower())
    return _by_env().get(variable)


@cache
def _by_env() -> Mapping[str, Key]:
    return {env_name(key): key for key in fields()}


def provider_variable(name: str, field: str) -> str:
    """The environment variable that sets a field of a provider, by the name that people use where there is one."""
    key = (PROVIDERS, name, field)
    return usual_name(key) or env_name(key)


def nearest_key(name: str) -> str:
    """A hint for a name in the file or of a flag that does not exist."""
    return _hint(name, [*map(dotted, fields()), *sections()], prefix="")


def nearest_variable(name: str) -> str:
    """A hint for a variable that does not exist; what all of ours have in common says nothing about nearness."""
    known = [*_by_env(), CONFIG, *(env_name(key) for key in USUAL.values())]
    return _hint(name.upper().removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in known], prefix=PREFIX)


def _hint(name: str, known: Sequence[str], *, prefix: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {prefix}{close[0]}?" if close else "`gossamer settings` lists every name."
