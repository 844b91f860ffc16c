"""`google`: the tools of a server for searching with Google and reading pages; objects out, exactly as specified."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.google.policy import policies
from gossamer.contracts.google.settings import GoogleSettings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.google.google_search import google_search
    from gossamer.contracts.google.read_from_page import read_from_page

    return (google_search, read_from_page)


CONTRACT = Contract(
    name="google",
    summary="Plain objects out, as specified.",
    names=("web.search", "web.readFromPage"),
    load=_tools,
    settings={"google": GoogleSettings},
    policies=policies,
)
