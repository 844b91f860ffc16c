"""`gossamer library`: the pages read so far, and the vectors by which they are compared."""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from gossamer.cli import library_carry, session
from gossamer.compose import SystemClock, open_engine, open_library
from gossamer.engine.library import LibraryAccess
from gossamer.errors import EXIT_STORE, GossamerError, NotFound, StoreError
from gossamer.model.page import Reembedded
from gossamer.ports import Call
from gossamer.process import leave_interrupted
from gossamer.steps.text.link_targets import markdown_of
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.web.urls import canonical
from gossamer.stores import store_class

app = typer.Typer(name="library", help="The pages read so far.", no_args_is_help=True)
app.command("export")(library_carry.export)
app.command("import")(library_carry.take_in)

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result object.")]
Count = Annotated[int, typer.Option(help="Most pages.", min=1, max=10_000, metavar="N")]

T = TypeVar("T")
_NAMED = 10
"""Pages of each reason that are named to a person; `--json` has them all."""
_PATIENCE_S = 5.0
"""How long who looks for something waits for the pages of a damaged library; a part is better than no answer."""


@app.command("list")
def list_pages(count: Count = 20, as_json: AsJson = False, config: Config = None) -> None:
    """List the pages, newest first."""
    pages = _with_library(lambda library, call: library.newest(call, count=count), config, as_json=as_json)
    rows = [
        {
            "url": page.url,
            "title": page.title,
            "fetched": iso_time(page.fetched_at),
            "version": page.version,
            "chars": page.chars,
        }
        for page in pages
    ]
    if as_json:
        session.show({"pages": rows})
    elif rows:
        session.show("\n".join(f"{row['fetched']}  {row['url']}  {row['title']}" for row in rows))
    else:
        session.say("There is no page in the library.")


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(help="What to look for.")],
    count: Count = 10,
    site: Annotated[str, typer.Option(help="Only this domain.")] = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Search the pages read so far by their words; the query stays on this machine."""
    text = " ".join(words)
    hits = _with_library(
        lambda library, call: library.find(text, call, count=count, site=site), config, as_json=as_json
    )
    if as_json:
        session.show({"results": [{"url": hit.url, "title": hit.title, "snippet": hit.snippet} for hit in hits]})
    elif hits:
        session.show("\n\n".join(f"{hit.title}\n{hit.url}\n{hit.snippet}" for hit in hits))
    else:
        session.say("No page in the library holds these words.")


@app.command("show")
def show_page(
    url: Annotated[str, typer.Argument(help="Address of the page.")], as_json: AsJson = False, config: Config = None
) -> None:
    """Print a page as it was last read, however old; no request is sent."""
    page = _with_library(lambda library, call: library.page(canonical(url), call), config, as_json=as_json)
    if page is None:
        session.fail(_unknown(), as_json=as_json)
    read, text = iso_time(page.fetched_at), markdown_of(page)
    if as_json:
        about = {"url": page.url, "title": page.title, "fetched": read, "version": page.version}
        session.show({**about, "text": text, "kept_text": page.text})
    else:
        session.show(text)
        session.say(f"Read on {read}, version {page.version}.")


@app.command()
def remove(
    url: Annotated[str, typer.Argument(help="Address of the page.")], as_json: AsJson = False, config: Config = None
) -> None:
    """Forget a page in every version."""

    async def forget(library: LibraryAccess, call: Call) -> bool:
        is_gone = await library.remove(canonical(url), call)
        if is_gone and library.store:
            # It is gone, whether or not the disk can have its space back now.
            with contextlib.suppress(StoreError):
                await library.store.trim(most_bytes=sys.maxsize)
        return is_gone

    if not _with_library(forget, config, as_json=as_json):
        session.fail(_unknown(), as_json=as_json)
    if as_json:
        session.show({"removed": canonical(url)})
    session.say("The page is forgotten.")


@app.command()
def reembed(
    afresh: Annotated[bool, typer.Option("--all", help="Also pages that have vectors by the present model.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Give every page vectors by the present model, and let go of those by others; can be interrupted and resumed."""
    done = _run(_reembed(config, afresh=afresh, as_json=as_json), as_json=as_json)
    if as_json:
        told = {"pages": done.pages, "made": done.made, "models": list(done.models), "dropped": list(done.dropped)}
        left = [{"url": url, "code": why.outcome.value, "message": why.message} for url, why in done.left.items()]
        session.show({**told, "left": left})
    session.say(f"{done.made} of {done.pages} pages were given vectors by {_names(done.models)}.")
    if done.dropped:
        session.say(f"The vectors by {_names(done.dropped)} were let go.")
    if done.left:
        _tell_left(done)


def _tell_left(done: Reembedded) -> NoReturn:
    """Name the pages that were left, some for each reason, and end the command: by the store, if it failed at all."""
    reasons: dict[str, list[str]] = {}
    for url, why in done.left.items():
        reasons.setdefault(session.without_turn(str(why)), []).append(url)
    for reason, urls in reasons.items():
        for url in urls[:_NAMED]:
            session.say(f"Left as it was: {url}: {reason}")
        if len(urls) > _NAMED:
            session.say(f"Left as they were, for the same reason: {len(urls) - _NAMED} more.")
    session.say(f"{len(done.left)} of {done.pages} pages were left; those by other models stay for now.")
    if any(isinstance(why, StoreError) for why in done.left.values()):
        session.say("Not everything could be kept: run the command again once that is mended. It goes on from there.")
        raise typer.Exit(EXIT_STORE)
    raise typer.Exit(next(iter(done.left.values())).exit_code)


async def _reembed(config: Path | None, *, afresh: bool, as_json: bool) -> Reembedded:
    settings = session.settings_or_exit(config, as_json=as_json).settings
    status = session.Status()
    call = Call(clock=SystemClock(), caller="cli", progress=status.report)
    try:
        await library_carry.must_be_whole(settings, call)
        address = settings.store_address
        before = store_class(address).moved_aside(address)
        async with open_engine(settings) as engine:
            done = await engine.reembed(call, afresh=afresh)
    finally:
        status.clear()
    if store_class(address).moved_aside(address) != before:
        # It met damage on its way, and listed what was in the new file by then.
        raise library_carry.partial()
    return done


def _with_library(work: Callable[[LibraryAccess, Call], Awaitable[T]], config: Path | None, *, as_json: bool) -> T:
    """What `work` finds; nothing is found only where there is nothing, and a part is told to be one."""
    settings = session.settings_or_exit(config, as_json=as_json).settings
    clock = SystemClock()
    call = Call(clock=clock, caller="cli")

    async def look() -> tuple[T, bool]:
        async with open_library(settings, clock=clock) as library:
            is_whole = await library_carry.is_whole(library, settings, call, within_s=_PATIENCE_S)
            return await work(library, call), is_whole

    result, is_whole = _run(look(), as_json=as_json)
    if not is_whole and not result:
        session.fail(library_carry.partial(), as_json=as_json)
    if not is_whole:
        session.say(str(library_carry.partial()))
    return result


def _run(work: "Awaitable[T]", *, as_json: bool) -> T:
    async def awaited() -> T:
        return await work

    try:
        return asyncio.run(awaited())
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    except KeyboardInterrupt:
        leave_interrupted("Interrupted. What was done is kept.")


def _unknown() -> NotFound:
    return NotFound("This page is not in the library.", hint="`gossamer library list` shows what is.")


def _names(models: Sequence[str]) -> str:
    return ", ".join(models) or "the present model"
