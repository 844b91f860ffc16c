"""Settings of the contract `openai`."""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings
from gossamer.setting_types import Age, Choice, OptionalLocation, Seconds


class OpenAISettings(ContractSettings):
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

    def check(self, providers: Collection[str]) -> None:  # noqa: ARG002  it names none
        """The file of rules can be read and holds rules."""
        if self.guardrails_file:
            from gossamer.contracts.openai.guardrails import read_rules

            read_rules(self.guardrails_file)
