"""Settings of the contract `websearch`."""

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings, Tables
from gossamer.errors import BadSettings
from gossamer.setting_types import HeaderText, OptionalMinutes, OptionalSwitch, Seconds, Switch, Whole, Words


class MediaSearchSettings(ContractSettings):
    """The tool `WebSearch` of the contract `websearch`, and no other; the names are its specification's."""

    by_variable = frozenset({"ApiKey"})

    Provider: Words = Field(
        default=(),
        description="The provider that is asked, or several in their order; empty: Brave where it has a key, then as "
        "for every search.",
    )
    ApiKey: HeaderText = Field(
        default="",
        repr=False,
        description="The key of that provider (of the first, of Brave where none is named), unless its own table has "
        "one; `${NAME}` stands for a variable of the environment.",
    )
    MaxResultsPerQuery: Annotated[int, Field(ge=1, le=20), Whole] = Field(
        default=20, description="The most results that a call returns, whatever it asks for."
    )
    DefaultSafeSearch: Switch = Field(
        default=True, description="Whether results are filtered where a call does not say."
    )
    CacheDurationMinutes: OptionalMinutes = Field(
        default=None, description="Minutes for which the same search is not asked again; empty: `search.cache_s`."
    )
    RateLimitPerMinute: Annotated[int, Field(ge=1, le=600), Whole] = Field(
        default=30, description="Requests a minute to each provider; further ones wait for their turn."
    )

    def lend(self, tables: Tables) -> Tables:
        """The key goes to the first provider named, to Brave where none is, unless its own table has one."""
        name = next(iter(self.Provider), "brave")
        own = tables.get(name, {})
        if not self.ApiKey or own.get("api_key"):
            return tables
        return {**tables, name: {**own, "api_key": self.ApiKey}}

    def check(self, providers: Collection[str]) -> None:
        """Every provider named is one."""
        for name in self.Provider:
            if name not in providers:
                raise BadSettings(
                    f"WebSearch.Provider names {name!r}, which is no provider.",
                    hint=f"Known are: {', '.join(providers)}.",
                )


class WebFetchSettings(ContractSettings):
    """The tool `WebFetch` of the contract `websearch`, and no other; the names are its specification's."""

    TimeoutSeconds: Seconds = Field(default=30, description="Seconds that a call may take.")
    MaxContentLength: Annotated[int, Field(ge=1, le=1_000_000), Whole] = Field(
        default=100_000, description="The most characters of content that a call returns, whatever it asks for."
    )
    UserAgent: HeaderText = Field(
        default="", description="How it introduces itself to sites; empty: as `net.user_agent` says."
    )
    RespectRobotsTxt: OptionalSwitch = Field(
        default=None, description="Whether a site's robots.txt is obeyed; empty: as `net.robots` says."
    )
    CacheDurationMinutes: Annotated[int, Field(ge=0, le=1440), Whole] = Field(
        default=1440, description="Minutes for which a page is not asked for again; less where its site says so."
    )
