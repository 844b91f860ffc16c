"""Credentials in addresses: which names of parameters carry a secret, in one table.

What stands at such an address is read and never kept, so a name counts where it may well be a secret: to fetch an
ordinary page twice costs little.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

from gossamer.steps.canonical import web_parts

_ENDINGS = (
    "token",  # OAuth, GitLab's private_token and feed_token, links that reset a password, CSRF
    "secret",  # client_secret, Slack's pub_secret
    "signature",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "sessionid",  # jsessionid, ASP.NET_SessionId
    "sessid",
)
_PAGING_TOKENS = re.compile(r"(next|prev|previous|start)?(page|pagination|cursor|continuation|resumption|sync)token")
"""Places in a list, which open nothing."""
_BEGINNINGS = ("xamz", "xgoog", "xms", "xoss", "xcos", "xobs", "aspsessionid")
"""Signed addresses of Amazon, Google, Microsoft, Alibaba, Tencent and Huawei; classic ASP's sessions."""
_NAMES = re.compile(
    r"""
    pwd | passcode | credentials? | authorization | bearer | basicauth | jwt | hmac | sig | qak
    | (access|activation|app|auth|client|consumer|invite|license|master|private|reset|secret|security|session|shared
       |signing|stream|subscription|user)key | (aws|oss)?accesskeyid | googleaccessid | keypairid | sesskey
    | rlkey | resourcekey | sharekey | hdn(ts|ea|tl)  # shared files of Dropbox and Google, links signed by Akamai
    | oauthverifier | codeverifier | (client)?assertion | idtokenhint | saml(response|art) | wresult  # logins
    | (access|activation|auth|authorization|confirm|confirmation|device|invitation|invite|login|magic|onetime|oob
       |recovery|reset|security|user|verification|verify)code | magiclink | totp
    | connectsid | laravelsession | oscsid | zenid  # sessions
    """,
    re.VERBOSE,
)
_AMBIGUOUS = frozenset(
    {"auth", "code", "invite", "invitation", "key", "magic", "nonce", "otp", "session", "sid", "ticket"}
)
"""Names that ordinary pages have too: a country's `code`, a first letter's `key`. Two characters hide nothing."""
_COMPANION = "state"
"""Stands beside the `code` of a login."""
_HIDES_NOTHING = 2

_PAIRS = re.compile(r"[&;]")
_SEPARATORS = re.compile(r"[-_.\s]")
_COOKIELESS = re.compile(r"/\((?:[AFS]\([A-Za-z0-9_-]+\))+\)(?:/|$)")
"""ASP.NET writes a session into the path: `/(S(lit3py55t21z5v55vlm25s55))/`."""


def carries_secret(url: str) -> bool:
    """Tell whether an address holds credentials, a session or a signature: in its query, path or fragment."""
    parts = web_parts(url)
    if parts is None:
        return False
    if "@" in parts.netloc or _COOKIELESS.search(parts.path):
        return True
    in_path = (pair for segment in parts.path.split("/") for pair in segment.split(";")[1:])
    in_fragment = (pair for part in parts.fragment.split("?") for pair in _PAIRS.split(part) if "=" in pair)
    pairs = list(_read((*_PAIRS.split(parts.query), *in_path, *in_fragment)))
    is_login = any(name == _COMPANION for name, _ in pairs)
    return any(_is_secret(name, value, is_login=is_login) for name, value in pairs)


def _read(pairs: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each name in its plainest form, with its value: `user[Reset_Token]=a` is `resettoken` and `a`."""
    for pair in pairs:
        name, _, value = pair.partition("=")
        innermost = unquote_plus(name).rstrip("]").rpartition("[")[2]
        yield _SEPARATORS.sub("", innermost).lower(), unquote_plus(value)


def _is_secret(name: str, value: str, *, is_login: bool) -> bool:
    if name in _AMBIGUOUS:
        return len(value) > _HIDES_NOTHING or is_login
    if _NAMES.fullmatch(name) or name.startswith(_BEGINNINGS):
        return True
    return name.endswith(_ENDINGS) and not _PAGING_TOKENS.fullmatch(name)
