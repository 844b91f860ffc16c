"""Domains: the registrable domain of an address by the public-suffix list, and the filter by site."""

import ipaddress
import re

from gossamer.steps.web.urls import host_of

_SITE_NAME = re.compile(r"(?=.{1,253}\.?$)[^\W_](?:[\w-]{0,61}[^\W_])?(?:\.[^\W_](?:[\w-]{0,61}[^\W_])?)*\.?")


def domain(url: str) -> str:
    """`wikipedia.org` of `https://en.wikipedia.org/wiki/Dune`; a bare address or name is its own domain.

    Under an ending that the list does not know the last two labels count, as the list itself says.
    """
    host = host_of(url).rstrip(".")
    if "." not in host or _is_address(host):
        return host
    import tld

    known: str | None = tld.get_fld(f"https://{host}/", fail_silently=True)  # pyright: ignore[reportUnknownMemberType]
    return known or ".".join(host.split(".")[-2:])


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_site(text: str) -> bool:
    """Whether a text is the name of a host or a domain, or an ending such as `gov`."""
    return _SITE_NAME.fullmatch(text) is not None


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
