"""Does the answer come back? Own pages with their questions."""

from pathlib import Path

import pytest

from gossamer.model.answer import Reading
from gossamer.steps.tokens.count import cut
from tests.unit.engine.world import World

CASES = Path(__file__).resolve().parents[2] / "cases" / "reading"
URL = "https://tools.example.org/handbook"


async def read(page: str, *questions: str, budget: int) -> Reading:
    world = World()
    world.serve(URL, (CASES / page).read_text(encoding="utf-8"))
    return await world.engine().read([URL], questions, world.call(), budget_tokens=budget)


def within(reading: Reading, budget: int) -> str:
    """What a reader sees of the passages: one after the other, the last cut where the budget ends."""
    shown = "\n".join(passage.shown for passage in reading.passages)
    return shown[: cut(shown, budget)]


HANDBOOK = {
    "a price": ("What does membership cost for a student?", "twelve for students"),
    "a duration": ("How long can I keep a cordless screwdriver or other power tools?", "power tools for five days"),
    "a limit": ("What is the maximum number of items I can borrow?", "Six items"),
    "a fine": ("How much is the penalty when a power tool is overdue?", "one euro fifty"),
    "a reason": ("Why are gloves not allowed at the lathe?", "rotating parts catch"),
    "a person": ("Who teaches the woodturning course?", "Ingrid"),
    "an exclusion": ("Which devices will the repair volunteers refuse to open?", "microwave ovens"),
    "a number": ("How many objects were successfully repaired last year?", "412 of 655"),
    "another reason": ("Why can't I give you a lawn mower with a petrol engine?", "no ventilation"),
    "a table": ("When is the desk open on Saturday?", "09:00-15:00"),
    "a rate limit": ("How many API requests per minute are permitted?", "sixty times a minute"),
    "a threshold": ("From what amount must the assembly of members approve a purchase?", "eight hundred euros"),
    "in another language": ("¿Cuánto cuesta la membresía para estudiantes?", "twelve for students"),
}


@pytest.mark.parametrize(("question", "answer"), HANDBOOK.values(), ids=HANDBOOK)
async def test_the_answer_comes_back_within_300_tokens(question: str, answer: str) -> None:
    assert answer in within(await read("handbook.md", question, budget=280), 300)


SMALL = {
    "a row from the middle of a table": (
        "api.md",
        "What does status 409 mean?",
        "The list changed while you were paging",
    ),
    "a line of code": ("api.md", "How do I delete an alert with curl?", "curl -X DELETE"),
    "a sentence between code": ("api.md", "How do I get the harbour's local time?", "`tz=local`"),
    "a version": ("changelog.md", "Which release dropped Python 3.9?", "Support for Python 3.9 ended"),
    "a fix": ("changelog.md", "Was the bug with mirrored routes over the date line fixed?", "were mirrored"),
    "a price in a long table": ("prices.md", "How much is a piano hinge?", "12.40"),
    "a place in a long table": ("prices.md", "Where do I find epoxy glue?", "two parts"),
    "after a long table": ("prices.md", "How long do ordered articles take?", "about two weeks"),
    "German": ("fahrplan.md", "Wann dürfen Fahrräder mitfahren?", "nur in der ersten und in der letzten Kabine"),
    "German, other words": ("fahrplan.md", "Wie teuer ist ein Ticket für den Hund?", "Hunde zahlen drei Euro"),
    "Spanish": ("museo.md", "¿Qué día es gratis la visita?", "El primer jueves de cada mes"),
    "Japanese": ("onsen.md", "銀の指輪はどうなりますか", "黒くなる"),
    "Japanese, a time": ("onsen.md", "最終バスは何時ですか", "午後八時四十分"),
    "Chinese": ("chaye.md", "学生票多少钱？", "学生凭学生证半价"),
    "Chinese, a limit": ("chaye.md", "每天最多可以接待多少人参观？", "最多接待四十人"),
    "Thai": ("talat.md", "เช่าเรือพายราคาเท่าไร", "ชั่วโมงละหนึ่งร้อยบาท"),
    "Arabic": ("maktaba.md", "كم تبلغ غرامة التأخير؟", "نصف دينار"),
    "English on a German page": ("fahrplan.md", "How much does it cost to take a dog?", "Hunde zahlen drei Euro"),
    "English on a Spanish page": ("museo.md", "What is the oldest piece?", "1512"),
    "English on a Japanese page": ("onsen.md", "What is the temperature of the spring?", "五十八度"),
}


@pytest.mark.parametrize(("page", "question", "answer"), SMALL.values(), ids=SMALL)
async def test_the_answer_comes_back_within_120_tokens_of_a_small_page(page: str, question: str, answer: str) -> None:
    assert answer in within(await read(page, question, budget=100), 120)


async def test_a_row_of_a_long_table_is_shown_with_the_header_of_its_columns() -> None:
    reading = await read("prices.md", "Where is the ceiling hook for 120 kg?", budget=40)
    best = reading.passages[0]
    assert best.lead.startswith("| Article | Material | Price | Where |")
    assert "Hook, ceiling, 120 kg" in best.text


async def test_several_questions_are_answered_at_once() -> None:
    asked = [HANDBOOK[name] for name in ("a price", "a person", "a table")]
    shown = within(await read("handbook.md", *(question for question, _ in asked), budget=600), 700)
    for _, answer in asked:
        assert answer in shown
