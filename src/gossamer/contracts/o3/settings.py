"""Settings of the contract `o3`."""

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings
from gossamer.setting_types import HeaderText, Seconds


class O3Settings(ContractSettings):
    """The tool `chatgpt_o3_search` of the contract `o3`, and no other; its key is `providers.openai`'s."""

    timeout_s: Seconds = Field(default=30, description="Seconds that a call may take, all its tries together.")
    model: HeaderText = Field(
        default="o3", description="The model that searches; one that has ended is replaced by its successor."
    )
