"""Who does the work on pages: the network, extraction, vectors, answers."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from gossamer.errors import GossamerError
from gossamer.model.answer import Draft
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Extracted, Passage, Vectors, View
from gossamer.ports.call import Call

LanguageMix = Literal["english", "other", "mixed"]
"""Of pages and questions together: all English, one other language (or nobody knows), or several."""

Heard = Callable[[Sequence[int], Vectors], None]
"""Is told the places of some texts among all, and their vectors, as soon as these are there."""


def unheard(_places: Sequence[int], _part: Vectors) -> None:
    """Wait for the whole."""


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

    def advice(self, error: GossamerError) -> str:
        """What today's settings have to do with a failure, old or new; empty: nothing."""
        ...


class Extractor(Protocol):
    """Foreign bytes to text, under limits."""

    def warm(self) -> None:
        """Begin to make ready what the first body needs."""
        ...

    def check(self, view: View) -> None:
        """Raise for a view that no page can be read in, before anything is fetched for it."""
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

    def speaking(self, mix: LanguageMix) -> "Embedder":
        """Who makes the vectors where these languages meet: itself, or one that knows them better."""
        ...

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        """One unit vector per text, in order; `heard` keeps what is done when the rest fails, and may refuse it."""
        ...

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        """One unit vector per question, in order, to be compared with those of texts."""
        ...


class Lexicon(Protocol):
    """Vectors of words and sentences from a table at hand, whoever makes those of chunks: no network, no waiting."""

    def look_up(self, texts: Sequence[str], mix: LanguageMix) -> Vectors:
        """One unit vector per text, in order, zeros for what is unknown; reads its table at the first call.

        It computes in the caller's thread, which is never the event loop's, and in several threads at once.
        """
        ...


class Reranker(Protocol):
    """A slow, good judge of a few texts."""

    async def scores(self, question: str, texts: Sequence[str], call: Call) -> list[float]:
        """How well each text answers the question, 0 to 1."""
        ...


class Answerer(Protocol):
    """Passages to drafted sentences."""

    async def write(self, question: str, passages: Sequence[Passage], call: Call) -> Sequence[Draft]:
        """Draft an answer from the passages alone, each sentence with the quotes it leans on."""
        ...
