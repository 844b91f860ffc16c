"""Settings, shown."""

import shutil
import sys
import textwrap
from pathlib import Path

from gossamer.cli import session
from gossamer.settings.load import load
from gossamer.settings.show import rows


def show_settings(config: Path | None, *, as_json: bool) -> None:
    """Every value with its origin and meaning, secrets masked; what is broken comes last, with exit code 2."""
    loaded = load(config=config)
    if as_json:
        session.show(
            {
                "file": str(loaded.file),
                "settings": [
                    {"name": r.name, "value": r.value, "origin": r.origin, "variable": r.env, "meaning": r.meaning}
                    for r in rows(loaded)
                ],
                "problems": [str(problem) for problem in loaded.problems],
                "unused": list(loaded.unused),
            }
        )
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(f"Settings file: {loaded.file}{'' if loaded.file.exists() else ' (not there)'}\n")
        for row in rows(loaded):
            print(f"{row.name} = {row.value or '(empty)'}   [{row.origin}]")
            print(textwrap.fill(f"{row.meaning} {row.env}", width - 4, initial_indent="    ", subsequent_indent="    "))
    for name in loaded.unused:
        session.say(f"gossamer: {name} sets nothing here.")
    for problem in loaded.problems:
        session.say(f"gossamer: invalid: {problem}")
    if loaded.problems:
        sys.exit(loaded.problems[0].exit_code)
