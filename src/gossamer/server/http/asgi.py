"""The shapes of ASGI, the interface between a server of HTTP and its application."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = dict[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
