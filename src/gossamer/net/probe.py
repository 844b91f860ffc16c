"""Reachability probe: connects and hangs up, so that nothing is asked or paid for."""

import asyncio
from contextlib import suppress

from gossamer.errors import Unreachable
from gossamer.net.guard import read_url
from gossamer.net.proxy import Proxy


async def reach(url: str, *, proxy: Proxy | None) -> bool:
    """Whether it could be tried: what lies behind a proxy, only a request would tell. Nobody there is raised.

    So is a proxy that cannot be used. How long it may take is for the caller to bound.
    """
    target = read_url(url)
    if proxy is not None and proxy.carries(target.host):
        return False
    try:
        _, writer = await asyncio.open_connection(target.host, target.port)
    except OSError as error:
        raise Unreachable(
            f"{target.host} does not accept a connection on port {target.port}.",
            hint="Check this service and its base_url.",
        ) from error
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
