"""Site filter: what is a site's name, and which addresses lie on it."""

import re

from gossamer.steps.web.canonical import host_of

_NAME = re.compile(r"(?=.{1,253}\.?$)[^\W_](?:[\w-]{0,61}[^\W_])?(?:\.[^\W_](?:[\w-]{0,61}[^\W_])?)*\.?")


def is_site(text: str) -> bool:
    """Whether a text is the name of a host or a domain, or an ending such as `gov`."""
    return _NAME.fullmatch(text) is not None


def is_on_site(url: str, site: str) -> bool:
    """Whether an address lies on a site or below it, in whichever of its spellings either is written."""
    return f".{_plain(host_of(url))}".endswith(f".{_plain(site)}")


def _plain(host: str) -> str:
    """A name in the spelling that machines use, where it has one."""
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host
