"""robots.txt as RFC 9309 has it: which rules are ours, and whether they forbid a page.

Groups are sorted out here and only our rules go to the matching library: it trips over byte order marks, versions
in tokens and records that are no rules, and time and memory stay bounded by what concerns us.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

PRODUCT = "Gossamer"
MAX_BYTES = 512 * 1024

_BOM = re.compile(rb"\A\xef(?:\xbb\xbf?)?")
"""A byte order mark, or what is left of one."""
_LINE_ENDS = re.compile(rb"[\r\n]+")
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_ALL = re.compile(rb"\*(?:\s|$)")
_FOREIGN = re.compile(rb"[\x80-\xff]")
_AGENT = frozenset({b"user-agent", b"useragent", b"user agent"})
_ALLOW = frozenset({b"allow"})
_DISALLOW = frozenset({b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"})
_SMALL = 32 * 1024


def our_rules(body: bytes, *, token: str = PRODUCT, is_cut: bool = False) -> str:
    """The rules of a robots.txt that bind `token`, one a line; those of `*` when no group names it.

    Everything beyond 512 KiB is left out, and so is a last line that was cut in the middle. Octets beyond ASCII come
    percent-encoded, as they are in addresses, whatever encoding the file is in.
    """
    is_cut = is_cut or len(body) > MAX_BYTES
    lines = _LINE_ENDS.split(_BOM.sub(b"", body[:MAX_BYTES]))
    if is_cut:
        lines.pop()
    named: list[str] = []
    general: list[str] = []
    is_named = False
    binds_named = binds_all = is_in_rules = False
    for line in lines:
        key, value = _read_line(line)
        if key in _AGENT:
            if is_in_rules:
                binds_named = binds_all = is_in_rules = False
            binds_all = binds_all or _ALL.match(value) is not None
            binds_named = binds_named or _names(value, token)
            is_named = is_named or binds_named
        elif key in _ALLOW or key in _DISALLOW:
            is_in_rules = True
            rule = f"{'Allow' if key in _ALLOW else 'Disallow'}: {_encoded(value)}"
            if value and binds_named:
                named.append(rule)
            if value and binds_all:
                general.append(rule)
    return "\n".join(named if is_named else general)


def forbidding_rule(rules: str, url: str) -> str | None:
    """The rule that forbids an address, None when it may be fetched; robots.txt itself always may.

    `url` is percent-encoded with its dot segments resolved, as it will be sent.
    """
    if not rules or re.fullmatch(r"https?://[^/?#]*/robots\.txt", url):
        return None
    parsed = _parse_small(rules) if len(rules) <= _SMALL else _parse(rules)
    if parsed.can_fetch(url, PRODUCT):
        return None
    rules_left = sorted((rule for rule in rules.split("\n") if rule.startswith("Disallow")), key=len, reverse=True)
    while len(rules_left) > 1:
        longer, shorter = rules_left[: len(rules_left) // 2], rules_left[len(rules_left) // 2 :]
        rules_left = shorter if _parse("\n".join(longer)).can_fetch(url, PRODUCT) else longer
    return rules_left[0]


def _read_line(line: bytes) -> tuple[bytes, bytes]:
    said = line.partition(b"#")[0]
    key, colon, value = said.partition(b":")
    if not colon:
        words = said.split()
        key, value = (words[0], words[1]) if len(words) == 2 else (b"", b"")
    return key.strip().lower(), value.strip()


def _names(value: bytes, token: str) -> bool:
    found = _TOKEN.match(value)
    return found is not None and found[0].lower() == token.lower().encode()


def _encoded(value: bytes) -> str:
    return _FOREIGN.sub(lambda found: b"%%%02X" % found[0][0], value).decode("ascii")


def _parse(rules: str) -> "Protego":
    from protego import Protego

    return Protego.parse(f"User-agent: *\n{rules}")


_parse_small = lru_cache(maxsize=64)(_parse)
