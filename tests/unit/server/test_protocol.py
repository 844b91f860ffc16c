"""The protocol's answers, in both of its eras: what is listed, what is found, what is refused in which words."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from mcp import Client, MCPError

from gossamer.compose import SystemClock
from gossamer.contracts import LANGUAGES, Spoken, choose_tools, instructions
from gossamer.contracts.contract import Reply, tool
from gossamer.contracts.prompts import PROMPTS
from gossamer.contracts.resources import uri_of
from gossamer.engine import Engine
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.model.page import Page
from gossamer.ports import Call
from gossamer.ports.call import LOCAL, Caller
from gossamer.server.protocol import build_server
from gossamer.server.resources import Resources
from gossamer.server.service import SCOPE_KEY, Service
from gossamer.settings.load import load
from gossamer.stores import open_store
from gossamer.version import __version__
from tests.patience import LONG_S
from tests.unit.contracts.material import blocks, outside, true_tokens

Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")
HOUR_MS = 3_600_000
PAGES = 55
NEWEST = "https://a.test/page/54"


@tool(title="Echo", timeout=lambda _: 5.0, needs=frozenset(), name="far.echo", use="echoes.")
async def far_echo(engine: Engine, call: Call, word: str) -> Reply[None]:
    """Say a word again."""
    await call.progress(1, 2, "listening")
    return Reply(text=f"{call.caller}: {word}", data=None)


class Served:
    """Services over one data folder, and clients of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services: list[Service] = []
        self.results: dict[str, Any] = {}
        """What a caller who is not the user of this machine was answered last, by method."""

    def service(self, **environ: str) -> Service:
        made = Service(load(environ={"DATA_DIR": str(self.folder), **environ}, config=None))
        self.services.append(made)
        return made

    @asynccontextmanager
    async def client(
        self, era: Era = "auto", *, service: Service | None = None, caller: Caller = LOCAL, **environ: str
    ) -> AsyncGenerator[Client]:
        server = build_server(service or self.service(**environ))
        request = SimpleNamespace(scope={SCOPE_KEY: caller})

        async def as_caller(ctx: Any, call_next: Any) -> Any:
            result = self.results[ctx.method] = await call_next(replace(ctx, request=request))
            return result

        if caller is not LOCAL:
            server.middleware.insert(0, as_caller)
        async with Client(server, mode=era) as client:
            yield client


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    made = Served(tmp_path)
    yield made
    for service in made.services:
        await service.close()


@pytest.fixture
async def library(served: Served) -> Served:
    """The same, after pages were read."""
    store = await open_store(served.service().settings.store_address, clock=SystemClock())
    for n in range(PAGES):
        url = f"https://a.test/page/{n}"
        text = f"# Page {n}\n\n" + ("The ferry leaves at noon. " * (8000 if n == 0 else 1))
        await store.save(Page(url=url, final_url=url, title=f"Page {n}", text=text, fetched_at=1e9 + n), ())
    odd = Page(url=NEWEST, final_url=NEWEST, title="Only selected", text="Part.", fetched_at=2e9, view="0badcafe")
    await store.save(odd, ())
    await store.close()
    return served


Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.mark.promise("004.89")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_both_eras_are_told_the_same_of_the_server(served: Served, language: Spoken) -> None:
    seen: list[Any] = []
    for era in ERAS:
        async with served.client(era, GOSSAMER_LANGUAGE=language) as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("gossamer", __version__)
            offered = client.server_capabilities.model_dump(exclude_none=True)
            seen.append((client.instructions, sorted(offered)))
    assert seen[0] == seen[1]
    assert seen[0] == (instructions(choose_tools(["core"]), language), ["prompts", "resources", "tools"])


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_tools_and_prompts_are_listed_in_the_language_of_the_settings(
    served: Served, era: Era, language: Spoken
) -> None:
    async with served.client(era, GOSSAMER_LANGUAGE=language) as client:
        tools = (await client.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
        prompts = (await client.list_prompts()).model_dump(mode="json", by_alias=True, exclude_none=True)["prompts"]
    assert tools == [one.wire(language) for one in choose_tools(["core"])]
    assert prompts == [one.wire(language) for one in PROMPTS]


HINTS = {
    "tools": (lambda client: client.list_tools(), (HOUR_MS, "public")),
    "prompts": (lambda client: client.list_prompts(), (HOUR_MS, "public")),
    "resources": (lambda client: client.list_resources(), (0, "private")),
    "templates": (lambda client: client.list_resource_templates(), (0, "private")),
    "a page": (lambda client: client.read_resource(uri_of(NEWEST)), (0, "private")),
}


@pytest.mark.parametrize(("ask", "expected"), HINTS.values(), ids=HINTS)
async def test_what_never_changes_may_be_kept_for_an_hour_and_what_is_read_by_nobody(
    library: Served, ask: Callable[[Client], Any], expected: tuple[int, str]
) -> None:
    async with library.client("auto") as client:
        result = await ask(client)
    assert (result.ttl_ms, result.cache_scope) == expected


LIMITED = Caller(name="ada", tools=frozenset({"web_search", "web_fetch", "far.echo"}))


@pytest.mark.parametrize("era", ERAS)
async def test_a_limited_caller_sees_and_calls_its_own_tools_alone(served: Served, era: Era) -> None:
    service = served.service(GOSSAMER_DOTLESS="true")
    service.tools |= {"far.echo": replace(far_echo, published="far-echo")}
    async with served.client(era, service=service, caller=LIMITED) as client:
        listed = await client.list_tools()
        prompts = await client.list_prompts()
        assert [one.name for one in listed.tools] == ["web_search", "web_fetch", "far-echo"]
        assert prompts.prompts == []
        if era == "auto":
            assert (listed.cache_scope, prompts.cache_scope) == ("private", "private")
        told = await client.call_tool("far-echo", {"word": "hello"})
        assert told.content[0].text == "ada: hello"
        with pytest.raises(MCPError, match=r"no tool named 'web_read'\. Did you mean web_") as refused:
            await client.call_tool("web_read", {})
        with pytest.raises(MCPError, match=r"no prompt named 'research'\. No prompt is published here\."):
            await client.get_prompt("research", {"topic": "x"})
    assert refused.value.code == -32602


WHO = {
    "one tool": Caller(name="ada", tools=frozenset({"web_search"})),
    "two tools, one of which is not published": Caller(name="ada", tools=frozenset({"web_read", "far.echo"})),
    "no tool": Caller(name="ada", tools=frozenset()),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("caller", WHO.values(), ids=WHO)
async def test_a_limited_caller_is_told_of_its_own_tools_alone_and_nobody_may_keep_that(
    served: Served, era: Era, language: Spoken, caller: Caller
) -> None:
    async with served.client(era, caller=caller, GOSSAMER_LANGUAGE=language) as client:
        own = tuple(one for one in choose_tools(["core"]) if caller.may_call(one.name))
        assert client.instructions == instructions(own, language)
    opening = served.results["server/discover" if era == "auto" else "initialize"]
    assert "web_answer" not in json.dumps(opening)
    assert opening.get("cacheScope") == ("private" if era == "auto" else None)


async def test_a_caller_with_a_login_for_every_tool_is_told_what_everybody_is(served: Served) -> None:
    async with served.client(caller=Caller(name="ada")) as client:
        assert client.instructions == instructions(choose_tools(["core"]), "en")
    assert served.results["server/discover"]["cacheScope"] == "public"


METHODS = {
    "tools/list": lambda client: client.list_tools(),
    "prompts/list": lambda client: client.list_prompts(),
    "prompts/get": lambda client: client.get_prompt("research", {"topic": "x"}),
    "resources/list": lambda client: client.list_resources(),
    "resources/templates/list": lambda client: client.list_resource_templates(),
    "resources/read": lambda client: client.read_resource(uri_of(NEWEST)),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", METHODS)
async def test_what_goes_wrong_inside_is_told_in_one_sentence_and_logged_without_its_words(
    served: Served, era: Era, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(ctx: Any, call_next: Any) -> Any:
        if ctx.method == method:
            raise RuntimeError("the inside of a secret")
        return await call_next(ctx)

    server = build_server(served.service())
    server.middleware.append(fail)
    async with Client(server, mode=era) as client:
        with pytest.raises(MCPError) as failed:
            await METHODS[method](client)
    assert (failed.value.code, failed.value.error.message) == (
        -32603,
        "Gossamer failed on this request. Please report it.",
    )
    written = capsys.readouterr().err
    assert "secret" not in written
    (event,) = [json.loads(line) for line in written.splitlines()]
    assert (event["event"], event["tool"], event["kind"]) == ("bug", method, "RuntimeError")


async def test_pages_that_cannot_be_had_in_time_are_not_waited_for(served: Served) -> None:
    (served.folder / "store.sqlite").touch()  # what has no tables yet cannot be read before it is made
    lock = FileLock(Files(served.folder / "store.sqlite").lock)
    ctx: Any = SimpleNamespace(request=None, request_id=1, protocol_version="2025-11-25")
    with lock, pytest.raises(MCPError, match=r"could not be had in time\. Try again\.") as late:
        await asyncio.wait_for(Resources(served.service(), timeout_s=0.2).list(ctx, None), LONG_S)
    lock.close()
    assert late.value.code == -32603


async def test_no_words_of_a_client_become_the_name_of_its_request(
    library: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    service = library.service(GOSSAMER_LOG__LEVEL="info")
    for number in ("my secret question", 7):
        ctx: Any = SimpleNamespace(request=None, request_id=number, protocol_version="2025-11-25")
        await Resources(service).list(ctx, None)
    written = capsys.readouterr().err
    assert "secret" not in written
    assert json.loads(written.splitlines()[1])["request"] == "7"


async def test_a_limited_caller_whose_tools_suffice_sees_the_prompts(served: Served) -> None:
    both = Caller(name="ada", tools=frozenset({"web_search", "web_read"}))
    async with served.client(caller=both) as client:
        assert [one.name for one in (await client.list_prompts()).prompts] == ["research", "fact_check", "compare"]
        assert (await client.get_prompt("research", {"topic": "mills"})).messages


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("spelt", ["far.echo", "far-echo"])
@pytest.mark.parametrize("dotless", [True, False])
async def test_a_tool_with_a_dot_is_called_in_either_spelling(
    served: Served, era: Era, spelt: str, dotless: bool
) -> None:
    service = served.service(GOSSAMER_LOG__LEVEL="error")
    published = "far-echo" if dotless else "far.echo"
    service.tools["far.echo"] = replace(far_echo, published=published)
    async with served.client(era, service=service) as client:
        assert client.instructions is not None
        assert f"{published}: echoes." in client.instructions
        assert (await client.list_tools()).tools[-1].name == published
        assert (await client.call_tool(spelt, {"word": "hello"})).content[0].text == "local: hello"


async def test_progress_reaches_the_client_that_asked_for_it(served: Served) -> None:
    service = served.service()
    service.tools["far.echo"] = far_echo
    heard: list[str | None] = []

    async def on_progress(_done: float, _total: float | None, message: str | None) -> None:
        heard.append(message)

    async with served.client(service=service) as client:
        await client.call_tool("far.echo", {"word": "hello"}, progress_callback=on_progress)
    assert heard == ["listening"]


def test_the_transport_finds_the_schema_of_a_tool_in_either_spelling(served: Served) -> None:
    service = served.service()
    service.tools["far.echo"] = replace(far_echo, published="far-echo")
    schema_of = build_server(service).get_tool_input_schema
    assert schema_of is not None
    assert schema_of("far.echo") == schema_of("far-echo") == far_echo.wire()["inputSchema"]
    assert schema_of("far_echo") is None


UNKNOWN = {
    "near": ("web_serch", "There is no tool named 'web_serch'. Did you mean web_search?"),
    "far": ("zzz", "There is no tool named 'zzz'. Known are: web_search, web_fetch, web_read, web_answer."),
    "empty": ("", "There is no tool named ''. Known are: web_search, web_fetch, web_read, web_answer."),
    "endless": ("x" * 5000, f"There is no tool named '{'x' * 64}'. Known are: web_search, "),
    "known, not published": ("search_web", "There is no tool named 'search_web'. Did you mean web_search?"),
}


@pytest.mark.promise("004.4")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "message"), UNKNOWN.values(), ids=UNKNOWN)
async def test_an_unknown_tool_is_refused_in_a_sentence(served: Served, era: Era, name: str, message: str) -> None:
    async with served.client(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool(name, {})
    assert refused.value.code == -32602
    assert refused.value.error.message.startswith(message)


async def test_where_every_tool_is_switched_off_lists_are_empty_and_say_so(served: Served) -> None:
    async with served.client(WEB_SEARCH_ENABLED="false", WEB_FETCH_ENABLED="false") as client:
        assert (await client.list_tools()).tools == []
        assert (await client.list_prompts()).prompts == []
        with pytest.raises(MCPError, match="No tool is published here"):
            await client.call_tool("web_search", {})


@pytest.mark.parametrize("era", ERAS)
async def test_a_bad_argument_is_a_result_that_the_model_can_mend(served: Served, era: Era) -> None:
    async with served.client(era) as client:
        told = await client.call_tool("web_search", {"query": "x", "results_count": 99})
    assert told.is_error
    assert told.structured_content
    assert told.structured_content["error_type"] == "invalid"
    assert told.content[0].text.startswith("invalid: results_count must be at most 50, not 99.")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_prompt_comes_as_one_message_of_the_user(served: Served, era: Era, language: Spoken) -> None:
    async with served.client(era, GOSSAMER_LANGUAGE=language) as client:
        got = await client.get_prompt("compare", {"subjects": "kettles, pots"})
    (message,) = got.messages
    assert message.role == "user"
    assert message.content.text == PROMPTS[2].fill({"subjects": "kettles, pots"}, choose_tools(["core"]), language)
    assert got.description == PROMPTS[2].wire(language)["description"]


WRONG: dict[str, tuple[str, dict[str, str] | None, str]] = {
    "unknown": ("reserch", {"topic": "x"}, "There is no prompt named 'reserch'. Did you mean research?"),
    "without arguments": ("research", None, "topic is missing. Correct it and call again."),
    "without the one it needs": ("research", {"depth": "x"}, "topic is missing."),
    "too long": ("fact_check", {"claim": "x" * 501}, "claim must have at most 500 characters, not 501."),
    "misspelt": ("fact_check", {"claim": "x", "clam": "y"}, "There is no argument named 'clam'. Did you mean claim?"),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "given", "message"), WRONG.values(), ids=WRONG)
async def test_a_wrong_prompt_is_refused_in_a_sentence(
    served: Served, era: Era, name: str, given: dict[str, str] | None, message: str
) -> None:
    async with served.client(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, given)
    assert refused.value.code == -32602
    assert refused.value.error.message.startswith(message)


@pytest.mark.parametrize("era", ERAS)
async def test_the_newest_pages_are_listed_and_no_more_than_fifty(library: Served, era: Era) -> None:
    async with library.client(era) as client:
        listed = (await client.list_resources()).resources
    assert [one.name for one in listed] == [f"Page {n}, read on 2001-09-09" for n in range(1, 51)]
    titles = [blocks(one.description or "")[0].split("\n")[0] for one in listed]
    assert titles == [f"Page {n}" for n in range(PAGES - 1, PAGES - 51, -1)]
    first = listed[0]
    assert (first.uri, first.mime_type) == (uri_of(NEWEST), "text/markdown")
    assert NEWEST in (first.description or "")
    assert first.annotations is not None
    assert first.annotations.last_modified == "2001-09-09T01:47:34Z"


@pytest.mark.parametrize("era", ERAS)
async def test_a_page_is_read_between_marks_as_it_is_kept(library: Served, era: Era) -> None:
    async with library.client(era) as client:
        (read,) = (await client.read_resource(uri_of(NEWEST))).contents
    assert read.uri == uri_of(NEWEST)
    assert read.mime_type == "text/markdown"
    assert blocks(read.text) == ["Title: Page 54\n\n# Page 54\n\nThe ferry leaves at noon. "]
    assert outside(read.text) == ""


async def test_a_long_page_is_cut_and_walked_on_with_web_fetch(library: Served) -> None:
    service = library.service()
    url = "https://a.test/page/0"
    async with library.client(service=service) as client:
        (read,) = (await client.read_resource(uri_of(url))).contents
        assert true_tokens(read.text) <= 8000
        assert outside(read.text).endswith(f"\nThis page goes on: call web_fetch with url={url} and this cursor.")
        start, end, whole = read.meta["gossamer/span"]
        assert start == 0 < end < whole
        rest = await client.call_tool("web_fetch", {"url": url, "cursor": read.meta["gossamer/cursor"]})
        assert not rest.is_error, rest.content[0].text
        assert rest.meta["gossamer/span"][0] == end
        # Now that a call has opened the engine, the same is read through it.
        (again,) = (await client.read_resource(uri_of(url))).contents
    assert blocks(again.text)[0][:1000] == blocks(read.text)[0][:1000]
    assert again.meta["gossamer/span"][::2] == [0, whole]


async def test_where_web_fetch_is_off_a_cut_page_does_not_send_there(library: Served) -> None:
    async with library.client(WEB_FETCH_ENABLED="false") as client:
        (read,) = (await client.read_resource(uri_of("https://a.test/page/0"))).contents
    assert "web_fetch" not in outside(read.text)
    assert "goes on" in outside(read.text)


STRANGE = {
    "a page that was not read": uri_of("https://a.test/elsewhere"),
    "another scheme": "https://a.test/page/1",
    "a file": "file:///etc/passwd",
    "nothing": "gossamer://page/",
    "not text": "gossamer://page/%ff",
    "endless": uri_of("https://a.test/" + "x" * 9000),
}


@pytest.mark.parametrize(("era", "code"), [("auto", -32602), ("legacy", -32002)])
@pytest.mark.parametrize("uri", STRANGE.values(), ids=STRANGE)
async def test_what_is_not_kept_is_not_found_with_a_hint(library: Served, era: Era, code: int, uri: str) -> None:
    async with library.client(era) as client:
        with pytest.raises(MCPError) as missing:
            await client.read_resource(uri)
    assert missing.value.code == code
    assert missing.value.error.message.startswith("No page is kept under this URI. Choose one")
    assert missing.value.error.data == {"uri": uri}


@pytest.mark.parametrize("caller", [Caller(name="ada"), Caller(name="peer:0badcafe"), LIMITED])
async def test_nobody_sees_what_the_user_of_this_machine_read(library: Served, caller: Caller) -> None:
    async with library.client(caller=caller) as client:
        assert (await client.list_resources()).resources == []
        assert (await client.list_resource_templates()).resource_templates == []
        with pytest.raises(MCPError) as missing:
            await client.read_resource(uri_of(NEWEST))
    assert missing.value.code == -32602


async def test_a_template_says_how_pages_are_addressed(library: Served) -> None:
    async with library.client() as client:
        (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "gossamer://page/{address}"


EMPTY: dict[str, dict[str, str]] = {
    "nothing was read yet": {},
    "nothing is remembered": {"GOSSAMER_LIBRARY__REMEMBER": "false"},
    "pages are kept in memory": {"GOSSAMER_STORE": "memory:"},
}


@pytest.mark.parametrize("environ", EMPTY.values(), ids=EMPTY)
async def test_where_nothing_is_kept_the_list_is_empty_and_nothing_is_made(
    served: Served, environ: dict[str, str]
) -> None:
    async with served.client(**environ) as client:
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError):
            await client.read_resource(uri_of(NEWEST))
    assert list(served.folder.iterdir()) == []


async def test_a_library_that_is_switched_off_stays_closed_though_it_holds_pages(library: Served) -> None:
    async with library.client(GOSSAMER_LIBRARY__REMEMBER="false") as client:
        assert (await client.list_resources()).resources == []


async def test_a_store_that_cannot_be_opened_is_an_honest_error(served: Served) -> None:
    (served.folder / "store.sqlite").mkdir()
    async with served.client() as client:
        with pytest.raises(MCPError) as listing:
            await client.list_resources()
        with pytest.raises(MCPError) as reading:
            await client.read_resource(uri_of(NEWEST))
    for failed in (listing.value, reading.value):
        assert failed.code == -32603
        assert failed.error.message.endswith(
            "store.sqlite is no file. Move it away, or set DATA_DIR to another folder."
        )


async def test_a_broken_setting_is_told_instead_of_pages_from_elsewhere(library: Served) -> None:
    async with library.client(GOSSAMER_NET__MAX_BYTES="many") as client:
        with pytest.raises(MCPError, match="max_bytes") as failed:
            await client.list_resources()
    assert failed.value.code == -32603


async def test_a_request_for_pages_leaves_an_event_without_their_addresses(
    library: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    async with library.client(GOSSAMER_LOG__LEVEL="info") as client:
        await client.list_resources()
        await client.read_resource(uri_of(NEWEST))
        with pytest.raises(MCPError):
            await client.read_resource("gossamer://page/secret-words")
    written = capsys.readouterr().err
    events = [json.loads(line) for line in written.splitlines()]
    assert [(one["tool"], one["outcome"]) for one in events] == [
        ("resources/list", "ok"),
        ("resources/read", "ok"),
        ("resources/read", "not_found"),
    ]
    assert "a.test" not in written
    assert "secret" not in written


LISTING = """
import asyncio, sys
from mcp import Client
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load

async def main():
    async with Client(build_server(Service(load()))) as client:
        print(len((await client.list_resources()).resources))
    heavy = {"numpy", "lxml", "pypdfium2", "gossamer.net.client", "gossamer.extractors.workers.pool"}
    print(*heavy & set(sys.modules))

asyncio.run(main())
"""


def test_listing_pages_loads_no_parser_no_model_and_no_network(library: Served) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE", "GOSSAMER"))}
    done = subprocess.run(
        [sys.executable, "-c", LISTING],
        env={**environ, "DATA_DIR": str(library.folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["50", ""]
