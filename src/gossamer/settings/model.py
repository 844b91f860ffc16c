"""The settings model: the name, type, bounds, default and meaning of every setting."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from gossamer.contracts import CONTRACTS
from gossamer.contracts.contract_settings import B, ContractSettings, Tables
from gossamer.ports.addresses import Entry, with_option
from gossamer.setting_types import (
    Address,
    Age,
    Choice,
    CommaList,
    HeaderText,
    HttpAddress,
    Location,
    OptionalLocation,
    ProxyAddress,
    RateText,
    Seconds,
    Section,
    Switch,
    ToolRates,
    Whole,
    Words,
)
from gossamer.states import STATES
from gossamer.stores import STORES


def _data_dir() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("gossamer", appauthor=False))


class SearchSettings(Section):
    """Asking search providers, and fetching the pages they name."""

    providers: Words = Field(
        default=(), description="The providers that may be asked, in this order; empty: every one that is ready."
    )
    timeout_s: Seconds = Field(default=30, description="Seconds that a whole search may take, page contents included.")
    provider_timeout_s: Seconds = Field(
        default=10, description="Seconds that one provider may take to answer, unless it is known to need more."
    )
    cache_s: Age = Field(default=3600, description="Seconds for which the same search is not asked again.")
    max_concurrent_fetches: Annotated[int, Field(ge=1, le=50), Whole] = Field(
        default=5, description="How many result pages are fetched at once."
    )


class NetSettings(Section):
    """The door to the web: where it leads, how it asks, how long and how much it takes."""

    allow_private: Words = Field(
        default=(),
        description="Private names, addresses or networks that pages may come from, each with or without a port. "
        "An address is opened to who writes its number, a network also to the names that lead into it; public pages "
        "lead to none of them.",
    )
    allow_domains: Words = Field(
        default=(),
        description="The only domains that pages may come from, with their subdomains; `=a.example` without them, "
        "`@/path` for a file with one a line; empty: any.",
    )
    block_domains: Words = Field(
        default=(), description="Domains that pages are never fetched from, written like `net.allow_domains`."
    )
    robots: Annotated[Literal["respect", "ignore"], Choice] = Field(
        default="respect", description="Whether a site's robots.txt is obeyed."
    )
    user_agent: HeaderText = Field(default="", description="How we introduce ourselves to sites; empty: as Gossamer.")
    page_timeout_s: Seconds = Field(default=20, description="Seconds that fetching one page may take, redirects too.")
    connect_timeout_s: Seconds = Field(default=5, description="Seconds that a connection may take to open.")
    silence_s: Seconds = Field(default=10, description="Seconds without a single byte after which we give up.")
    max_bytes: Annotated[int, Field(ge=1024, le=33_554_432), Whole] = Field(
        default=10_485_760, description="How much of a page is read, in bytes, unpacked."
    )
    ca_bundle: OptionalLocation = Field(
        default=None, description="A file of certificate authorities to trust; empty: the system's own."
    )
    proxy: ProxyAddress = Field(
        default="",
        repr=False,
        description="The proxy for pages and services. Names are judged before it hears of them; those that cannot be "
        "looked up here it looks up itself. Empty: straight to the sites.",
    )
    no_proxy: Words = Field(
        default=(),
        description="Domains, addresses or networks that are reached past the proxy, on every port; `*`: all.",
    )
    service_proxy: ProxyAddress = Field(
        default="",
        repr=False,
        description="A proxy for search services and the embedding server alone, through which no page ever goes; "
        "empty: `net.proxy`. `HTTPS_PROXY` is read too and counts before `HTTP_PROXY`, small letters count before "
        "capitals; one of them that is no HTTP proxy stops only what would go through it. `ALL_PROXY` is not read.",
    )
    service_proxy_variable: str = Field(default="", exclude=True, repr=False)
    """The usual variable that `service_proxy` was read from, so that an error can name it; no setting itself."""
    service_no_proxy: Words = Field(
        default=(), description="Services that are reached past their proxy, beside those of `net.no_proxy`."
    )


class PageSettings(Section):
    """What is read of a page."""

    comments: Switch = Field(
        default=False, description="Whether readers' comments under an article are read; posts of a thread always are."
    )


class ReadSettings(Section):
    """Reading pages for passages."""

    chunk_tokens: Annotated[int, Field(ge=32, le=2048), Whole] = Field(
        default=128, description="How long a stored chunk may be, in tokens."
    )
    timeout_s: Seconds = Field(default=30, description="Seconds that reading may take, fetching included.")


class EmbeddingSettings(Section):
    """Vectors by which passages are compared; without a server they come from tables in the package."""

    server_url: HttpAddress = Field(
        default="",
        description="A server that speaks OpenAI's `/v1/embeddings`, written with or without `/v1`; empty: none.",
    )
    api_key: HeaderText = Field(default="", repr=False, description="The key of that server, where it wants one.")
    model: HeaderText = Field(default="", description="The model that the server is asked for; vectors are kept by it.")
    timeout_s: Seconds = Field(default=10, description="Seconds that one request to the server may take.")
    question_prefix: HeaderText = Field(
        default="auto",
        description="What the model reads before a question; `auto`: what it is known to want, `none`: nothing.",
    )
    text_prefix: HeaderText = Field(
        default="auto",
        description="What the model reads before the text of a page, in the same way; after a change: "
        "`gossamer library reembed --all`.",
    )
    multilingual: Switch = Field(
        default=True,
        description="Whether the extra `multilingual`, where it is installed, compares a page with a question in "
        "another language.",
    )
    rerank_model: OptionalLocation = Field(
        default=None,
        description="A cross-encoder for the extra `rerank`: an ONNX file with its tokenizer.json beside it; "
        "empty: none.",
    )


class AnswerSettings(Section):
    """Answering questions from pages."""

    timeout_s: Seconds = Field(default=60, description="Seconds that an answer may take, search and reading included.")
    model: HeaderText = Field(
        default="",
        description="A model that writes answers out of what was read; empty: answers are made of quotes, without one.",
    )
    base_url: HttpAddress = Field(
        default="",
        description="Where that model is asked: the address before `/chat/completions`, or the whole one, which may "
        "end in `/responses`; empty: OpenAI's.",
    )
    api_key: HeaderText = Field(default="", repr=False, description="The key of that service, where it wants one.")
    unsupported: Annotated[Literal["drop", "flag"], Choice] = Field(
        default="drop",
        description="What becomes of a sentence of the model that what it cites does not support: left out, or shown "
        "with what is missing.",
    )


class LibrarySettings(Section):
    """The memory of everything read."""

    remember: Switch = Field(default=True, description="Whether pages stay findable after they were read.")
    max_bytes: Annotated[int, Field(ge=16_777_216, le=1_099_511_627_776), Whole] = Field(
        default=2_147_483_648,
        description="How large the library may grow; beyond it, what was not used for longest is forgotten.",
    )
    journal: Annotated[Literal["auto", "wal", "truncate"], Choice] = Field(
        default="auto",
        description="How SQLite writes: `wal` on a disk of this machine, `truncate` on one that others share; "
        "`auto`: by where the file lies.",
    )


class HttpSettings(Section):
    """Serving over HTTP."""

    hosts: Words = Field(
        default=(), description="Names, each with or without a port, by which clients reach this server."
    )
    origins: Words = Field(
        default=(), description="Origins of web pages that may call this server, such as `https://chat.example.org`."
    )
    tokens: OptionalLocation = Field(
        default=None, description="The file of bearer tokens; empty: tokens.json in the data folder."
    )


class LimitSettings(Section):
    """What one user of a shared server may ask for."""

    requests: RateText = Field(
        default="120/60", description="Requests of one user over HTTP, as `count/seconds`; 0: no limit."
    )
    tools: ToolRates = Field(
        default=(),
        description="Calls of one user per tool, as `tool=count/seconds`, on stdio and HTTP; 0: no limit. `search_web` "
        "has 20/600 unless it is named here.",
    )
    in_flight: Annotated[int, Field(ge=1, le=10_000), Whole] = Field(
        default=16, description="How many requests of one user may run at once over HTTP."
    )
    in_flight_total: Annotated[int, Field(ge=1, le=100_000), Whole] = Field(
        default=1024, description="How many requests of all users may run at once over HTTP."
    )


class LogSettings(Section):
    """What is told on stderr; little by default, because MCP clients keep all that a server logs."""

    level: Annotated[Literal["debug", "info", "warning", "error"], Choice] = Field(
        default="warning", description="The least important event that is logged; the one event per call is info."
    )


class GeneralSettings(Section):
    """The settings of no contract."""

    data_dir: Location = Field(
        default_factory=_data_dir,
        description="The folder in which everything is kept; by default the system's place for user data.",
    )
    store: Address = Field(
        default="",
        description="The address at which pages are kept, `sqlite:///path` or `duckdb:///path` (extra `duckdb`); "
        "empty: store.sqlite in the data folder.",
    )
    state: Address = Field(
        default="",
        description="The address at which limits and caches are kept; empty: state.sqlite in the data folder.",
    )
    tools: CommaList = Field(default="core", description="Which tools are published: names of contracts or tools.")
    dotless: Switch = Field(
        default=False, description="Whether tools with a dot in their name are published with a hyphen instead."
    )
    language: Annotated[Literal["en", "ja"], Choice] = Field(
        default="en", description="The language in which tools and prompts describe themselves."
    )
    web_search_enabled: Switch = Field(default=True, description="Whether the tools that search are published.")
    web_fetch_enabled: Switch = Field(default=True, description="Whether the tools that open pages are published.")
    search: SearchSettings = Field(default_factory=SearchSettings)
    net: NetSettings = Field(default_factory=NetSettings)
    pages: PageSettings = Field(default_factory=PageSettings)
    read: ReadSettings = Field(default_factory=ReadSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    answer: AnswerSettings = Field(default_factory=AnswerSettings)
    library: LibrarySettings = Field(default_factory=LibrarySettings)
    http: HttpSettings = Field(default_factory=HttpSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    providers: dict[str, dict[str, Any]] = Field(
        default={}, repr=False, description="One table per provider, as written; the providers check their own."
    )

    @property
    def store_address(self) -> str:
        """Where pages are kept, the default spelt out."""
        return self._journaled(STORES, self.store or self._sqlite("store.sqlite"))

    @property
    def state_address(self) -> str:
        """Where limits and caches are kept, the default spelt out."""
        return self._journaled(STATES, self.state or self._sqlite("state.sqlite"))

    def _journaled(self, entries: Mapping[str, Entry], address: str) -> str:
        """An address that says how its file is written, where that was set and its class takes it."""
        journal = self.library.journal
        return address if journal == "auto" else with_option(entries, address, "journal", journal)

    def _sqlite(self, name: str) -> str:
        """The address of a file in the data folder: three slashes, then the full path without its own."""
        return f"sqlite:///{(self.data_dir / name).as_posix().lstrip('/')}"


BLOCKS: Mapping[str, type[ContractSettings]] = MappingProxyType(
    {name: block for contract in CONTRACTS.values() for name, block in contract.settings.items()}
)
"""The blocks of the contracts, by their names in the file."""
_fields: dict[str, Any] = {name: (block, Field(default_factory=block)) for name, block in BLOCKS.items()}


class Settings(create_model("_WithContracts", __base__=GeneralSettings, **_fields)):
    """What was written, checked and complete; what it means is the engine's business.

    `Settings()` holds the defaults alone; `gossamer.settings.load.load` reads the file and the environment.
    """

    @property
    def blocks(self) -> list[ContractSettings]:
        """The block of each contract, in the order of the registry."""
        return [getattr(self, name) for name in BLOCKS]

    def block(self, kind: type[B]) -> B:
        """The block of this kind."""
        return next(block for block in self.blocks if isinstance(block, kind))

    @property
    def provider_tables(self) -> Tables:
        """One table per provider, with the keys that blocks of contracts lend them."""
        tables: Tables = self.providers
        for block in self.blocks:
            tables = block.lend(tables)
        return tables
