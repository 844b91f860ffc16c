"""robots.txt as RFC 9309 has it: which rules are ours, and whether they forbid a page.

The file is a stranger's: reading it takes time by its length alone, and matching has a limit, beyond which it forbids.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

PRODUCT = "Gossamer"
MAX_BYTES = 512 * 1024
SMALL = 16 * 1024
"""Characters of rules that are read within a few milliseconds."""
MAX_WORK = 2**27
"""Characters of an address times characters of the wildcard rules tried on it: at worst half a tenth of a second."""
TOO_COSTLY = "too many wildcard rules to try"
_STEP = 64
"""What trying a rule costs beside the address, in characters."""

_BOM = re.compile(rb"\A\xef(?:\xbb\xbf?)?")
"""A byte order mark, or what is left of one."""
_LINE_ENDS = re.compile(rb"[\r\n]+")
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_ALL = re.compile(rb"\*(?:\s|$)")
_FOREIGN = re.compile(rb"[\x80-\xff]+")
_AGENT = frozenset({b"user-agent", b"useragent", b"user agent"})
_ALLOW = frozenset({b"allow"})
_DISALLOW = frozenset({b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"})
_HOST = re.compile(r"\A[A-Za-z]+://[^/?#]*")
_PLAIN = re.compile(r"[A-Za-z0-9_.~=-]")
_ODD_IN_PATH = re.compile(r"%(?![89A-F][0-9A-F])[0-9A-Fa-f]{2}|[^A-Za-z0-9_.~/=%-]")
_ODD_IN_RULE = re.compile(r"%(?![89A-F][0-9A-F])[0-9A-Fa-f]{2}|[^A-Za-z0-9_.~/=%*-]")
"""Octets beyond ASCII in capitals are spelt already as they should be."""


def our_rules(body: bytes, *, token: str = PRODUCT, is_cut: bool = False) -> str:
    """The rules of a robots.txt that bind `token`, one a line; those of `*` when no group names it.

    Everything beyond 512 KiB is left out, and so is a last line that was cut in the middle. Octets beyond ASCII come
    percent-encoded, as they are in addresses, whatever encoding the file is in. A rule said twice is kept once.
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
    return "\n".join(dict.fromkeys(named if is_named else general))


def forbidding_rule(rules: str, url: str) -> str | None:
    """The rule that forbids an address, None when it may be fetched; robots.txt itself always may.

    The longest rule that fits decides, and Allow wins a tie. `url` is percent-encoded with its dot segments resolved,
    as it will be sent. Rules whose wildcards would take too long to try forbid the address as `TOO_COSTLY`.
    """
    if not rules or re.fullmatch(r"https?://[^/?#]*/robots\.txt", url):
        return None
    sorted_out = _sort_out_small(rules) if len(rules) <= SMALL else _sort_out_large(rules)
    path = _HOST.sub("", url).partition("#")[0]
    return sorted_out.decide(_normal(path if path.startswith("/") else f"/{path}", _ODD_IN_PATH))


class _Verdict(NamedTuple):
    """What one rule says; the greatest of those that fit decides. A tuple, since a file may have 70,000."""

    length: int
    is_allow: bool
    rule: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wildcard:
    """A rule with stars: its pieces stand in this order in the addresses it fits."""

    verdict: _Verdict
    head: str
    pieces: tuple[str, ...]
    end: str | None
    """What the address ends with; None when anything may follow."""

    def fits(self, path: str) -> bool:
        at = len(self.head)
        for piece in self.pieces:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return self.end is None or (len(path) - len(self.end) >= at and path.endswith(self.end))


class _Rules:
    """Rules sorted by what they cost: only those with stars have to be tried one by one."""

    def __init__(self, rules: str) -> None:
        self._plain: dict[str, _Verdict] = {}
        self._exact: dict[str, _Verdict] = {}
        self._wild: dict[str, _Wildcard] = {}
        for rule in rules.split("\n"):
            kind, _, pattern = rule.partition(": ")
            self._add(pattern, rule, is_allow=kind == "Allow")
        self._lengths = sorted({len(pattern) for pattern in self._plain}, reverse=True)
        self._tried = sorted(self._wild.values(), key=lambda rule: rule.verdict, reverse=True)

    def decide(self, path: str) -> str | None:
        best = self._best_without_stars(path)
        tried = [rule for rule in self._tried if rule.verdict > best and path.startswith(rule.head)]
        if (len(path) + _STEP) * sum(rule.verdict.length for rule in tried) > MAX_WORK:
            return TOO_COSTLY
        best = next((rule.verdict for rule in tried if rule.fits(path)), best)
        return None if best.is_allow else best.rule

    def _best_without_stars(self, path: str) -> _Verdict:
        starts = (path[:length] for length in self._lengths if length <= len(path))
        best = next((self._plain[start] for start in starts if start in self._plain), _NOTHING_SAID)
        return max(best, self._exact.get(path, best))

    def _add(self, pattern: str, rule: str, *, is_allow: bool) -> None:
        is_anchored = pattern.endswith("$")
        text = _normal(pattern[:-1] if is_anchored else pattern, _ODD_IN_RULE)
        if is_anchored:
            # The site may as well have meant a dollar sign.
            self._put(f"{text}%24", rule, is_allow=is_allow)
        elif is_allow and text.endswith("/index.html"):
            self._put(text.removesuffix("index.html"), rule, is_allow=True, is_anchored=True)
        self._put(text, rule, is_allow=is_allow, is_anchored=is_anchored)

    def _put(self, text: str, rule: str, *, is_allow: bool, is_anchored: bool = False) -> None:
        verdict = _Verdict(length=len(text) + is_anchored, is_allow=is_allow, rule=rule)
        if "*" not in text:
            among = self._exact if is_anchored else self._plain
            among[text] = max(among.get(text, verdict), verdict)
            return
        head, *pieces = text.split("*")
        end = pieces.pop() if is_anchored else None
        wildcard = _Wildcard(verdict=verdict, head=head, pieces=tuple(filter(None, pieces)), end=end)
        key = f"{text}$" if is_anchored else text
        self._wild[key] = max(self._wild.get(key, wildcard), wildcard, key=lambda known: known.verdict)


_NOTHING_SAID = _Verdict(length=0, is_allow=True, rule="")
_sort_out_small = lru_cache(maxsize=64)(_Rules)
_sort_out_large = lru_cache(maxsize=4)(_Rules)
"""Sorted out, the largest file takes some 12 MB."""


def _normal(text: str, odd: re.Pattern[str]) -> str:
    """One spelling for all that mean the same: escapes only where they are needed, in capitals."""
    return odd.sub(_respelled, text)


def _respelled(found: re.Match[str]) -> str:
    if len(found[0]) == 1:
        return quote(found[0], safe="", errors="replace")
    char = chr(int(found[0][1:], 16))
    return char if _PLAIN.fullmatch(char) else found[0].upper()


def _read_line(line: bytes) -> tuple[bytes, bytes]:
    content = line.partition(b"#")[0]
    key, colon, value = content.partition(b":")
    if not colon:
        words = content.split()
        key, value = (words[0], words[1]) if len(words) == 2 else (b"", b"")
    return key.strip().lower(), value.strip()


def _names(value: bytes, token: str) -> bool:
    found = _TOKEN.match(value)
    return found is not None and found[0].lower() == token.lower().encode()


def _encoded(value: bytes) -> str:
    return _FOREIGN.sub(lambda found: f"%{found[0].hex('%')}".upper().encode(), value).decode("ascii")
