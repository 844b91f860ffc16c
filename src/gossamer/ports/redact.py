"""Paths kept from remote users: of trouble on the operator's machine they are told that there is some, and no path."""

from gossamer.errors import BadSettings, GossamerError, StoreError

_SENTENCES: dict[type[GossamerError], str] = {
    StoreError: "The place where this server keeps its records cannot be used now.",
    BadSettings: "A setting of this server is wrong.",
}
"""The families of errors that name files, folders, accounts and settings of the machine, and what stands for each."""
_HINT = "Tell its operator, to whom `gossamer doctor` says what is wrong."


def redacted(error: GossamerError) -> GossamerError:
    """The error as a remote user may see it."""
    sentence = next((words for kind, words in _SENTENCES.items() if isinstance(error, kind)), "")
    return error.but(message=sentence, hint=_HINT) if sentence else error
