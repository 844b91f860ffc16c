"""What pages say of themselves in structured data, of every type and in every syntax, through a real server."""

from collections.abc import Iterator

import pytest

from tests.real.processes import Wire, environment_for, open_wire
from tests.real.spec_site import FILM, SpecSite, spec_site
from tests.real.structured_pages import ABOUT, CASES, PAGES, READER, WAYS, film_page


@pytest.fixture(scope="module")
def site() -> Iterator[SpecSite]:
    with spec_site({**PAGES, "/title/tt15239678/": film_page(FILM)}) as site:
        yield site


@pytest.fixture(scope="module")
def wire(site: SpecSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    environment = environment_for(site.url, site.host, tmp_path_factory.mktemp("structured"))
    with open_wire({**environment, "GOSSAMER_TOOLS": "core,websearch"}) as wire:
        wire.handshake()
        yield wire


@pytest.mark.promise("003.48", "003.136")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", CASES)
def test_the_main_entity_gives_title_author_date_and_facts(kind: str, way: str, wire: Wire, site: SpecSite) -> None:
    case, url = CASES[kind], f"{site.url}/{kind}/{way}"
    fetched = wire.call("WebFetch", url=url)
    assert fetched["structuredContent"]["title"] == f"{case.name} - Quay"
    assert fetched["structuredContent"]["metadata"] == {
        "description": ABOUT,
        "author": case.author,
        "datePublished": case.published,
        "siteName": "Quay",
    }
    main = fetched["_meta"]["gossamer/structured"]["items"][0]
    assert main["@type"] == kind
    assert main["review"]["author"] == {"@type": "Person", "name": READER}
    read = wire.call("web_fetch", url=url)
    assert read["_meta"]["gossamer/structured"]["items"][0] == main
    lines = read["content"][0]["text"].split("\n\n")[1].splitlines()
    expected = [
        f"Title: {case.name}",
        *([f"Author: {case.author}"] if case.author else []),
        *([f"Date: {case.published}"] if case.published else []),
        "Site: Quay",
        *case.facts,
    ]
    assert [line for line in lines if not line.startswith("Price: ")] == [
        line for line in expected if not line.startswith("Price: ")
    ]
    assert all(fact in read["content"][0]["text"] for fact in case.facts)


def test_the_film_of_the_specification_comes_back_as_written_where_json_ld_alone_tells_of_it(
    wire: Wire, site: SpecSite
) -> None:
    data = wire.call("WebFetch", url=f"{site.url}/title/tt15239678/")["structuredContent"]
    assert (data["status"], data["title"]) == ("success", "Dune: Part Two (2024) - IMDb")
    assert data["content"].startswith("# Dune: Part Two\n\n**2024** · PG-13 · 2h 46m\n\nPaul Atreides unites")
    assert data["metadata"] == {
        "description": "Paul Atreides unites with Chani and the Fremen...",
        "author": None,
        "datePublished": "2024-03-01",
        "siteName": "IMDb",
    }
    assert [link["text"] for link in data["links"]] == ["Timothée Chalamet", "Zendaya"]


def test_lists_are_whole_and_nesting_is_kept(wire: Wire, site: SpecSite) -> None:
    for way in WAYS:
        meta = wire.call("WebFetch", url=f"{site.url}/Movie/{way}")["_meta"]
        film = meta["gossamer/structured"]["items"][0]
        assert [actor["name"] for actor in film["actor"]] == ["Timothée Chalamet", "Zendaya", "Rebecca Ferguson"]
        assert film["genre"] == ["Action", "Adventure"]
        assert meta["gossamer/structured"]["open_graph"] == {"og:site_name": "Quay"}
