"""What doctor says of tokens: whether there is a token file, how many tokens, and whether a server accepts it."""

from typing import Literal, NamedTuple

from gossamer.cli.session import in_words
from gossamer.errors import GossamerError
from gossamer.ports import Clock
from gossamer.server.http.permissions import own_user
from gossamer.server.http.token_file import read_tokens, token_path
from gossamer.settings.model import Settings

_MAKE = "make one with `gossamer token new NAME`"


class TokenFinding(NamedTuple):
    """The line of the report."""

    state: Literal["works", "off", "broken"]
    text: str


def examine_tokens(settings: Settings, clock: Clock) -> TokenFinding:
    """Judge the token file as `gossamer serve --http` would, run by this user.

    Root looks at it for the user who owns its folder, since servers seldom are root's.
    """
    path = token_path(settings)
    try:
        version = read_tokens(path, for_server=own_user() != 0)
    except GossamerError as error:
        return TokenFinding("broken", in_words(error))
    if version is None and settings.http.tokens:
        return TokenFinding("broken", f"http.tokens names {path}, and there is no such file: {_MAKE}")
    if version is None:
        return TokenFinding("off", f"no token file at {path}: a server over HTTP is for this machine alone; {_MAKE}")
    valid = sum(record.is_valid(clock.now()) for record in version.records)
    if not valid:
        return TokenFinding("off", f"no valid token in {path}: a server over HTTP lets nobody in; {_MAKE}")
    expired = len(version.records) - valid
    more = f", {expired} expired" if expired else ""
    return TokenFinding("works", f"{valid} valid{more} in {path}, which a server over HTTP accepts")
