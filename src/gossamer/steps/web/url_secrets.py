"""Credentials in URLs: which parameter names carry a secret, in one table.

What stands at such an address is read and never kept, so a name counts where it may well be a secret: to fetch an
ordinary page twice costs little.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, unquote_plus

from gossamer.steps.web.canonical import web_parts

_ENDINGS = (
    "token",  # OAuth, GitLab's private_token and feed_token, links that reset a password, CSRF
    "secret",  # client_secret, Slack's pub_secret
    "signature",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accountkey",  # Azure's storage accounts
    "accesskey",  # Amazon's secret_access_key
    "authkey",
    "encryptionkey",
    "feedkey",
    "functionskey",  # Azure's functions
    "subscriptionkey",  # Azure's API management
    "passkey",  # trackers of torrents
    "sessionid",  # jsessionid, ASP.NET_SessionId
    "sessid",
)
_PAGING_TOKENS = re.compile(r"(next|prev|previous|start)?(page|pagination|cursor|continuation|resumption|sync)token")
"""Places in a list, which open nothing."""
_BEGINNINGS = ("xamz", "xgoog", "xms", "xoss", "xcos", "xobs", "aspsessionid")
"""Signed addresses of Amazon, Google, Microsoft, Alibaba, Tencent and Huawei; classic ASP's sessions."""
_NAMES = re.compile(
    r"""
    pwd | pswd | passcode | (admin|db|ftp|login|user)pass
    | credentials? | authorization | bearer | basicauth | jwt | hmac | sig | qak
    | (access|activation|app|auth|client|consumer|invite|license|master|private|reset|secret|security|session|shared
       |signing|stream|subscription|user)key | (aws|oss)?accesskeyid | googleaccessid | keypairid | sesskey
    | rlkey | resourcekey | sharekey | hdn(ts|ea|tl)  # shared files of Dropbox and Google, links signed by Akamai
    | oauthverifier | codeverifier | (client)?assertion | idtokenhint | saml(response|art) | wresult  # logins
    | (access|activation|auth|authorization|confirm|confirmation|device|invitation|invite|login|magic|onetime|oob
       |recovery|reset|security|user|verification|verify)code | magiclink | totp
    | otpcode | connectsid | laravelsession | oscsid | zenid  # sessions
    """,
    re.VERBOSE,
)
_AMBIGUOUS = frozenset(
    {"auth", "code", "invite", "invitation", "key", "magic", "nonce", "otp", "pass", "pw", "session", "sid", "ticket"}
)
"""Names that ordinary pages have too: a country's `code`, a first letter's `key`. Two characters hide nothing."""
_COMPANION = "state"
"""Stands beside the `code` of a login."""
_HIDES_NOTHING = 2
_SHORT_SIGNATURE = re.compile(r"[-_.\s][Ss][Ii][Gg]|[a-z0-9]Sig")
"""How a name ends that is a signature's: `url_sig` and `urlSig`, not `lessig`."""

_SEPARATORS = re.compile(r"[-_.\s]")
_PAIRS = re.compile(r"[?#&]([^?#&;=]+)=([^?#&;]*)|;([^?#&;=/]+)=([^?#&;/]*)")
"""Names with their values, of this address and of one inside it; a matrix parameter ends with its segment."""
_USERINFO = re.compile(r"(?:https?:|=)//[^/?#&]*@", re.IGNORECASE)
_COOKIELESS = re.compile(r"/\((?:[AFS]\([A-Za-z0-9_-]+\))+\)(?:[/?#]|$)")
"""ASP.NET writes a session into the path: `/(S(lit3py55t21z5v55vlm25s55))/`."""
_MOST_DECODED = 3
"""How often an address is percent-decoded: one inside another is encoded once more."""


def carries_secret(url: str) -> bool:
    """Tell whether an address holds credentials, a session or a signature: in its query, path or fragment.

    An address inside it counts as well, such as the one that a login leads back to.
    """
    parts = web_parts(url)
    if parts is None:
        return False
    layers = list(_layers(url))
    if any(_USERINFO.search(layer) or _COOKIELESS.search(layer) for layer in layers):
        return True
    in_path = (name for segment in parts.path.split("/") for name in segment.split(";")[1:])
    alone = ((name, "") for name in (*re.split("[&;]", parts.query), *in_path) if "=" not in name)
    pairs = [(_innermost(name), unquote_plus(value)) for name, value in (*alone, *_pairs(layers))]
    is_login = any(_plain(name) == _COMPANION for name, _ in pairs)
    return any(_is_secret(name, value, is_login=is_login) for name, value in pairs)


def _layers(url: str) -> Iterator[str]:
    """The address as written, then percent-decoded again and again for as long as that changes it."""
    yield url
    for _ in range(_MOST_DECODED):
        decoded = unquote(url)
        if decoded == url:
            return
        yield (url := decoded)


def _pairs(layers: Iterable[str]) -> Iterator[tuple[str, str]]:
    for layer in layers:
        for pair in _PAIRS.finditer(layer):
            yield pair[1] or pair[3], pair[2] or pair[4] or ""


def _innermost(name: str) -> str:
    """A name out of the brackets of a form: `user[Reset_Token]` is `Reset_Token`."""
    return unquote_plus(name).removesuffix("[]").rstrip("]").rpartition("[")[2]


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


def _is_secret(name: str, value: str, *, is_login: bool) -> bool:
    plain = _plain(name)
    if plain in _AMBIGUOUS:
        return len(value) > _HIDES_NOTHING or is_login
    if _NAMES.fullmatch(plain) or plain.startswith(_BEGINNINGS) or _SHORT_SIGNATURE.fullmatch(name[-4:]):
        return True
    return plain.endswith(_ENDINGS) and not _PAGING_TOKENS.fullmatch(plain)
