"""Settings of the contract `google`."""

from typing import Annotated, ClassVar

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings
from gossamer.setting_types import Share, Whole


class GoogleSettings(ContractSettings):
    """The tools of the contract `google`, and no others."""

    usual: ClassVar = {
        "SIMILARITY_THRESHOLD": "similarity_threshold",
        "CONCURRENCY": "concurrency",
        "REQUEST_TIMEOUT_MS": "timeout_ms",
    }

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

    @property
    def embeddings_at_once(self) -> int:
        """As many as all its requests to the network."""
        return self.concurrency
