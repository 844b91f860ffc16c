"""The demo: a real MCP client starts the real server and walks the whole path on the mini web."""

import asyncio
import logging
import sys
import tempfile
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer.demo.facts import FACTS, OUTCOMES, Fact
from gossamer.demo.ordinary import ORDINARY
from gossamer.demo.web import MiniWeb
from gossamer.errors import Outcome
from gossamer.steps.tokens.count import count

_LINES = 9
_WIDTH = 108


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One call: what is asked, why, and what the page behind it really says."""

    title: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome
    expects: tuple[str, ...]
    """Words of the page that must come back."""
    most_tokens: int


def steps(base: str) -> tuple[Step, ...]:
    """The walk: search, fetch, read, answer, and how walls are separated from content."""
    charge, deadline, lens = _fact("/gazette/sandpiper"), _fact("/skein/docs/deadlines"), _fact("/gazette/lighthouse")
    plates = next(fact for fact in FACTS if "23,417 plates" in fact.answer)
    roof, tea = _fact("/observatory/summary-2025.pdf"), _fact("/zh/")
    wall, forbidden = "/webcam/harbour", "/private/ledger"
    return (
        Step(
            title="Search, with the fitting passages of the pages found",
            tool="web_search",
            arguments={"query": "electric ferry Sandpiper charging time", "results_count": 5, "max_tokens": 3000},
            outcome=Outcome.OK,
            expects=(base + charge.path, charge.answer),
            most_tokens=3000,
        ),
        Step(
            title="Fetch a page of documentation: code keeps its language and indentation",
            tool="web_fetch",
            arguments={"url": base + deadline.path},
            outcome=Outcome.OK,
            expects=(deadline.answer, f"```{ORDINARY[deadline.path].code_language}\n{ORDINARY[deadline.path].code}"),
            most_tokens=8000,
        ),
        Step(
            title="Fetch a PDF",
            tool="web_fetch",
            arguments={"url": base + roof.path, "max_tokens": 1500},
            outcome=Outcome.OK,
            expects=("64,000 euros",),
            most_tokens=1500,
        ),
        Step(
            title="Fetch a Chinese page whose GBK encoding is declared only inside the page",
            tool="web_fetch",
            arguments={"url": base + tea.path},
            outcome=Outcome.OK,
            expects=(tea.answer,),
            most_tokens=8000,
        ),
        Step(
            title="Read a long report for one question: the passages that answer, not the 12,000 tokens around them",
            tool="web_read",
            arguments={"urls": [base + plates.path], "queries": [plates.question], "max_tokens": 500},
            outcome=Outcome.OK,
            expects=(plates.answer,),
            most_tokens=500,
        ),
        Step(
            title="Answer a question: quotes, each found again in its page",
            tool="web_answer",
            arguments={"question": lens.question},
            outcome=Outcome.OK,
            expects=(lens.answer, base + lens.path),
            most_tokens=1500,
        ),
        Step(
            title="A bot wall is an outcome, never content",
            tool="web_fetch",
            arguments={"url": base + wall},
            outcome=OUTCOMES[wall],
            expects=(),
            most_tokens=200,
        ),
        Step(
            title="What robots.txt forbids is not fetched",
            tool="web_fetch",
            arguments={"url": base + forbidden},
            outcome=OUTCOMES[forbidden],
            expects=(),
            most_tokens=200,
        ),
    )


def _fact(prefix: str) -> Fact:
    return next(fact for fact in FACTS if fact.path.startswith(prefix))


def run_demo() -> int:
    """Run the walk and print it; 0 when every step gave what the page really says."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    with MiniWeb() as web, tempfile.TemporaryDirectory(prefix="gossamer-demo-") as folder:
        (Path(folder) / "gossamer.toml").touch()
        environment = {
            "GOSSAMER_CONFIG": f"{folder}/gossamer.toml",
            "DATA_DIR": folder,
            "SEARXNG_URL": web.url,
            "GOSSAMER_SEARCH__PROVIDERS": "searxng,library",
            "GOSSAMER_NET__ALLOW_PRIVATE": web.host,
        }
        print(f"Gossamer on a small web of its own at {web.url}: no key, no internet.\n")
        failed = asyncio.run(_walk(web.url, environment))
        total = len(steps(web.url))
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


async def _walk(base: str, environment: dict[str, str]) -> int:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "gossamer"], env=environment)
    failed = 0
    started = time.monotonic()
    async with Client(stdio_client(parameters)) as client:
        tools = (await client.list_tools()).tools
        print(f"The server offers: {', '.join(tool.name for tool in tools)} ({time.monotonic() - started:.2f} s)\n")
        for number, step in enumerate(steps(base), 1):
            before = time.monotonic()
            result = await client.call_tool(step.tool, dict(step.arguments))
            text = "".join(getattr(block, "text", "") for block in result.content)
            outcome = str((result.meta or {}).get("gossamer/outcome"))
            faults = _faults(step, text, outcome)
            failed += bool(faults)
            print(f"{number}. {step.title}")
            asked = ", ".join(f"{name}={value!r}" for name, value in step.arguments.items())
            print(f"   {step.tool}({asked})")
            print(f"   -> {outcome}, {count(text):,} tokens, {time.monotonic() - before:.2f} s")
            print(_shown(text, step.expects))
            for fault in faults:
                print(f"   FAILED: {fault}")
            print()
    return failed


def _faults(step: Step, text: str, outcome: str) -> list[str]:
    faults = [f"{words!r} did not come back" for words in step.expects if words not in text]
    if outcome != step.outcome.value:
        faults.append(f"the outcome should be {step.outcome.value}")
    if count(text) > step.most_tokens:
        faults.append(f"more than {step.most_tokens} tokens")
    return faults


def _shown(text: str, expects: tuple[str, ...]) -> str:
    """A few lines for people: from the line on that holds the answer, where there is one."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("<untrusted", "</untrusted"))]
    answer = next((words.splitlines()[0] for words in expects if not words.startswith("http")), "")
    at = next((n for n, line in enumerate(lines) if answer and answer in line), 0)
    first = max(0, min(at - 2, len(lines) - _LINES))
    cut = [_narrowed(line, answer) for line in lines[first : first + _LINES]]
    return textwrap.indent("\n".join(cut), "   | ", lambda _: True)


def _narrowed(line: str, answer: str) -> str:
    """A line as wide as the screen, with the answer in it."""
    if len(line) <= _WIDTH:
        return line
    start = max(0, line.find(answer) - 8) if answer else 0
    if start == 0 or len(answer) > _WIDTH:
        return f"{line[: _WIDTH - 1]}…"
    return f"…{line[start : start + _WIDTH - 2]}…"
