"""`o3`: one tool that has a reasoning model search the web and list pages."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.o3.policy import policies
from gossamer.contracts.o3.settings import O3Settings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.o3.o3_search import chatgpt_o3_search

    return (chatgpt_o3_search,)


CONTRACT = Contract(
    name="o3",
    summary="Pages that a reasoning model found, as specified.",
    names=("chatgpt_o3_search",),
    load=_tools,
    settings={"o3": O3Settings},
    policies=policies,
)
