"""The command around it: this user's folders, this installation, stdout and stderr."""

from pathlib import Path

from gossamer.cli import session
from gossamer.cli.clients.command import Mode, configure
from gossamer.cli.clients.launch import this_installation
from gossamer.errors import GossamerError
from gossamer.settings.config_dirs import user_config_dirs


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
