"""The operator's embedding server, as the settings choose it."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from gossamer.compose import chosen_embedder
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.ports import Call
from gossamer.settings.load import load
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S


@dataclass
class Held:
    """Answers with vectors as soon as so many requests are under way, and counts them."""

    wanted: int
    at_once: int = 0
    most_at_once: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.at_once == self.wanted:
            self.enough.set()
        await self.enough.wait()
        await asyncio.sleep(0)
        self.at_once -= 1
        texts = json.loads(request.body or b"")["input"]
        data = [{"index": index, "embedding": [1.0, 0.0]} for index in range(len(texts))]
        return HttpReply(status=200, url=request.url, body=json.dumps({"data": data}).encode())

    def admit(self, url: str) -> None:
        """Every address is the operator's own."""

    async def close(self) -> None:
        """Nothing to close."""


@pytest.mark.promise("001.88", "001.90")
@pytest.mark.parametrize(("given", "expected"), [({}, 2), ({"CONCURRENCY": "4"}, 4)], ids=["two by default", "four"])
async def test_requests_for_vectors_have_a_cap_of_the_size_that_concurrency_names(
    given: dict[str, str], expected: int
) -> None:
    settings = load(
        environ={"EMBEDDING_SERVER_URL": "http://a.test", "EMBEDDING_MODEL_NAME": "small", **given}
    ).settings
    api, clock = Held(expected), SetClock()
    embedder = chosen_embedder(settings, api, clock)
    assert embedder
    texts = [f"Text {number}" for number in range(32 * 6)]
    async with asyncio.timeout(LONG_S):
        vectors = await embedder.embed(texts, Call(clock=clock).within(1000))
    assert len(vectors.data) == 2 * 2 * len(texts)
    assert api.most_at_once == expected
