"""Composes answers for a selection of tools from the snapshot of the real server's answers. No I/O."""

from gossamer.settings.early import Early

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALL = "all"


class RecordedAnswers:
    """The answers for one selection of tools, as JSON text."""

    __slots__ = ("_instructions", "_lists", "_snapshot", "envelope", "handshake_versions", "modern_version")

    def __init__(self, snapshot: "dict[str, Any]", early: Early, names: tuple[str, ...]) -> None:
        words = snapshot["languages"][early.language]
        published = {name: name.replace(".", "-") if early.dotless else name for name in names}
        uses = [f"{published[name]}: {words['uses'][name]}" for name in names if words["uses"][name]]
        prompts = [name for name, needs in snapshot["prompts"].items() if set(needs) <= set(names)]
        self._snapshot = snapshot
        self._instructions = " ".join([*uses, words["material"]])
        self._lists = {
            "tools/list": ",".join(f'{{"name":"{published[name]}"{words["tools"][name]}' for name in names),
            "prompts/list": ",".join(words["prompts"][name] for name in prompts),
        }
        self.handshake_versions: tuple[str, ...] = tuple(snapshot["handshake_versions"])
        """Oldest first; the last is offered to a client that asks for one we do not know."""
        self.modern_version: str = snapshot["modern_version"]
        self.envelope: dict[str, str] = snapshot["envelope"]

    def initialize(self, version: str) -> str:
        """The result of `initialize`."""
        start, middle, end = self._snapshot["legacy"]["initialize"]
        return f"{start}{version}{middle}{self._instructions}{end}"

    def result(self, era: str, method: str) -> str:
        """The result of any other method; nothing where only the real server knows it."""
        if method not in self._snapshot[era] or method == "initialize":
            return ""
        start, end = self._snapshot[era][method]
        return f"{start}{self._lists.get(method, self._instructions)}{end}"


def compose(snapshot: "dict[str, Any]", early: Early) -> RecordedAnswers | None:
    """The answers for a selection; None where the real server has something to say about it."""
    names = _chosen(snapshot, early)
    if names is None or early.language not in snapshot["languages"]:
        return None
    return RecordedAnswers(
        snapshot, early, tuple(name for name in names if early.without.isdisjoint(snapshot["needs"][name]))
    )


def _chosen(snapshot: "dict[str, Any]", early: Early) -> list[str] | None:
    """The names as `gossamer.contracts.choose_tools` reads them; None for whatever it reports."""
    contracts: dict[str, list[str]] = snapshot["contracts"]
    every = [name for members in contracts.values() for name in members]
    spelt = {name.replace(".", "-"): name for name in every}
    chosen: dict[str, None] = {}
    for asked in early.tools:
        if asked == ALL:
            members = [
                name for contract in contracts if contract not in snapshot["opt_in"] for name in contracts[contract]
            ]
        elif asked in contracts:
            members = contracts[asked]
        elif asked.replace(".", "-") in spelt:
            members = [spelt[asked.replace(".", "-")]]
        else:
            return None
        chosen |= dict.fromkeys(name for name in members if name in snapshot["needs"])
    return [*chosen] or None
