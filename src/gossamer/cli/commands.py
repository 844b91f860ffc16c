"""The commands: thin readers of options over one engine."""

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Literal

import typer

from gossamer.cli import library, session, token
from gossamer.cli.session import show
from gossamer.contracts.core.tools import web_answer, web_fetch, web_read, web_search
from gossamer.errors import GossamerError, InvalidArgument
from gossamer.extractors.workers.sandbox import forbid_dumping

app = typer.Typer(
    name="gossamer",
    help="The web for AI agents: search, fetch, read and answer with proven citations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(token.app)
app.add_typer(library.app)

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result object.")]
Links = Annotated[bool, typer.Option("--links", help="Write where links lead.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask the site again, whatever is kept.")]


def _number(text: str | None) -> int | str | None:
    """A number if it is one; what is not goes on as it is, to be named in one sentence."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else text


def _questions(given: list[str]) -> list[str]:
    """Where each argument is of several words, it was quoted and is a question; else all of them together are one."""
    return given if all(len(each.split()) > 1 for each in given) else [" ".join(given)]


def _each_from(arguments: list[str]) -> list[str]:
    """The arguments with `--from` before each of the pages that follow it."""
    from gossamer.cli.local_pages import is_page

    spread: list[str] = []
    are_pages = False
    for argument in arguments:
        if are_pages and spread[-1] != "--from" and is_page(argument):
            spread.append("--from")
        elif spread[-1:] != ["--from"]:
            are_pages = argument == "--from"
        spread.append(argument)
    return spread


def run_command(arguments: list[str]) -> None:
    """Run one command, unseen by the parsers that it may start; an unexpected error is reported as our bug."""
    forbid_dumping()
    if arguments[:1] == ["ask"]:
        arguments = _each_from(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(arguments, standalone_mode=True)
    except GossamerError as error:
        session.fail(error)
    except Exception as error:  # noqa: BLE001  the last line before the user: a bug is told, not dumped
        session.bug(error)


@app.command()
def serve(
    http: Annotated[
        str | None,
        typer.Option(help="Serve over HTTP on this address instead of stdio.", metavar="HOST:PORT", show_default=False),
    ] = None,
    tools: Annotated[str | None, typer.Option(help="Contracts or tools to publish, as a comma list.")] = None,
    dotless: Annotated[bool, typer.Option("--dotless", help="Write a hyphen for the dot in names of tools.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="With --http: let others reach this server without a login.")
    ] = False,
    config: Config = None,
) -> None:
    """Serve MCP over stdio (what `gossamer` does when a program starts it), or over HTTP."""
    from gossamer.settings.load import load

    flags = {name: text for name, text in (("tools", tools), ("dotless", "true" if dotless else None)) if text}
    loaded = load(config=config, flags=flags)
    if http is None:
        if insecure:
            raise InvalidArgument("--insecure is about HTTP.", hint="Add --http HOST:PORT, or leave it out.")
        from gossamer.server.stdio.serve import serve_stdio

        serve_stdio(loaded)
        return
    from gossamer.server.http.bind import read_bind
    from gossamer.server.http.serve import serve_http

    serve_http(loaded, read_bind(http), is_insecure=insecure)


@app.command()
def search(
    query: Annotated[list[str], typer.Argument(help="What to look for.")],
    count: Annotated[str | None, typer.Option(help="How many results (10).", metavar="N")] = None,
    provider: Annotated[str, typer.Option(help="Providers to ask, in order, as a comma list.")] = "",
    category: Annotated[str | None, typer.Option(help="general, news, it, science, images, …")] = None,
    site: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    time: Annotated[str | None, typer.Option(help="day, week, month or year.")] = None,
    language: Annotated[str | None, typer.Option(help="Language code (en).")] = None,
    region: Annotated[str | None, typer.Option(help="Country code.")] = None,
    content: Annotated[bool, typer.Option("--content", help="Also read the pages found.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Search the web."""
    from gossamer.cli.search import searcher

    given = {
        "query": " ".join(query),
        "results_count": _number(count),
        "category": category,
        "site": site,
        "time_range": time,
        "language": language,
        "region": region,
        "fetch_content": content,
        "max_tokens": 20_000,
    }
    names = tuple(name.strip() for name in provider.split(",") if name.strip())
    work = searcher(names, as_json=as_json)
    show(session.run(web_search, given, work, config=config, as_json=as_json))


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(help="Address of the page.")],
    selector: Annotated[str | None, typer.Option(help="CSS selector of the part wanted.")] = None,
    format: Annotated[str | None, typer.Option(help="markdown, text or html.")] = None,  # noqa: A002  the option's name
    max_length: Annotated[str | None, typer.Option(help="Most characters (10000).", metavar="N")] = None,
    refresh: Refresh = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Fetch one page as text."""
    from gossamer.cli import results

    given = {
        "url": url,
        "selector": selector,
        "format": format,
        "max_length": _number(max_length),
        "force_refresh": refresh,
    }
    show(session.run(web_fetch, given, results.fetcher(as_json=as_json), config=config, as_json=as_json))


@app.command()
def read(
    page: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE..",
            help="Addresses, files or folders, then the question; or several questions,"
            " each in quotes and of several words.",
        ),
    ] = None,
    max_results: Annotated[str | None, typer.Option(help="Most passages (8).", metavar="N")] = None,
    max_tokens: Annotated[str | None, typer.Option(help="Most tokens (1500).", metavar="N")] = None,
    order: Annotated[str, typer.Option(help="score: best first; page: as they stand there.")] = "score",
    links: Links = False,
    refresh: Refresh = False,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help='Many: a {"id", "path" or "url", "query", "max_tokens"} per line of a file or standard input in, '
            '{"id", "passages"} out.',
        ),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Print the passages of pages and files, or with --jsonl of many, that answer a question."""
    limits = {"max_results": _number(max_results), "max_tokens": _number(max_tokens)}
    if order not in {"score", "page"}:
        raise InvalidArgument(f"--order is score or page, not {order}.", hint="gossamer read --help")
    by: Literal["score", "page"] = "page" if order == "page" else "score"
    given = page or []
    if jsonl:
        from gossamer.cli.batch import run_batch
        from gossamer.cli.batch_read import read_batch

        if len(given) > 1:
            raise InvalidArgument("With --jsonl every line has its own query.", hint="Name one file, or -.")
        loaded = session.settings_or_exit(config, as_json=as_json)
        raise typer.Exit(
            run_batch(read_batch(loaded.settings, limits, by, force_refresh=refresh), given[0] if given else "-")
        )
    from gossamer.cli import results
    from gossamer.cli.local_pages import parted, sources

    pages, question = parted(given)
    if not pages or not question:
        raise InvalidArgument("A page and a question are needed.", hint="gossamer read ADDRESS|FILE.. QUESTION")
    _, urls = sources(pages)
    asked = {"urls": urls or ["file"], "queries": _questions(question), "include_links": links, **limits}
    asked |= {"force_refresh": refresh}
    work = results.reader(pages, as_json=as_json, order=by)
    show(session.run(web_read, asked, work, config=config, as_json=as_json))


@app.command()
def ask(
    question: Annotated[list[str] | None, typer.Argument(help="The question; with --jsonl the file, or -.")] = None,
    pages: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="URL|FILE|DIR..", help="Answer from these pages, files and folders alone."),
    ] = None,
    site: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    time: Annotated[str | None, typer.Option(help="day, week, month or year.")] = None,
    language: Annotated[str | None, typer.Option(help="Language code (en).")] = None,
    max_sources: Annotated[str | None, typer.Option(help="Most pages read (5).", metavar="N")] = None,
    max_tokens: Annotated[str | None, typer.Option(help="Most tokens (1500).", metavar="N")] = None,
    links: Links = False,
    refresh: Refresh = False,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help='Many: a {"id", "question", "paths" or "urls"} per line of a file or standard input in, '
            '{"id", "outcome", "sentences"} out.',
        ),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Answer a question from the web, or from the pages and files named, with citations."""
    from gossamer.cli import answers

    options = {
        "site": site,
        "time_range": time,
        "language": language,
        "max_sources": _number(max_sources),
        "max_tokens": _number(max_tokens),
    }
    if jsonl:
        from gossamer.cli.batch import run_batch

        if question and len(question) > 1:
            raise InvalidArgument("With --jsonl every line has its own question.", hint="Name one file, or -.")
        loaded = session.settings_or_exit(config, as_json=as_json)
        batch = answers.answer_batch(loaded.settings, options, pages or [], force_refresh=refresh)
        raise typer.Exit(run_batch(batch, question[0] if question else "-"))
    if not question:
        raise InvalidArgument("There is no question.", hint='gossamer ask "When was it built?"')
    given = {"question": " ".join(question), "include_links": links, **options}
    work = answers.answerer(pages or [], as_json=as_json, force_refresh=refresh)
    show(session.run(web_answer, given, work, config=config, as_json=as_json))


@app.command()
def verify(
    claim: Annotated[str, typer.Argument(help="The claim, in quotes; with --jsonl a file of lines, or -.")] = "",
    source: Annotated[list[str] | None, typer.Argument(help="Addresses or files that are to support it.")] = None,
    refresh: Refresh = False,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help='Many: a {"id", "claim", "path" or "url"} per line of a file or standard input in, '
            '{"id", "verdict", "score", "missing", "quotes"} out.',
        ),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Say whether pages or files support a claim, and what of it they do not bear out."""
    from gossamer.cli.local_pages import sources
    from gossamer.cli.verify import given_for, verifier, verify_batch
    from gossamer.contracts.verify.web_verify import web_verify

    if jsonl:
        from gossamer.cli.batch import run_batch

        if source:
            raise InvalidArgument("With --jsonl every line has its own claim.", hint="Name one file, or -.")
        loaded = session.settings_or_exit(config, as_json=as_json)
        raise typer.Exit(run_batch(verify_batch(loaded.settings), claim or "-"))
    if not claim or not source:
        raise InvalidArgument("A claim and a page are needed.", hint="gossamer verify CLAIM ADDRESS")
    files, urls = sources(source)
    given = {**given_for(claim, urls), "force_refresh": refresh}
    work = verifier(files, as_json=as_json)
    show(session.run(web_verify, given, work, config=config, as_json=as_json))


@app.command()
def extract(
    file: Annotated[str, typer.Argument(help="An HTML, PDF or text file; - reads standard input.")] = "",
    url: Annotated[str, typer.Option(help="Where the file came from: makes its links absolute.")] = "",
    format: Annotated[str, typer.Option(help="markdown, text or html.")] = "markdown",  # noqa: A002  the option's name
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help='Many files: a {"id", "url", "path"} per line in, {"id", "text", "title"} out.'),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Turn a file, or with --jsonl many, into text, without any network."""
    from gossamer.cli.extract import extract_file, view_of

    if jsonl:
        from gossamer.cli.batch import run_batch
        from gossamer.cli.extract import extract_batch

        raise typer.Exit(run_batch(extract_batch(view_of(format)), file or "-"))
    if not file:
        raise InvalidArgument("There is no file to read.", hint="Name one, or - for standard input.")
    show(extract_file(file, url=url, format_name=format, as_json=as_json))


@app.command()
def settings(as_json: AsJson = False, config: Config = None) -> None:
    """Show every setting, its value and where it came from."""
    from gossamer.cli.inspect import show_settings

    show_settings(config, as_json=as_json)


@app.command()
def doctor(as_json: AsJson = False, config: Config = None) -> None:
    """Say what works, what does not, and why."""
    from gossamer.cli.doctor import run_doctor

    run_doctor(config, as_json=as_json)


@app.command()
def client(
    name: Annotated[
        str,
        typer.Argument(
            help="claude (desktop and code; or claude-desktop, claude-code), cursor, vscode, codex, gemini, windsurf, "
            "zed, or generic for any other MCP client."
        ),
    ],
    write: Annotated[bool, typer.Option("--write", help="Put it into the client's own file, with a backup.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what --write would change.")] = False,
    path: Annotated[Path | None, typer.Option(help="Another file of that client's.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Print, or write, the configuration that lets an MCP client start Gossamer."""
    from gossamer.cli.clients.command import run_client

    run_client(name, mode="preview" if dry_run else "write" if write else "show", path=path, as_json=as_json)


@app.command()
def demo() -> None:
    """Run everything on a small web of our own: no key, no internet."""
    from gossamer.cli.clients.command import run_client
    from gossamer.demo.run import run_demo

    code = run_demo()
    show("\nTo use it in an MCP client:\n")
    run_client("claude")
    raise typer.Exit(code)
