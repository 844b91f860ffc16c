"""Settings of the contract `core`."""

from typing import Annotated

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings
from gossamer.setting_types import ByteSize, OptionalCount, OptionalSeconds, Seconds, Switch, Whole


class WebSearchSettings(ContractSettings):
    """The tool `web_search` of the contract `core`, and no other; the names are its specification's."""

    unused = frozenset(
        {
            "instance_health_check_interval",
            "max_consecutive_failures",
            "rate_limit_backoff_base",
            "rotate_user_agents",
            "request_delay_range",
            "use_random_instances",
        }
    )

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
