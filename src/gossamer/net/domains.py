"""Domain lists from settings and files, looked up in constant time however long they are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import BadSettings, BlockedAddress
from gossamer.net.hosts import literal, read_host

_MAX_FILE_BYTES = 64 * 2**20
_SINKS = frozenset({"0.0.0.0", "127.0.0.1", "::", "::1"})  # noqa: S104 - what hosts files send a name to
_SINK_NAMES = frozenset({"localhost", "local", "localhost.localdomain", "broadcasthost", "0.0.0.0"})  # noqa: S104


@dataclass(frozen=True, kw_only=True, slots=True)
class Domains:
    """`example.com` holds itself and its subdomains, `*.example.com` those alone, `=example.com` itself alone."""

    exact: frozenset[str] = frozenset()
    above: frozenset[str] = frozenset()
    """Domains whose subdomains are held."""

    @classmethod
    def read(cls, setting: str, entries: Sequence[str]) -> "Domains":
        """Read a setting; `@/path/list.txt` stands for the lines of a file, as they are now.

        In a file, what follows a `#` is a remark, and lines of a hosts file (`0.0.0.0 name`) count as the name alone.
        """
        exact: set[str] = set()
        above: set[str] = set()
        for where, text in _spelt_out(setting, entries):
            rest = text.removeprefix("=").removeprefix("*").removeprefix(".")
            try:
                name = read_host(rest)
            except BlockedAddress as error:
                raise BadSettings(
                    f'{where} holds "{text[:80]}", which is not a domain.',
                    hint="Write domains like example.com, *.example.com or =example.com.",
                ) from error
            is_whole = text == rest
            if is_whole or text.startswith("="):
                exact.add(name)
            if not text.startswith("=") and literal(name) is None:
                above.add(name)
        return cls(exact=frozenset(exact), above=frozenset(above))

    def __bool__(self) -> bool:
        return bool(self.exact or self.above)

    def holds(self, host: str) -> bool:
        """Whether a host, in its one spelling, is in the list."""
        if host in self.exact:
            return True
        _, _, parent = host.partition(".")
        while parent:
            if parent in self.above:
                return True
            _, _, parent = parent.partition(".")
        return False


def _spelt_out(setting: str, entries: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every entry with where it stands, those of files included."""
    for entry in entries:
        text = entry.strip()
        if text.startswith("@"):
            path = Path(text[1:]).expanduser()
            yield from ((f"net.{setting}, file {path}, ", line) for line in _lines(_read(setting, path)))
        else:
            yield f"net.{setting}", text


def _read(setting: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise ValueError
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadSettings(
            f"net.{setting} names the file {path}, which cannot be read as a list of domains.",
            hint="Write one domain a line, in UTF-8; lines may end in # and a remark.",
        ) from error


def _lines(text: str) -> Iterable[str]:
    for line in text.splitlines():
        first, *rest = line.partition("#")[0].split() or [""]
        if first in _SINKS and rest:
            yield from (f"={name}" for name in rest if name not in _SINK_NAMES and not name.startswith("ip6-"))
        elif first:
            yield " ".join((first, *rest))
