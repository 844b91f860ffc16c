"""Who does the work on pages: the network, extraction, vectors, answers."""

from collections.abc import Sequence
from typing import Protocol

from gossamer.model.answer import Draft
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Extracted, Passage, Vectors, View
from gossamer.ports.call import Call


class Http(Protocol):
    """A door to the network."""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        """Exchange one request for one reply, redirects followed; what fails in transport is raised as ours."""
        ...

    async def close(self) -> None:
        """Drop all connections."""
        ...


class Web(Http, Protocol):
    """The guarded door to pages."""

    def admit(self, url: str) -> None:
        """Raise for an address that pages are never taken from, kept or not; no look-up is made."""
        ...


class Extractor(Protocol):
    """Foreign bytes to text, under limits."""

    def warm(self) -> None:
        """Begin to make ready what the first body needs."""
        ...

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        """Read a body as `view` says; walls, shells and broken documents are raised as what they are."""
        ...

    async def close(self) -> None:
        """End the worker processes."""
        ...


class Embedder(Protocol):
    """Texts to vectors."""

    name: str
    """Names the model; vectors are kept per name."""

    async def embed(self, texts: Sequence[str], call: Call) -> Vectors:
        """One unit vector per text, in order."""
        ...


class Answerer(Protocol):
    """Passages to drafted sentences."""

    async def write(self, question: str, passages: Sequence[Passage], call: Call) -> Sequence[Draft]:
        """Draft an answer from the passages alone, each sentence with the quotes it leans on."""
        ...
