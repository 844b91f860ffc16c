"""The first milliseconds of stdio: answers from a snapshot, standard library only, while the server is imported.

`gossamer`, `gossamer serve` and its flags begin here; whatever is unusual goes to `gossamer.cli` as if there were no
front. What is imported here is paid by every start: no typing, no re, no json, no asyncio.
"""

import os
import stat
import sys

from gossamer.server.stdio.stdout import mode_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gossamer.front.dialogue import Dialogue
    from gossamer.settings.early import Flags


def main() -> None:
    """Run the command `gossamer`."""
    from gossamer.settings.early import read_flags

    flags = read_flags(sys.argv[1:])
    if flags and not (mode_of(0) and mode_of(1)):
        return  # no standard input or output: no client, and what is opened next would take their places
    dialogue = _dialogue(flags) if flags and _is_wire(mode_of(0)) else None
    if flags and dialogue:
        from gossamer.front.desk import Desk

        Desk(dialogue, flags).serve()
        return
    try:
        from gossamer.cli.main import main as run

        run()
    except KeyboardInterrupt:  # while the command was still being imported
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


def _is_wire(mode: int) -> bool:
    """Whether a program is at the other end, on a system where one can wait for it."""
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _dialogue(flags: "Flags") -> "Dialogue | None":
    """The conversation for these settings; None where the snapshot cannot lead it."""
    from gossamer.front.dialogue import Dialogue
    from gossamer.front.shapes import json_reader
    from gossamer.front.wording import compose
    from gossamer.settings.early import read_early
    from gossamer.version import __version__

    early = read_early(flags)
    if early is None:
        return None
    read = json_reader()
    try:
        with open(os.path.dirname(__file__) + "/snapshot.json", encoding="utf-8") as file:  # noqa: PTH120, PTH123
            snapshot = read(file.read())
        wording = compose(snapshot, early) if snapshot["version"] == __version__ else None
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Dialogue(wording, read) if wording else None
