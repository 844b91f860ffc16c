"""The pages that a page shows in its frames: where its text is, if it has none of its own."""

import re

from gossamer.extractors.tree import Element, attr
from gossamer.extractors.writing.tidy import absolute

_FEW = 20
_NAMED = 3
_ROOM = 360
"""Characters for all addresses: a next step is a sentence."""
_SPECK = re.compile(r"\s*[01](?:px)?\s*")
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SERVANT = re.compile(
    r"//[^/]*(?:googletagmanager|doubleclick|googlesyndication|google-analytics|recaptcha|hcaptcha|turnstile|facebook\.com/"
    r"(?:tr|plugins)|onetrust|consent|adservice|safeframe)|/(?:recaptcha|_incapsula_resource)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"https?://[\x21-\x7e]+")


def frames(root: Element, base: str) -> tuple[str, ...]:
    """Addresses of the frames that a reader sees, as many as fit into a sentence."""
    found: dict[str, None] = {}
    for el, _ in zip(root.iter("frame", "iframe"), range(_FEW), strict=False):
        address = "" if _is_unseen(el) else absolute(attr(el, "src"), base).partition("#")[0]
        if _PLAIN.fullmatch(address) and not _SERVANT.search(address) and address != base.partition("#")[0]:
            found[address] = None
    named: list[str] = []
    for address in found:
        if len(named) < _NAMED and sum(map(len, named)) + len(address) <= _ROOM:
            named.append(address)
    return tuple(named)


def _is_unseen(el: Element) -> bool:
    if not attr(el, "src") or any(True for _ in el.iterancestors("noscript", "template")):
        return True
    is_speck = any(_SPECK.fullmatch(attr(el, side)) for side in ("width", "height"))
    return is_speck or el.get("hidden") is not None or bool(_UNSEEN.search(attr(el, "style")[:500]))
