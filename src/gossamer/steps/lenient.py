"""Reads what models and people write for what they mean; each reader returns the value it understood.

Whoever calls compares: what was changed is told in a note, never done silently.
"""

import re
from urllib.parse import urlsplit

_MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^\s)>]+)>?[^)]*\)")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d+(?:/|$))")
_HOST_FIRST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s/?#:@]+\.[^\s/?#:@]+|localhost)(:\d+)?([/?#].*)?", re.DOTALL)
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{2}|[A-Za-z]{4}))?")


def read_address(text: str) -> str:
    """An address out of `<url>`, a Markdown link, quotes, or one without its scheme."""
    text = text.strip()
    if link := _MARKDOWN_LINK.fullmatch(text):
        text = link[1]
    text = text.strip("<>\"'` ")
    if not _HAS_SCHEME.match(text):
        if text.startswith("//"):
            return f"https:{text}"
        if _HOST_FIRST.fullmatch(text):
            return f"https://{text}"
    return text


def read_site(text: str) -> str:
    """A bare host name out of `site:`, an address or a name with a path."""
    text = text.strip().removeprefix("site:").strip()
    host = urlsplit(text if "://" in text else f"//{text}").hostname if text.isprintable() and "[" not in text else ""
    return (host or text).removeprefix("*.").removeprefix("www.")


def read_language(text: str) -> str:
    """`de`, or `zh-CN` out of `zh-cn` and `zh_CN`; script subtags and what is no code stay as they are."""
    text = text.strip()
    code = _LANGUAGE.fullmatch(text)
    if not code or (code[2] and len(code[2]) != 2):
        return text
    return code[1].lower() + (f"-{code[2].upper()}" if code[2] else "")
