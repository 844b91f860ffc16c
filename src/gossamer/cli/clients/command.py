"""`gossamer client`: shows what a client needs, writes it into the client's own file, or says what it would write."""

import contextlib
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gossamer.cli import session
from gossamer.cli.clients.entry import edited, snippet
from gossamer.cli.clients.file import Change, Edit, preview, rewrite, take_back
from gossamer.cli.clients.table import Client, Launch, Refused, clients_named, this_installation
from gossamer.errors import GossamerError, InvalidArgument
from gossamer.settings.config_dirs import ConfigDirs, user_config_dirs

Mode = Literal["show", "preview", "write"]
_SEARCHING = "It searches without a key; SEARXNG_URL or a key of yours may be added under env in its entry."
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The result for stdout, what a person should know besides, and the same for programs."""

    result: str
    notes: tuple[str, ...]
    facts: Mapping[str, Any]


def configure(name: str, *, mode: Mode, path: Path | None, dirs: ConfigDirs, launch: Launch) -> Report:
    """Do for one client, or for those that one name stands for, what was asked."""
    clients = clients_named(name)
    if path:
        clients = dict(list(clients.items())[:1])
    if mode == "show":
        return _shown(clients, path, dirs, launch)
    targets = _targets(name, clients, path, dirs)
    # Of several, all are tried before the first is written: half of what was asked is nobody's wish.
    changes: dict[str, Change] = {}
    if mode == "preview" or len(targets) > 1:
        changes = {key: _changed(clients[key], file, launch, act=preview) for key, file in targets.items()}
    if mode == "write":
        changes = _written(clients, targets, launch)
    diffs = {key: _diff(targets[key], change) if mode == "preview" else "" for key, change in changes.items()}
    notes = [_note(clients[key], targets[key], change, mode=mode) for key, change in changes.items()]
    if any(change.is_changed and "SEARXNG_URL" not in change.after for change in changes.values()):
        notes.append(_SEARCHING)
    facts = [_facts(key, targets[key], change, mode=mode, diff=diffs[key]) for key, change in changes.items()]
    return Report(result="".join(diffs.values()), notes=tuple(notes), facts={"clients": facts})


def _shown(clients: Mapping[str, Client], path: Path | None, dirs: ConfigDirs, launch: Launch) -> Report:
    """The snippet of the first client, which suits the others too, and where each one wants it."""
    text = snippet(next(iter(clients.values())), launch)
    files = {key: path or client.file(dirs) for key, client in clients.items()}
    notes = [_where(client, files[key]) for key, client in clients.items()]
    notes.append(
        "It searches without a key; SEARXNG_URL or a key of yours may be filled in under env, or env left out."
    )
    if all(files.values()):
        notes.append("With --write it is put there for you, and everything else in the file stays as it is.")
    shown = [{"client": key, "file": str(file) if file else None} for key, file in files.items()]
    return Report(result=text, notes=tuple(notes), facts={"snippet": text, "clients": shown})


def _where(client: Client, file: Path | None) -> str:
    place = f"{client.title}: put this into {file}." if file else f"Give this to {client.title}."
    return f"{place} {client.advice}"


def _targets(name: str, clients: Mapping[str, Client], path: Path | None, dirs: ConfigDirs) -> dict[str, Path]:
    """The files to write: the one that was named, else that of the client, else those of all that are installed."""
    if len(clients) > 1:
        installed = {key: client for key, client in clients.items() if client.is_installed(dirs)}
        if not installed:
            raise InvalidArgument(
                f"Neither {' nor '.join(clients)} seems to be installed here.",
                hint=f"Name the one you mean instead of {name}, or a file with --path.",
            )
        clients = installed
    files = {key: path or client.file(dirs) for key, client in clients.items()}
    known = {key: file for key, file in files.items() if file}
    if not known:
        raise InvalidArgument(
            f"{name} has no file of its own.", hint="Name one with --path; our entry goes under mcpServers there."
        )
    return known


def _changed(client: Client, file: Path, launch: Launch, *, act: Callable[[Path, Edit], Change]) -> Change:
    try:
        return act(file, lambda text: edited(text, client, launch))
    except Refused as refusal:
        pasted = snippet(client, launch)
        raise InvalidArgument(
            f"{file} was left as it is: {refusal}.", hint=f"Correct that, or paste this yourself:\n\n{pasted}"
        ) from refusal


def _written(clients: Mapping[str, Client], targets: Mapping[str, Path], launch: Launch) -> dict[str, Change]:
    """Write one file after the other; when one fails after all, such as on a full disk, take the others back."""
    done: dict[str, Change] = {}
    try:
        for key, file in targets.items():
            done[key] = _changed(clients[key], file, launch, act=rewrite)
    except InvalidArgument:
        for key, change in done.items():
            with contextlib.suppress(Refused):
                take_back(targets[key], change)
        raise
    return done


def _note(client: Client, file: Path, change: Change, *, mode: Mode) -> str:
    if not change.is_changed:
        return f"{client.title}: {file} has it already; nothing was changed."
    if mode == "preview":
        return f"{client.title}: this is what --write would change in {file}; nothing was written."
    old_text = f" The old text is in {change.backup}." if change.backup else ""
    return f"{client.title}: {'made' if change.is_new else 'changed'} {file}.{old_text} {client.advice}"


def _facts(name: str, file: Path, change: Change, *, mode: Mode, diff: str) -> dict[str, Any]:
    state = "unchanged" if not change.is_changed else "written" if mode == "write" else "planned"
    backup = str(change.backup) if change.backup else None
    return {"client": name, "file": str(file), "state": state, "backup": backup, "diff": diff or None}


def _diff(file: Path, change: Change) -> str:
    """The change as `diff -u` writes it."""
    lines = difflib.unified_diff(
        _LINE.findall(change.before),
        _LINE.findall(change.after),
        fromfile="/dev/null" if change.is_new else str(file),
        tofile=str(file),
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def run_client(name: str, *, mode: Mode = "show", path: Path | None = None, as_json: bool = False) -> None:
    """Print what to paste, or write it; whatever fails ends the command."""
    try:
        path = path.expanduser().absolute() if path else None
        report = configure(name, mode=mode, path=path, dirs=user_config_dirs(), launch=this_installation())
    except GossamerError as error:
        session.fail(error, as_json=as_json)
    if as_json:
        session.show({"outcome": "ok", **report.facts})
    elif report.result:
        session.show(report.result.removesuffix("\n"))
    session.say("\n".join(["", *report.notes] if report.result else report.notes))
