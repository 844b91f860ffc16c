"""What we claim of the pages of the mini web is true of them."""

import html
import re
from collections.abc import Iterator
from datetime import date

import pypdfium2
import pytest

from gossamer.demo.documents import Document, documents
from gossamer.demo.facts import FACTS, OUTCOMES, Fact
from gossamer.demo.index import Index
from gossamer.demo.ordinary import ORDINARY
from gossamer.demo.replies import fixed_reply
from gossamer.demo.web import MiniWeb
from gossamer.errors import Outcome


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def source(document: Document) -> str:
    return html.unescape(document.body.decode(document.charset))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.question)
def test_a_page_says_what_its_fact_claims(fact: Fact) -> None:
    text = flat(documents()[fact.path].text)
    for phrase in (fact.answer, *fact.also):
        assert phrase in text


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.question)
def test_an_answer_stands_in_one_piece_of_markup(fact: Fact) -> None:
    document = documents()[fact.path]
    assert fact.answer.encode(document.charset) in document.body


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    index = Index(documents().values(), today=date(2026, 10, 15))
    yield index
    index.close()


def test_the_search_finds_nearly_every_fact_among_the_first_three(index: Index) -> None:
    def is_found(fact: Fact) -> bool:
        return fact.path in [m.document.path for m in index.search(fact.question, host="127.0.0.1:80")[:3]]

    missed = [fact.question for fact in FACTS if not is_found(fact)]
    assert len(missed) <= 1, missed


def test_facts_are_many_and_of_many_kinds() -> None:
    paths = [fact.path for fact in FACTS]
    assert len(FACTS) >= 20
    assert paths.count("/observatory/report-2025") >= 4
    assert {"/ja/night-sky", "/zh/mist-tea", "/observatory/summary-2025.pdf", "/ferry/timetable"} <= set(paths)
    assert len({fact.question for fact in FACTS}) == len(FACTS)


@pytest.mark.parametrize("path", ORDINARY)
def test_an_ordinary_page_holds_its_content_and_the_clutter_around_it(path: str) -> None:
    said, document = ORDINARY[path], documents()[path]
    assert said.title in document.title
    assert said.published in {"", document.published}
    whole = source(document)
    assert all(phrase in flat(document.text) for phrase in said.keep)
    assert all(phrase in whole for phrase in said.gone)
    assert said.code in whole
    assert f"language-{said.code_language}" in whole or not said.code
    assert said.author in whole


def test_every_html_page_is_ordinary_or_special() -> None:
    pages = {path for path, document in documents().items() if document.content_type.startswith("text/html")}
    assert pages <= ORDINARY.keys() | OUTCOMES.keys()
    assert len(ORDINARY) >= 30
    assert not ORDINARY.keys() & OUTCOMES.keys()


def test_the_special_pages_cover_the_outcomes_that_a_page_can_have() -> None:
    never_a_page = {Outcome.NO_MATCH, Outcome.QUOTA, Outcome.INVALID}
    assert set(OUTCOMES.values()) == set(Outcome) - never_a_page


@pytest.mark.parametrize("path", [path for path in ORDINARY if path.startswith(("/skein/", "/island/", "/ferry/"))])
def test_links_inside_the_content_lead_to_pages(path: str) -> None:
    document = documents()[path]
    main = re.search(r'(?s)<main.*</main>|<div role="main".*?</section>', source(document))
    assert main is not None
    for target in re.findall(r'<a [^>]*href="(/[^"#]*)"', main.group()):
        assert fixed_reply(target) is not None, target


def test_the_long_report_is_long() -> None:
    assert 45_000 < len(documents()["/observatory/report-2025"].text) < 60_000


def test_the_pdf_is_a_real_one_of_two_pages() -> None:
    document = documents()["/observatory/summary-2025.pdf"]
    pdf = pypdfium2.PdfDocument(document.body)
    pages = [page.get_textpage().get_text_bounded() for page in pdf]
    assert len(pages) == 2
    assert flat(document.text) == flat(" ".join(pages)).strip()
    pdf.close()


def test_the_torn_pdf_cannot_be_opened() -> None:
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(documents()["/files/torn.pdf"].body)


INJECTIONS = ("CANARY-COMMENT", "CANARY-DISPLAY", "CANARY-CLASS", "CANARY-OFFSCREEN", "CANARY-WHITE", "CANARY-HIDDEN")


@pytest.mark.parametrize("canary", [*INJECTIONS, "CANARY-ZEROSIZE", "\u200b\u200c\u200d\u2060", "\U000e0049\U000e0067"])
def test_the_walk_hides_an_instruction_as(canary: str) -> None:
    document = documents()["/walks/lichen-walk"]
    assert canary in source(document)
    assert not canary.startswith("CANARY") or canary not in document.text


def test_the_mini_web_stays_small() -> None:
    assert sum(len(document.body) for document in documents().values()) < 600_000


def test_the_mini_web_starts_without_a_page_missing_from_the_index() -> None:
    with MiniWeb() as web:
        assert web.faults == []
    assert sum(document.is_listed for document in documents().values()) >= 30
