"""Lenient readers of arguments: what models and people write is read for what they mean.

Whoever calls compares: what was changed is told in a note, never done silently. Bounds are checked on what was
understood, so every reader takes text of any length in linear time.
"""

import re
from urllib.parse import urlsplit

_MARKDOWN_LINK = re.compile(r"!?\[[^\]]*+\]\(\s*+<?((?:[^\s()<>]|\([^\s()<>]*+\))++)>?(?:\s[^)]*+)?\)")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:(?!\d++(?:[/?#]|$))")
_REST = r"(?::\d++)?(?:[/?#].*)?"
_PLAIN_HTTP = re.compile(rf"(?:localhost|\[[0-9A-Fa-f:.]++\]|\d{{1,3}}(?:\.\d{{1,3}}){{3}}){_REST}", re.DOTALL)
_HOST_FIRST = re.compile(rf"(?=[^\s/?#:@]+\.[^\s/?#:@])[^\s/?#:@]++{_REST}", re.DOTALL)
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{2}))?")


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


def read_language(text: str) -> str:
    """`de`, or `zh-CN` out of `zh-cn` and `zh_CN`; what is no such code stays as it is."""
    text = text.strip()
    code = _LANGUAGE.fullmatch(text)
    if not code:
        return text
    return code[1].lower() + (f"-{code[2].upper()}" if code[2] else "")
