"""`openai`: one tool that has a model search the web and write a short text with citations."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.openai.policy import policies
from gossamer.contracts.openai.settings import OpenAISettings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.openai.search_web import search_web

    return (search_web,)


CONTRACT = Contract(
    name="openai",
    summary="A model's text and its citations, as specified.",
    names=("search_web",),
    load=_tools,
    settings={"openai": OpenAISettings},
    policies=policies,
)
