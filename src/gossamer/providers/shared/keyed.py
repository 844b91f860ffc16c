"""Base class of providers that need an API key."""

from pydantic import SecretStr

from gossamer.ports import Provider


class Keyed(Provider):
    """A provider with a key: ready when it has one, and then the operator's own."""

    api_key: SecretStr = SecretStr("")
    """The key of your account; sent in a header where the service takes it there, and never shown."""

    @property
    def is_ready(self) -> bool:
        """It answers nobody without a key."""
        return bool(self.api_key.get_secret_value())

    @property
    def is_own(self) -> bool:
        """The operator pays for it."""
        return self.is_ready
