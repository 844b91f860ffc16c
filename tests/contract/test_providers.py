from pathlib import Path

from gossamer.providers import PROVIDERS
from gossamer.testing.provider_contract import ProviderContract


class TestProviders(ProviderContract):
    providers = PROVIDERS
    cases = Path(__file__).parents[1] / "cases" / "providers"
    keys_in_address = frozenset({"google", "mojeek", "openalex", "stackexchange"})
