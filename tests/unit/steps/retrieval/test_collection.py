from gossamer.embedders.local import LocalEmbedder
from gossamer.model.page import Page
from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.collection import Collection, collect
from gossamer.steps.text.words import stemmer

TEXTS = {
    "ferry": "# Ferry\n\nThe ferry leaves the harbour at noon. Dogs travel free.\n\n# Fares\n\nA ticket is four euros.",
    "sky": "# Observatory\n\nThe dome opens on clear nights. Telescopes stand under the dome.",
    "gulls": "# Gulls\n\nGulls are birds that like chips.",
    "empty": "",
}


def collection(*names: str) -> Collection:
    pages = [Page(url=name, final_url=name, title=name, text=TEXTS[name], fetched_at=0.0) for name in names]
    local = LocalEmbedder()
    chunks = [chunk(page.url, page.text) for page in pages]
    return collect(pages, chunks, lambda texts: local.look_up(texts, "english"), stemmer("english"))


def test_the_page_with_the_words_of_the_question_comes_first() -> None:
    every = collection(*TEXTS)
    assert [page.url for page in every.best(["When does the ferry leave?"], count=1)] == ["ferry"]
    assert every.best(["What do gulls eat?"], count=2)[0].url == "gulls"


def test_every_part_of_a_question_brings_its_page() -> None:
    best = collection(*TEXTS).best(["When does the ferry leave?", "When does the dome open?"], count=2)
    assert {page.url for page in best} == {"ferry", "sky"}


def test_a_page_without_words_is_never_among_the_best() -> None:
    assert "empty" not in [page.url for page in collection(*TEXTS).best(["the dome of the ferry"], count=9)]


def test_pages_without_any_text_come_as_they_are() -> None:
    assert [page.url for page in collection("empty").best(["ferry"], count=3)] == ["empty"]


def test_a_question_without_known_words_finds_what_is_close_or_nothing() -> None:
    assert len(collection(*TEXTS).best(["zzyzx"], count=9)) <= 3
