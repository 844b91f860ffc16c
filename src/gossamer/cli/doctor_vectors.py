"""Who makes the vectors that passages are compared by, and whether they answer."""

from typing import Literal, NamedTuple

from gossamer.cli.session import in_words
from gossamer.compose import SystemClock, chosen_embedder, net_policy
from gossamer.embedders import local_embedder, multilingual, rerank
from gossamer.errors import BadSettings, GossamerError
from gossamer.ports import Call
from gossamer.settings.model import Settings

_PROBE = "A sentence to see whether vectors can be had."
_PROBE_S = 5.0

State = Literal["works", "off", "broken"]


class VectorFinding(NamedTuple):
    """One line of the report."""

    name: str
    state: State
    text: str


async def examine_vectors(settings: Settings) -> list[VectorFinding]:
    """The tables or the server, and both extras."""
    return [await _embedder(settings), _multilingual(settings), _rerank(settings)]


async def _embedder(settings: Settings) -> VectorFinding:
    from gossamer.net.client import ApiDoor

    clock = SystemClock()
    call = Call(clock=clock).within(_PROBE_S)
    try:
        policy = net_policy(settings)
        door = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.service_way)
        try:
            embedder = chosen_embedder(settings, door, clock)
            made = await (embedder or local_embedder(multilingual=False)).embed([_PROBE], call)
        finally:
            await door.close()
    except BadSettings as error:
        return VectorFinding("vectors", "broken", f"{error} Until then nothing is read with a question")
    except GossamerError as error:
        return VectorFinding("vectors", "broken", f"{in_words(error)} Until then words and the built-in table decide")
    if embedder is None:
        unused = "; embedding.model does nothing without embedding.server_url" if settings.embedding.model else ""
        text = f"from tables in the package; no text leaves this machine for them{unused}"
        return VectorFinding("vectors", "works", text)
    text = (
        f"{made.model}, {made.dimension} numbers per text; its server sees every page that is read, and the questions"
    )
    return VectorFinding("vectors", "works", text)


def _multilingual(settings: Settings) -> VectorFinding:
    name = "extra multilingual"
    if not settings.embedding.multilingual:
        return VectorFinding(name, "off", "switched off by embedding.multilingual")
    if settings.embedding.server_url:
        return VectorFinding(name, "off", "the embedding server does its work")
    if not multilingual.is_installed():
        return VectorFinding(name, "off", "for questions in another language than the page: gossamer[multilingual]")
    return VectorFinding(name, "works", "compares a page with a question in another language")


def _rerank(settings: Settings) -> VectorFinding:
    name = "extra rerank"
    path = settings.embedding.rerank_model
    if path is None:
        return VectorFinding(
            name, "off", "a model of your own judges passages: gossamer[rerank], embedding.rerank_model"
        )
    try:
        rerank.check(path)
    except GossamerError as error:
        return VectorFinding(name, "broken", str(error))
    return VectorFinding(name, "works", f"the best passages are judged by {path}")
