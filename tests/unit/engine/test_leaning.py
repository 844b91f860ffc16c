"""Between languages a specialist for it is trusted more than words; without one nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from gossamer.embedders import local_embedder
from gossamer.embedders.local import LocalEmbedder
from gossamer.embedders.multilingual import is_installed
from gossamer.model.page import Vectors
from gossamer.ports import Call, Embedder, Heard, LanguageMix, unheard
from tests.unit.engine.world import World

URL = "https://a.test/pagina"
ANSWER = "El último barco zarpa del muelle norte a las nueve y media de la noche, salvo los domingos de invierno."
OTHERS = [
    f"La capilla número {number} fue restaurada por los vecinos del valle con madera de los bosques de la montaña, "
    "y en ella se guardan las campanas antiguas que sonaban cuando llegaba la nieve a los pueblos altos."
    for number in range(12)
]
DECOY = "The last ferry is a famous song, and many a choir of the valley has sung The last ferry on a winter evening."
QUESTION = "When does the last ferry leave?"
NEAR, FAR = b"\x00\x3c\x00\x00", b"\x00\x00\x00\x3c"


@dataclass
class Knowing:
    """Knows which text answers, whatever its language."""

    name: str = "knowing"

    def speaking(self, mix: LanguageMix) -> Embedder:
        return self

    async def embed(self, texts: Sequence[str], call: Call, heard: Heard = unheard) -> Vectors:
        return Vectors(model=self.name, dimension=2, data=b"".join(NEAR if ANSWER in it else FAR for it in texts))

    async def ask(self, questions: Sequence[str], call: Call) -> Vectors:
        return Vectors(model=self.name, dimension=2, data=NEAR * len(questions))


@dataclass
class Specialised(LocalEmbedder):
    """The local one, which leaves questions between languages to one who knows."""

    specialist: Knowing = field(default_factory=Knowing)

    def __post_init__(self) -> None:
        super().__init__()

    def speaking(self, mix: LanguageMix) -> Embedder:
        return self.specialist if mix == "mixed" else super().speaking(mix)


async def first(embedder: Embedder, *, decoy: str = DECOY) -> str:
    world = World(embedder=embedder)
    world.serve(URL, "# Guía\n\n" + "\n\n".join([*OTHERS[:6], decoy, *OTHERS[6:], ANSWER]))
    reading = await world.engine().read([URL], [QUESTION], world.call(), max_results=1, budget_tokens=200)
    return reading.passages[0].text


async def test_the_specialist_is_believed_where_words_point_elsewhere() -> None:
    assert ANSWER in await first(Specialised())


async def test_one_model_for_all_languages_counts_as_much_as_words() -> None:
    assert DECOY in await first(Knowing())


@pytest.mark.skipif(not is_installed(), reason="the extra `multilingual` is not installed")
async def test_the_extra_is_such_a_specialist() -> None:
    assert ANSWER in await first(local_embedder(multilingual=True), decoy="Los caballos descansan.")
