"""Settings of one contract or one of its tools, under the names of its specification."""

from typing import Annotated, Literal

from pydantic import Field

from gossamer.settings.types import (
    Age,
    ByteSize,
    Choice,
    HeaderText,
    OptionalCount,
    OptionalLocation,
    OptionalMinutes,
    OptionalSeconds,
    OptionalSwitch,
    Seconds,
    Section,
    Share,
    Switch,
    Whole,
    Words,
)


class WebSearchSettings(Section):
    """The tool `web_search` of the contract `core`, and no other; the names are its specification's."""

    default_results_count: Annotated[int, Field(ge=1, le=50), Whole] = Field(
        default=10, description="How many results a call returns that does not say."
    )
    max_results_count: Annotated[int, Field(ge=1, le=50), Whole] = Field(
        default=50, description="The most results that a call returns, whatever it asks for."
    )
    max_concurrent_fetches: OptionalCount = Field(
        default=None, description="How many result pages are fetched at once; empty: `search.max_concurrent_fetches`."
    )
    default_timeout: OptionalSeconds = Field(
        default=None, description="Seconds that a call may take, pages included; empty: as `search.timeout_s` says."
    )
    content_fetch_timeout: Seconds = Field(
        default=45, description="Seconds that fetching one result page may take; the end of the call ends it too."
    )
    max_content_size: ByteSize = Field(
        default=2_097_152, description="How much of one result page is read: 2MB; never more than `net.max_bytes`."
    )
    summarize_long_content: Switch = Field(
        default=True, description="Whether result pages come with a summary made of their own sentences."
    )
    max_summary_length: Annotated[int, Field(ge=50, le=2_000), Whole] = Field(
        default=500, description="The longest summary, in characters."
    )
    extract_code_blocks: Switch = Field(
        default=True, description="Whether code on result pages is shown where the passages for the query leave it out."
    )


class MediaSearchSettings(Section):
    """The tool `WebSearch` of the contract `websearch`, and no other; the names are its specification's."""

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


class WebFetchSettings(Section):
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


class GoogleSettings(Section):
    """The tools of the contract `google`, and no others."""

    timeout_ms: Annotated[int, Field(ge=100, le=600_000), Whole] = Field(
        default=20_000, description="Milliseconds that a call, and each page of it, may take."
    )
    concurrency: Annotated[int, Field(ge=1, le=64), Whole] = Field(
        default=2, description="How many of its requests to the network run at once, those for vectors too."
    )
    similarity_threshold: Share = Field(
        default=0.72,
        description="How close to the query a chunk must be, from 0 to 1: on a common scale for the package's own "
        "tables, as the plain cosine for the model of an embedding server.",
    )


class OpenAISettings(Section):
    """The tool `search_web` of the contract `openai`, and no other; its key and model are `providers.openai`'s."""

    timeout_s: Seconds = Field(default=15, description="Seconds that a call may take, both attempts together.")
    cache_s: Age = Field(default=300, description="Seconds for which the same search is not asked again.")
    guardrails: Annotated[Literal["ours", "literal", "off"], Choice] = Field(
        default="ours",
        description="Which queries on prediction markets and RSS feeds are refused, since other servers are for them: "
        "`ours` weighs words and phrases, `literal` takes the specification's lists as they are, `off` refuses none.",
    )
    guardrails_file: OptionalLocation = Field(
        default=None,
        description="A TOML file of rules in the form of the package's own, "
        "`gossamer/contracts/openai/guardrails.toml`, in whose place they hold; empty: the package's.",
    )


class O3Settings(Section):
    """The tool `chatgpt_o3_search` of the contract `o3`, and no other; its key is `providers.openai`'s."""

    timeout_s: Seconds = Field(default=30, description="Seconds that a call may take, all its tries together.")
    model: HeaderText = Field(
        default="o3", description="The model that searches; one that has ended is replaced by its successor."
    )
