"""`gossamer token`: make, list and revoke the bearer tokens of a server."""

import difflib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import session
from gossamer.compose import SystemClock
from gossamer.contracts import choose_tools
from gossamer.errors import GossamerError, InvalidArgument, UnknownName
from gossamer.server.http.token_file import Record, new_token, read_tokens, revoke_tokens, token_path

app = typer.Typer(name="token", help="Bearer tokens for `gossamer serve --http`.", no_args_is_help=True)

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result object.")]


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Whose token it is.")],
    tools: Annotated[str | None, typer.Option(help="Contracts or tools it opens, as a comma list (all).")] = None,
    days: Annotated[str | None, typer.Option(help="Days for which it is valid (no end).", metavar="N")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make a token and print it: the one time that it can be seen."""
    path = token_path(session.settings_or_exit(config, as_json=as_json).settings)
    try:
        token, record = new_token(path, name, tools=_tools(tools), days=_days(days), now=SystemClock().now())
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    session.show({"token": token, **_shown(record)} if as_json else token)
    end = f"until {_day(record.expires)}" if record.expires else "until it is revoked"
    session.say(f"Token {record.id} of {record.user} opens {_scope(record)} {end}.")
    session.say("Keep it now: only its hash is stored, and nobody can show it again.")


@app.command("list")
def show_tokens(as_json: AsJson = False, config: Config = None) -> None:
    """List the tokens, without their secrets."""
    path = token_path(session.settings_or_exit(config, as_json=as_json).settings)
    try:
        version = read_tokens(path)
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    rows = [_shown(record) for record in version.records] if version else []
    if as_json:
        session.show({"file": str(path), "required": version is not None, "tokens": rows})
    elif rows:
        session.show(_table(version.records if version else ()))
    elif version:
        session.say("There are no tokens. The server lets nobody in: make one with `gossamer token new NAME`.")
    else:
        session.say("There are no tokens yet. Make one with `gossamer token new NAME`.")


@app.command()
def revoke(
    which: Annotated[str, typer.Argument(help="The id of a token, or a name: then all tokens of that name.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Remove tokens; running servers refuse them within five seconds."""
    path = token_path(session.settings_or_exit(config, as_json=as_json).settings)
    try:
        gone = revoke_tokens(path, which)
        if not gone:
            raise _unknown(path, which)
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    if as_json:
        session.show({"revoked": [_shown(record) for record in gone]})
    users = ", ".join({record.user: None for record in gone})
    many = f"{len(gone)} tokens" if len(gone) > 1 else "Token"
    session.say(f"{many} of {users} revoked: {', '.join(record.id for record in gone)}.")


def _tools(written: str | None) -> tuple[str, ...] | None:
    """The tools that a list means today, so that a later version does not widen what a token opens."""
    if written is None:
        return None
    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise InvalidArgument("The list of tools is empty.", hint="Name contracts or tools, or leave --tools out.")
    # One by one: a name that opens nothing is an error, also beside others that do.
    return tuple({tool.name: None for name in names for tool in choose_tools([name])})


def _days(written: str | None) -> int | None:
    if written is None:
        return None
    # What is no number is out of bounds in the same way.
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else 0


def _unknown(path: Path, which: str) -> UnknownName:
    version = read_tokens(path)
    known = sorted({word for record in (version.records if version else ()) for word in (record.id, record.user)})
    near = difflib.get_close_matches(which, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else "`gossamer token list` shows those there are."
    return UnknownName("There is no token with this id or name.", hint=hint)


def _shown(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "name": record.user,
        "tools": list(record.tools) if record.tools is not None else None,
        "created": record.created.isoformat(),
        "expires": record.expires.isoformat() if record.expires else None,
        "state": _state(record),
    }


def _state(record: Record) -> str:
    return "valid" if record.is_valid(SystemClock().now()) else "expired"


def _scope(record: Record) -> str:
    return "every tool" if record.tools is None else ", ".join(record.tools)


def _day(time: datetime | None) -> str:
    return time.strftime("%Y-%m-%d") if time else "never"


def _table(records: Iterable[Record]) -> str:
    rows = [("ID", "NAME", "CREATED", "EXPIRES", "STATE", "TOOLS")]
    rows += [(r.id, r.user, _day(r.created), _day(r.expires), _state(r), _scope(r)) for r in records]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
