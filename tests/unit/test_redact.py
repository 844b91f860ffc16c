"""What is told of trouble on the operator's machine, to its owner and to everybody else."""

import pytest

from gossamer.errors import (
    BadSettings,
    GossamerError,
    NotFound,
    RateLimited,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreUnavailable,
)
from gossamer.ports import Call
from gossamer.ports.redact import redacted
from tests.unit.test_ports import SetClock

PATH = "/home/anna/.local/share/gossamer/store.sqlite"
KINDS = (StoreError, StoreUnavailable, StoreDamaged, StoreBusy, BadSettings)


@pytest.mark.parametrize("kind", KINDS)
def test_what_speaks_of_the_machine_is_told_to_others_without_a_word_of_it(kind: type[GossamerError]) -> None:
    error = kind(f"{PATH} cannot be used.", hint=f"sudo chown anna {PATH}", retry_after_s=5)
    told = redacted(error)
    assert "anna" not in f"{told} {told.args} {told.message} {told.hint}"
    assert "operator" in told.hint
    assert (type(told), told.outcome, told.retry_after_s, told.exit_code) == (kind, error.outcome, 5, error.exit_code)
    assert PATH in str(error), "the error itself stays as it is"


@pytest.mark.parametrize("error", [NotFound("No such page.", hint="Look."), RateLimited("a.test", retry_after_s=3)])
def test_what_speaks_of_the_web_is_told_to_all(error: GossamerError) -> None:
    assert redacted(error) is error


@pytest.mark.parametrize(("caller", "is_owner"), {"local": True, "cli": True, "ann": False, "peer:1": False}.items())
def test_notes_name_files_to_the_owner_of_the_machine_alone(caller: str, is_owner: bool) -> None:
    call = Call(clock=SetClock(), caller=caller)
    call.note_failure("The page was not kept", StoreUnavailable(f"{PATH} is a folder.", hint="Remove it."), "More.")
    (note,) = call.log.notes
    assert note.startswith("The page was not kept: ")
    assert note.endswith(" More.")
    assert (PATH in note) is is_owner
