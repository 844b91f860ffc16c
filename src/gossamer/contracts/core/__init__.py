"""`core`: four tools, Markdown out, page text between marks."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.core.policy import policies
from gossamer.contracts.core.settings import WebSearchSettings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.core.tools import web_answer, web_fetch, web_read, web_search

    return (web_search, web_fetch, web_read, web_answer)


CONTRACT = Contract(
    name="core",
    summary="Four tools, Markdown out.",
    names=("web_search", "web_fetch", "web_read", "web_answer"),
    load=_tools,
    settings={"web_search": WebSearchSettings},
    policies=policies,
)
