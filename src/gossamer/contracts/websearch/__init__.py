"""`websearch`: the web-search tools of a media library's agent; objects out, exactly as specified."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.websearch.policy import policies
from gossamer.contracts.websearch.settings import MediaSearchSettings, WebFetchSettings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.websearch.web_fetch import web_fetch
    from gossamer.contracts.websearch.web_search import web_search

    return (web_search, web_fetch)


CONTRACT = Contract(
    name="websearch",
    summary="Plain objects out, as specified.",
    names=("WebSearch", "WebFetch"),
    load=_tools,
    settings={"WebSearch": MediaSearchSettings, "WebFetch": WebFetchSettings},
    policies=policies,
)
