"""An agent's loop over MCP: a model sees the tools and the results so far, and chooses the next call or the answer.

    python examples/agent.py "What is the tallest lighthouse in the world?"

`decide` stands where your model stands. It follows three fixed rules, so the example needs no key; hand `tools` and
`steps` to a model with tool calling instead, and leave the rest as it is.
"""

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, Tool

MOST_STEPS = 6
PAGES = 3


@dataclass(frozen=True)
class ToolCall:
    """What the model wants to be called."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A call and its result."""

    call: ToolCall
    outcome: str
    text: str
    data: dict[str, Any]


def decide(question: str, tools: list[Tool], steps: list[Step]) -> ToolCall | str:
    """Search first, then read the best pages for the question, then answer with what they say."""
    offered = {tool.name for tool in tools}
    last = steps[-1] if steps else None
    if last is None and "web_search" in offered:
        return ToolCall("web_search", {"query": question, "fetch_content": False, "results_count": PAGES})
    if last is not None and last.call.tool == "web_search" and last.outcome == "ok":
        urls = [result["url"] for result in last.data["results"]]
        return ToolCall("web_read", {"urls": urls, "queries": [question], "max_results": PAGES, "max_tokens": 500})
    if last is not None and last.outcome == "ok":
        return last.text
    return f"No answer: the last call ended as {last.outcome if last else 'no tool to search with'}."


def step_of(call: ToolCall, result: CallToolResult) -> Step:
    """A result as the model needs it: one outcome word, the text, and the object where the tool has one."""
    text = "".join(getattr(block, "text", "") for block in result.content)
    outcome = str((result.meta or {}).get("gossamer/outcome"))
    return Step(call, outcome, text, result.structured_content or {})


async def main(question: str) -> int:
    """Run the loop, and print each call as it happens."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "gossamer", "serve"], env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        steps: list[Step] = []
        while len(steps) < MOST_STEPS:
            choice = decide(question, tools, steps)
            if isinstance(choice, str):
                print(choice)
                return 0 if steps and steps[-1].outcome == "ok" else 1
            result = await client.call_tool(choice.tool, choice.arguments)
            steps.append(step_of(choice, result))
            print(f"{choice.tool} {choice.arguments} -> {steps[-1].outcome}", file=sys.stderr)
    print(f"No answer within {MOST_STEPS} calls.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(" ".join(sys.argv[1:]))))
