"""The fuzzer of the HTTP face: conversations of the grammar, several at once, against the real server process."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.server.http.token_file import new_token
from tests.hostile.http_grammar import Conversation, Ending, Grammar, Verdict, judge
from tests.hostile.raw_http import NotHttp, RawConnection
from tests.hostile.server_cost import Cost, TimedServer, measured, open_timed
from tests.patience import LONG_S
from tests.real.processes import environment_for

AT_ONCE = 4
CONTROLS = 300
"""Ordinary conversations whose cost is the measure of what hostile ones may cost."""
TIMES_AS_DEAR = 0.6
"""A hostile request beside an ordinary one; it is 0.25, since most are refused, or stand behind one that was."""
TURN_S = 0.25
"""Processor time that the loop may work without serving anybody else. This is what is allowed: 10 ms were the longest
turn of forty seconds of conversations, 100 that of floods (`stalls`)."""


@dataclass
class Result:
    """What came of a run."""

    conversations: int = 0
    requests: int = 0
    answers: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Fuzzer:
    """Runs conversations by their numbers."""

    def __init__(self, server: TimedServer, token: str, seed: str) -> None:
        self._server = server
        self.grammar = Grammar(f"127.0.0.1:{server.port}", token, seed)

    def run(
        self, fewest: int, until: float = 0, make: Callable[[int], Conversation] | None = None, most_faults: int = 5
    ) -> Result:
        """Conversations from the first on, for so long and at least so many; stops early at so many faults."""
        make = make or self.grammar.conversation
        result, lock = Result(), threading.Lock()
        numbers = itertools.count()

        def work() -> None:
            while len(result.faults) < most_faults:
                with lock:
                    number = next(numbers)
                if number >= fewest and time.monotonic() >= until:
                    return
                conversation = make(number)
                fault, statuses = self.converse(conversation)
                with lock:
                    result.conversations += 1
                    result.requests += len(conversation.requests)
                    result.answers.update(statuses)
                    if fault:
                        result.faults.append(f"conversation {number}: {fault} in {conversation.labels}")

        threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return result

    def fuzz(self, seconds: float, fewest: int = 0) -> tuple[Result, Cost, float]:
        """Fuzz for so long: what came of it, what it cost, and how dear a request was beside an ordinary one."""
        self.run(200)  # what is loaded and made once is no growth
        with measured(self._server) as ordinary:
            control = self.run(CONTROLS, make=self.grammar.ordinary)
        with measured(self._server) as cost:
            result = self.run(fewest, time.monotonic() + seconds)
        result.faults += control.faults
        each_s = (cost.cpu_s / max(1, result.requests), ordinary.cpu_s / max(1, control.requests))
        return result, cost, each_s[0] / each_s[1]

    def converse(self, conversation: Conversation) -> tuple[str, list[int]]:
        """Have one conversation: what is wrong with it, and the statuses that came."""
        with RawConnection(self._server.port) as client:
            try:
                self._talk(client, conversation)
            except (NotHttp, ValueError) as error:
                return f"what came is no answer: {error}", []
            fault = judge(conversation, client.answers, has_ended=client.is_closed)
            if not fault and client.unread and not client.is_closed:
                fault = f"{client.unread[:100]!r} came behind the answers"
            return fault, [answer.status for answer in client.answers]

    def _talk(self, client: RawConnection, conversation: Conversation) -> None:
        if conversation.is_pipelined:
            client.send(*conversation.pieces)
        else:
            for at, piece in enumerate(conversation.pieces):
                if not client.send(piece) or len(client.receive(at + 1, _patience(conversation, at))) <= at:
                    break
        match conversation.ending:
            case Ending.VANISH:
                return
            case Ending.HALF_CLOSE:
                client.close_sending()
                client.wait_closed()
            case Ending.CLOSE:
                if any(request.verdict is not Verdict.FINE for request in conversation.requests):
                    client.receive(_sure(conversation))
                    client.close_sending()  # what is left of a broken request ends it
                    client.wait_closed()
                else:
                    client.receive(len(conversation.requests))


def _sure(conversation: Conversation) -> int:
    """How many answers must come before anything is broken."""
    return len(list(itertools.takewhile(lambda request: request.verdict is Verdict.FINE, conversation.requests)))


def _patience(conversation: Conversation, at: int) -> float:
    """How long to wait for an answer that need not come."""
    return LONG_S if at < _sure(conversation) else 0.05


@contextmanager
def fuzzed_server(folder: Path) -> Iterator[tuple[TimedServer, str]]:
    """A server whose one user has no limit of requests, and the login."""
    environment = {
        **environment_for("http://127.0.0.1:1", "127.0.0.1:1", folder),
        "GOSSAMER_LIMITS__REQUESTS": "0",
        "GOSSAMER_LIMITS__IN_FLIGHT": "1000",
    }
    token = new_token(Path(environment["DATA_DIR"]) / "tokens.json", "alice", now=time.time())[0]
    with open_timed(environment) as server:
        yield server, token
