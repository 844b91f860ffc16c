"""URLs: what was meant by one, its one canonical spelling, better addresses of known kinds, and the secrets in one.

What models and people write is read leniently, in linear time; whoever calls compares, and tells what was changed. Odd
addresses are left as they are, for the guard to refuse. What stands at an address with a secret is read and never kept,
so the name of a parameter counts where it may well be one: to fetch an ordinary page twice costs little.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import SplitResult, parse_qsl, quote, unquote, unquote_plus, urlencode, urlsplit

_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff]")
_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(utm_\w+|fbclid|gclid|dclid|msclkid|mc_eid|mc_cid|igshid|yclid|_hsenc|_hsmi|ref_src)", re.IGNORECASE
)
_STRIPPED = re.compile(rf"{_TRACKING.pattern}|ref", re.IGNORECASE)
_BLOB = re.compile(r"/([\w.-]+/[\w.-]+)/blob/([^?#]+/[^?#]+)")
_DOCUMENTED = re.compile(r"/view/(\d{1,20})/([\w-]{1,60})/?")
_PAPER = re.compile(r"/abs/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?)")

_MARKDOWN_LINK = re.compile(r"!?\[[^\]]*+\]\(\s*+<?((?:[^\s()<>]|\([^\s()<>]*+\))++)>?(?:\s[^)]*+)?\)")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:(?!\d++(?:[/?#]|$))")
_REST = r"(?::\d++)?(?:[/?#].*)?"
_PLAIN_HTTP = re.compile(rf"(?:localhost|\[[0-9A-Fa-f:.]++\]|\d{{1,3}}(?:\.\d{{1,3}}){{3}}){_REST}", re.DOTALL)
_HOST_FIRST = re.compile(rf"(?=[^\s/?#:@]+\.[^\s/?#:@])[^\s/?#:@]++{_REST}", re.DOTALL)

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
    | (access|activation|app|auth|client|consumer|deploy|invite|license|master|private|reset|secret|security|session
       |shared|signing|stream|subscription|user)key | (aws|oss)?accesskeyid | googleaccessid | keypairid | sesskey
    | rlkey | resourcekey | sharekey | hdn(ts|ea|tl)  # shared files of Dropbox and Google, links signed by Akamai
    | oauthverifier | codeverifier | (client)?assertion | idtokenhint | saml(response|art) | wresult  # logins
    | (access|activation|auth|authorization|confirm|confirmation|device|invitation|invite|login|magic|onetime|oob
       |recovery|reset|security|user|verification|verify)code | (invite|magic)link | totp
    | otpcode | connectsid | laravelsession | oscsid | zenid | cfid  # sessions
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
_MOST_DECODED = 8
"""How often an address is percent-decoded: one inside another is encoded once more. Honest ones need three."""


def canonical(url: str) -> str:
    """Lower-case scheme and host, no default port, no fragment, `/` for an empty path; nothing else is changed."""
    parts = web_parts(url)
    return url if parts is None else _join(parts, parts.query)


def fingerprint(url: str) -> str:
    """The canonical address without tracking parameters, scheme and `www.`: equal for hits on the same page."""
    parts = web_parts(url)
    if parts is None:
        return url
    pairs = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(k)]
    return _join(parts, urlencode(pairs)).partition("://")[2].removeprefix("www.").rstrip("/")


def untracked(url: str) -> str:
    """The address without parameters that only tell who sent the reader; every other character stays."""
    head, hash_sign, fragment = url.partition("#")
    base, _, query = head.partition("?")
    pairs = query.split("&")
    remaining = [pair for pair in pairs if not _STRIPPED.fullmatch(unquote(pair.partition("=")[0]))]
    if len(remaining) == len(pairs):
        return url
    return f"{base}?{'&'.join(remaining)}{hash_sign}{fragment}" if remaining else f"{base}{hash_sign}{fragment}"


def host_of(url: str) -> str:
    """The host name of an address, or nothing."""
    parts = web_parts(url)
    return (parts.hostname or "") if parts else ""


def web_parts(url: str) -> SplitResult | None:
    """An address of the web taken apart; None for what is odd or none."""
    if _ODD.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme.lower() in _PORTS and parts.hostname else None


def _join(parts: SplitResult, query: str) -> str:
    scheme = parts.scheme.lower()
    user, _, place = parts.netloc.rpartition("@")
    place = place.lower()
    if parts.port == _PORTS[scheme]:
        place = place.rpartition(":")[0]
    place = f"{user}@{place}" if user else place
    return f"{scheme}://{place}{parts.path or '/'}" + (f"?{query}" if query else "")


def better_addresses(url: str) -> tuple[str, ...]:
    """Where to look instead, best first: the raw file of a GitHub page, the full text of an arXiv abstract.

    The documentation of a Postman collection is drawn by a script; the collection itself is JSON.
    """
    try:
        parts = urlsplit(url)
        host = parts.netloc.removeprefix("www.")
    except ValueError:
        return ()
    if parts.scheme not in {"http", "https"}:
        return ()
    if host == "github.com" and (file := _BLOB.fullmatch(parts.path)):
        return (f"{parts.scheme}://raw.githubusercontent.com/{file[1]}/{file[2]}",)
    if host == "documenter.getpostman.com" and (published := _DOCUMENTED.fullmatch(parts.path)):
        return (f"https://documenter.gw.postman.com/api/collections/{published[1]}/{published[2]}",)
    if host == "arxiv.org" and (paper := _PAPER.fullmatch(parts.path)):
        return tuple(f"{parts.scheme}://arxiv.org/{form}/{paper[1]}" for form in ("html", "pdf"))
    return ()


def read_address(text: str) -> str:
    """An address out of `<url>`, a Markdown link, quotes, or one without its scheme.

    The scheme that is put in front is `https`, except before `localhost` and bare addresses, which rarely have a
    certificate. Any other scheme stays, for the guard to refuse.
    """
    text = text.strip()
    if link := _MARKDOWN_LINK.fullmatch(text):
        text = link[1]
    text = text.strip("<>\"'` ")
    if _HAS_SCHEME.match(text):
        return text
    if text.startswith("//"):
        return f"https:{text}"
    if _PLAIN_HTTP.fullmatch(text):
        return f"http://{text}"
    return f"https://{text}" if _HOST_FIRST.fullmatch(text) else text


def read_site(text: str) -> str:
    """A bare host name out of `site:`, an address or a name with a path."""
    text = text.strip().removeprefix("site:").strip()
    try:
        host = urlsplit(text if "://" in text else f"//{text}").hostname if text.isprintable() else None
    except ValueError:
        host = None
    return (host or text).removeprefix("*.").removeprefix("www.")


def carries_secret(url: str) -> bool:
    """Tell whether an address holds credentials, a session or a signature: in its query, path or fragment.

    An address inside it counts as well, such as the one that a login leads back to. One that still changes when it has
    been percent-decoded often hides something.
    """
    url = _ODD.sub(lambda sign: quote(sign[0], errors="replace"), url)
    parts = web_parts(url)
    if parts is None:
        return False
    layers = list(_layers(url))
    if len(layers) > _MOST_DECODED or any(_USERINFO.search(layer) or _COOKIELESS.search(layer) for layer in layers):
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
