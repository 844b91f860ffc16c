"""What a service that answers with and without a key complains about, in the words that suit the case."""

from gossamer.errors import Denied, QuotaExhausted
from gossamer.ports import Provider
from gossamer.providers.common.complaints import bad_key, used_up


def turned_away(provider: Provider) -> Denied:
    """The key is wrong, or there is none and the service wants one."""
    if provider.is_own:
        return bad_key(provider)
    return Denied(f"{provider.title} does not answer us without a key.", hint=_get_one(provider))


def spent(provider: Provider, *, retry_after_s: float | None = None) -> QuotaExhausted:
    """The account, or what is free to all, is used up."""
    if provider.is_own:
        return used_up(provider)
    return QuotaExhausted(
        f"{provider.title} gives us no more searches without a key for now.",
        hint=_get_one(provider),
        retry_after_s=retry_after_s,
    )


def _get_one(provider: Provider) -> str:
    return f"Set providers.{provider.name}.api_key, or use another provider."
