"""The registrable domain of an address: what somebody owns, by a public-suffix list that comes with a package."""

import ipaddress

from gossamer.steps.web.canonical import host_of


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
