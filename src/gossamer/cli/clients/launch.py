"""How to start this very installation from anywhere: programs with windows lack the shell's PATH."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

DOTLESS = "--dotless"


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """An absolute command and the arguments that make it serve."""

    command: str
    arguments: tuple[str, ...]

    def serving(self, *, dotless: bool) -> list[str]:
        """The arguments, for a client that takes tool names with dots or for one that does not."""
        return [*self.arguments, *([DOTLESS] if dotless else [])]


def this_installation() -> Launch:
    """The script beside this interpreter, else the one on the PATH, else the interpreter itself."""
    here = Path(sys.executable)
    beside = (here.with_name(name) for name in ("gossamer", "gossamer.exe"))
    script = next((str(one) for one in beside if one.exists()), shutil.which("gossamer"))
    if script:
        return Launch(command=str(Path(script).absolute()), arguments=("serve",))
    return Launch(command=str(here.absolute()), arguments=("-m", "gossamer", "serve"))
