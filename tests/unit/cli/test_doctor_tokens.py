"""What doctor says of tokens."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.cli.doctor import examine_tokens
from gossamer.server.http.token_file import new_token, revoke_tokens
from gossamer.settings.model import HttpSettings, Settings
from gossamer.testing.state_contract import SetClock

DAY_S = 86_400.0
CLOCK = SetClock(time=3 * DAY_S)


def two_and_an_expired_one(path: Path) -> None:
    for name, days in (("ann", None), ("bob", None), ("eve", 1)):
        new_token(path, name, days=days, now=0)


def revoked(path: Path) -> None:
    new_token(path, "ann", now=0)
    revoke_tokens(path, "ann")


def exposed(path: Path) -> None:
    new_token(path, "ann", now=0)
    path.parent.chmod(0o777)


def broken(path: Path) -> None:
    path.parent.mkdir(0o700)
    path.write_text("{}")


SAID: dict[str, tuple[Callable[[Path], object], str, list[str]]] = {
    "none": (lambda _: None, "off", ["no token file at", "tokens.json", "gossamer token new"]),
    "some": (two_and_an_expired_one, "works", ["2 valid, 1 expired in", "tokens.json", "accepts"]),
    "all revoked": (revoked, "off", ["no valid token in", "lets nobody in", "gossamer token new"]),
    "one that others may replace": (exposed, "broken", ["other users may write", "chmod go-w", "let anybody in"]),
    "one that cannot be understood": (broken, "broken", ["cannot be used", "move it away"]),
}


@pytest.mark.parametrize(("make", "state", "words"), SAID.values(), ids=SAID)
def test_the_line_says_how_many_tokens_there_are_and_whether_a_server_takes_them(
    make: Callable[[Path], object], state: str, words: list[str], tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    make(tmp_path / "data" / "tokens.json")
    finding = examine_tokens(settings, CLOCK)
    assert finding.state == state
    assert [part for part in words if part not in finding.text] == []


def test_a_file_that_the_settings_name_has_to_be_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    settings = Settings(data_dir=tmp_path, http=HttpSettings(tokens=path))
    finding = examine_tokens(settings, CLOCK)
    assert (finding.state, str(path) in finding.text) == ("broken", True)
    new_token(path, "ann", now=0)
    assert examine_tokens(settings, CLOCK).state == "works"
