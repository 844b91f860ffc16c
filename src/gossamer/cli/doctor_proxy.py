"""What doctor says of proxies: who goes through which, and which names they look up."""

from typing import Literal, NamedTuple

from gossamer.compose import net_policy
from gossamer.errors import GossamerError
from gossamer.net.policy import NetPolicy
from gossamer.net.resolve import Lookups, Resolve, SystemResolver
from gossamer.settings.model import Settings

_PROBE = "example.com"
_PROBE_S = 2.0


class ProxyFinding(NamedTuple):
    """One line of the report."""

    name: str
    text: str
    state: Literal["works", "broken"] = "works"


async def examine_proxies(settings: Settings, *, resolve: Resolve | None = None) -> list[ProxyFinding]:
    """A line for the proxy of pages and one for that of services, where they have one of their own."""
    try:
        policy = net_policy(settings)
    except GossamerError:
        return []  # told among the settings
    findings: list[ProxyFinding] = []
    if policy.way_out is not None:
        who = "pages go" if policy.service_proxy else "everything goes"
        looks_up = await _looks_up(resolve or SystemResolver())
        findings.append(ProxyFinding("proxy", f"{who} through {policy.way_out.url}; {looks_up}"))
    if policy.service_way is not None and policy.service_way.problem:
        findings.append(ProxyFinding("service proxy", str(policy.service_way.problem), "broken"))
    elif policy.service_proxy and policy.service_way is not None:
        findings.append(ProxyFinding("service proxy", _of_services(policy, policy.service_way.url)))
    return findings


async def _looks_up(resolve: Resolve) -> str:
    try:
        await Lookups(resolve, limit_s=_PROBE_S).addresses(_PROBE)
    except GossamerError:
        return "names cannot be looked up here, so it looks up all of them: that none leads inside is its to judge"
    return (
        "names are looked up here first and refused where they lead inside; it looks up those without an answer here, "
        "and that none of them leads inside is its to judge"
    )


def _of_services(policy: NetPolicy, url: str) -> str:
    pages = "" if policy.way_out else ": they go straight to their sites, unless net.proxy is set"
    return f"search services and the embedding server are asked through {url}, pages are not{pages}"
