"""Relays stdio: answers lines from the snapshot, imports the real server beside them and hands over to it."""

import os
import select
import sys

from gossamer.front.handshake import Handshake
from gossamer.process import guard_stdout, leave, leave_at_signals, stop_waiting
from gossamer.settings.early import Flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gossamer.server.stdio.serve import Stdio

_CHUNK_BYTES = 65_536
_QUIET_MS = 50
"""A client that is silent for so long after its last message is thinking: time to fetch the server."""
_LEAVING_MS = 200
"""How long a client that hung up may take to read what is still being written."""
_MOST_BYTES = 1_048_576
"""More than this is not read before the real server can deal with it."""
_TURN_S = 0.0005
"""How long the import may keep the interpreter from an answer."""


class Relay:
    """Answers what it can at once, until the real server has been imported."""

    def __init__(self, handshake: Handshake, flags: Flags) -> None:
        self._handshake = handshake
        self._flags = flags
        self._out = guard_stdout()
        self._rest = b""
        self._has_ended = False
        self._wake = -1
        self._server: Stdio | None = None
        self._failure: BaseException | None = None

    def serve(self) -> None:
        """Serve until the client leaves; the real server takes over in between."""
        leave_at_signals()
        stop_waiting(self._out)
        self._answer_until_server_ready()
        os.close(self._wake)
        if self._failure or not self._server:
            raise self._failure or RuntimeError("the server was not imported")
        import json

        lead = self._handshake.replay(json.dumps) + self._rest
        self._server.run(out=self._out, lead=lead, silent=self._handshake.opening_id, has_ended=self._has_ended)

    def _answer_until_server_ready(self) -> None:
        events = select.poll()
        events.register(0, select.POLLIN)
        has_heard, is_reading = False, True
        while True:
            is_waiting = has_heard and self._wake < 0
            ready = [descriptor for descriptor, _ in events.poll(_QUIET_MS if is_waiting else None)]
            if self._wake in ready:
                return
            if 0 in ready:
                has_heard = True
                self._read_lines()
            if self._has_ended and not self._handshake.owes_reply:
                leave()
            is_full = self._handshake.deferred_bytes + len(self._rest) > _MOST_BYTES
            if is_reading and (self._has_ended or is_full):
                events.unregister(0)
                is_reading = False
            if self._wake < 0 and (not ready or self._handshake.has_listed or self._handshake.has_deferred or is_full):
                self._wake = self._start_import()
                events.register(self._wake, select.POLLIN)

    def _read_lines(self) -> None:
        """Read what is there, and answer as many lines of it as possible with one write."""
        try:
            data = os.read(0, _CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if not data:
            self._has_ended = True
            lines, self._rest = [self._rest], b""
        if answers := b"".join(map(self._handshake.take, lines)):
            self._write(answers)

    def _write(self, answers: bytes) -> None:
        """Write all of it, however slowly the client reads; one that hangs up instead is not waited for long."""
        events = select.poll()
        events.register(self._out, select.POLLOUT)
        events.register(0, 0)
        wait_ms = None
        while answers:
            try:
                answers = answers[os.write(self._out, answers) :]
            except BlockingIOError:
                ready = [descriptor for descriptor, _ in events.poll(wait_ms)]
                if not ready:
                    leave()
                if 0 in ready:
                    events.unregister(0)
                    wait_ms = _LEAVING_MS
            except OSError:
                leave()

    def _start_import(self) -> int:
        """Begin the import beside this thread; the descriptor returned becomes readable when it is done."""
        import threading  # here, because it takes the thread that imports it for the main one

        sys.setswitchinterval(_TURN_S)
        wake, done = os.pipe()
        threading.Thread(target=self._import_server, args=(done,), daemon=True).start()
        return wake

    def _import_server(self, done: int) -> None:
        import gc

        gc.disable()  # nothing that is imported becomes garbage, and looking for it takes time
        try:
            from pathlib import Path

            from gossamer.server.stdio.serve import Stdio
            from gossamer.settings.load import load

            config = Path(self._flags.config) if self._flags.config else None
            self._server = Stdio(load(flags=self._flags.values, config=config))
        except BaseException as error:  # noqa: BLE001  raised again where it can be seen
            self._failure = error
        gc.freeze()
        gc.enable()
        os.close(done)
