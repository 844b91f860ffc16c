"""A search builds the providers that it asks, and nobody else."""

from typing import ClassVar

import pytest
from pydantic import model_validator

from gossamer.compose import configured_providers, provider_offers, search_parts
from gossamer.engine import Engine
from gossamer.engine.searching import Offer
from gossamer.errors import InvalidArgument
from gossamer.model.search import Query
from gossamer.ports import Provider
from gossamer.providers import PROVIDERS
from gossamer.settings.load import load
from gossamer.settings.model import Settings
from tests.unit.engine.services import Dear, Free, Paid, urls
from tests.unit.engine.world import World

BUILT: list[str] = []
ASKED = {"paid": "http://paid.test", "free": "http://free.test", "dear": "http://dear.test"}


class Counted(Provider):
    """Tells when it is built."""

    @model_validator(mode="after")
    def _count(self) -> "Counted":
        BUILT.append(self.name)
        return self


class CountedPaid(Paid, Counted):
    pass


class CountedFree(Free, Counted):
    pass


class Keyed(Dear, Counted):
    name: ClassVar[str] = "dear"

    @property
    def is_ready(self) -> bool:
        return bool(self.api_key.get_secret_value())


REGISTRY: dict[str, type[Provider]] = {"paid": CountedPaid, "free": CountedFree, "dear": Keyed}


def engine(world: World, **tables: dict[str, str]) -> Engine:
    BUILT.clear()
    world.api.answers |= {address: urls("https://a.test/") for address in ASKED.values()}
    settings = Settings.model_construct(**{**dict(Settings()), "providers": tables})
    world.offers = provider_offers(settings, REGISTRY)
    return world.engine()


async def test_a_search_that_names_a_provider_builds_that_one() -> None:
    world = World()
    page = await engine(world).search(Query(text="ferries"), world.call(), providers=["free"])
    assert (page.provider, BUILT) == ("free", ["free"])


async def test_a_planned_search_builds_only_who_is_asked() -> None:
    world = World()
    at = engine(world)
    assert (await at.search(Query(text="ferries"), world.call())).provider == "paid"
    assert BUILT == ["paid"]
    await at.search(Query(text="harbours"), world.call())
    assert BUILT == ["paid"]


async def test_one_that_lacks_its_key_is_told_of_unbuilt() -> None:
    world = World()
    with pytest.raises(InvalidArgument, match="Dear cannot be asked without"):
        await engine(world).search(Query(text="ferries"), world.call(), providers=["dear"])
    assert BUILT == []


async def test_a_key_in_the_table_makes_one_ready() -> None:
    world = World()
    at = engine(world, dear={"api_key": " k-secret-1 ", "base_url": "https://dear.test/"})
    world.api.answers["https://dear.test"] = urls("https://a.test/")
    page = await at.search(Query(text="ferries"), world.call(), providers=["dear"])
    assert (page.provider, BUILT) == ("dear", ["dear"])


TABLES = {
    "nothing set": {},
    "every key": {
        "GOSSAMER_PROVIDERS__" + name.upper() + "__API_KEY": "sk-secret-key-1"
        for name, shape in PROVIDERS.items()
        if "api_key" in shape.model_fields
    },
    "addresses": {"SEARXNG_URL": "http://localhost:8888/", "GOSSAMER_PROVIDERS__OPENAI__BASE_URL": "https://a.test/v1"},
    "a home with a slash": {"GOSSAMER_PROVIDERS__OPENAI__BASE_URL": "https://api.openai.com/v1/"},
}


@pytest.mark.parametrize("environ", TABLES.values(), ids=TABLES)
def test_the_plan_knows_of_an_unbuilt_provider_what_it_would_of_a_built_one(environ: dict[str, str]) -> None:
    settings = load(environ=environ).settings
    built = {part.name: Offer.of(part) for part in search_parts(settings)}
    offers = provider_offers(settings)
    assert list(offers) == list(built) == list(PROVIDERS)
    for name, offer in offers.items():
        assert offer.candidate == built[name].candidate
        assert (offer.title, offer.terms, offer.missing) == (built[name].title, built[name].terms, built[name].missing)
        assert type(offer.build()) is type(built[name].build())
    assert len(configured_providers(settings.provider_tables)) == len(built)
