"""The MCP handshake: answers four methods from the snapshot and defers every other line to the server. No I/O."""

from gossamer.front.messages import LEGACY, MODERN, era_of, id_text, is_client, message_of
from gossamer.front.snapshot import RecordedAnswers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Handshake:
    """One client's first messages, and those of them that are replayed to the real server."""

    def __init__(self, answers: RecordedAnswers, read: "Callable[[str], Any]") -> None:
        self._answers = answers
        self._read = read
        self._era = ""
        self._takes_questions = True
        self._opening: dict[str, Any] = {}
        self._version = ""
        self._deferred: list[bytes] = []
        self.deferred_bytes = 0
        """The size of the lines that wait for the real server."""
        self.has_listed = False
        """The client has received its tool list."""
        self.has_deferred = False
        """A line came that only the real server can answer."""
        self.owes_reply = False
        """One of those lines awaits a reply."""

    @property
    def opening_id(self) -> "str | int | None":
        """The id of the request that was answered here and that the real server hears again; its reply is dropped."""
        return self._opening.get("id")

    def take(self, line: bytes) -> bytes:
        """The answer to a line; nothing where there is none, or where the real server will give it."""
        if not line.strip():
            return b""
        message = message_of(line, self._read)
        is_opened = bool(self._opening)
        reply = self._answer(message) if message and self._takes_questions else b""
        if reply and is_opened:
            return reply
        self._deferred.append(line)
        self.deferred_bytes += len(line)
        if not reply and not self._is_expected(message):
            self._leave_to_server(message)
        return reply

    def replay(self, write: "Callable[[Any], str]") -> bytes:
        """The lines for the real server, in order; the handshake names the version that the client was offered."""
        if self._version and self._opening["params"]["protocolVersion"] != self._version:
            params = {**self._opening["params"], "protocolVersion": self._version}
            self._deferred[0] = write({**self._opening, "params": params}).encode()
        return b"".join(line + b"\n" for line in self._deferred)

    def _answer(self, message: "dict[str, Any]") -> bytes:
        """The answer, where the message leaves no doubt that the real server would give the same."""
        number = id_text(message.get("id"))
        method: str = message["method"]
        params: dict[str, Any] = message.get("params") or {}
        result = ""
        if number and method == "initialize":
            result = self._initialize(params)
        elif number:
            era = era_of(params, self._answers.modern_version, self._answers.envelope)
            if era and era == (self._era or MODERN):
                result = self._answers.result(era, method)
                self._era = era if result else self._era
        if not result:
            return b""
        self._opening = self._opening or message
        self.has_listed = self.has_listed or method == "tools/list"
        return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}\n'.encode()

    def _initialize(self, params: "dict[str, Any]") -> str:
        if self._era or not is_client(params):
            return ""
        versions = self._answers.handshake_versions
        asked = params["protocolVersion"]
        self._era = LEGACY
        self._version = asked if asked in versions else versions[-1]
        return self._answers.initialize(self._version)

    def _is_expected(self, message: "dict[str, Any] | None") -> bool:
        """Whether this is the client's word that the handshake is done, which asks for nothing."""
        return bool(
            message
            and message["method"] == "notifications/initialized"
            and self._era == LEGACY
            and not self.has_deferred
            and not message.get("params")
            and "id" not in message
        )

    def _leave_to_server(self, message: "dict[str, Any] | None") -> None:
        """After a line that may change the state of the conversation, every other goes to the real server too."""
        self.has_deferred = True
        self.owes_reply = self.owes_reply or message is None or "id" in message
        is_harmless = self._era and message and message["method"] != "initialize"
        self._takes_questions = bool(self._takes_questions and is_harmless)
