"""The stdio front: answers the first messages from a snapshot, with the standard library alone, during the import.

`gossamer`, `gossamer serve` and its flags begin here; whatever is unusual goes to `gossamer.cli` as if there were no
front. Every start pays for what is imported here: no typing, no re, no json, no asyncio.
"""

import os
import stat
import sys

from gossamer.process import has_stdio, leave_interrupted, mode_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gossamer.front.handshake import Handshake
    from gossamer.settings.early import Flags


def main() -> None:
    """Run the command `gossamer`."""
    from gossamer.settings.early import read_flags

    flags = read_flags(sys.argv[1:])
    if flags and not has_stdio():
        return  # no standard input or output: no client, and what is opened next would take their places
    handshake = _handshake(flags) if flags and _is_pipe(mode_of(0)) else None
    if flags and handshake:
        from gossamer.front.relay import Relay

        Relay(handshake, flags).serve()
        return
    try:
        from gossamer.cli.main import main as run

        run()
    except KeyboardInterrupt:  # while the command was still being imported
        leave_interrupted()


def _is_pipe(mode: int) -> bool:
    """Whether a program is at the other end, on a system where one can wait for it."""
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _handshake(flags: "Flags") -> "Handshake | None":
    """The handshake for these settings; None where the snapshot has no answers for them."""
    from gossamer.front.handshake import Handshake
    from gossamer.front.messages import json_reader
    from gossamer.front.snapshot import compose
    from gossamer.settings.early import read_early
    from gossamer.version import __version__

    read = json_reader()
    try:
        with open(os.path.dirname(__file__) + "/snapshot.json", encoding="utf-8") as file:  # noqa: PTH120, PTH123
            snapshot = read(file.read())
        early = read_early(flags, snapshot["settings"]) if snapshot["version"] == __version__ else None
        answers = compose(snapshot, early) if early else None
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Handshake(answers, read) if answers else None
