import pytest

from gossamer.steps.answers.question import Kind, parts, read_question

KINDS: dict[str, Kind] = {
    "Who designed the bridge?": "person",
    "When was the bridge opened?": "time",
    "In which year was the bridge opened?": "time",
    "Where does the ferry land?": "place",
    "Which country exports most tea?": "place",
    "How many steps does the tower have?": "number",
    "What is the default of max_connections?": "number",
    "Why did the bridge fall?": "reason",
    "How do I turn on foreign keys?": "steps",
    "What is a lighthouse?": "definition",
    "What does qcur mean?": "definition",
    "Is the ferry free?": "yes or no",
    "What is the difference between json and jsonb?": "difference",
    "Which lamp is the oldest?": "thing",
    "ferry timetable": "other",
    "¿Cuándo abrió el puente?": "time",
    "橋はいつ開通しましたか": "time",
    "谁建造了这座桥": "person",
    "Wo liegt der Hafen": "place",
    "Почему упал мост": "reason",
    "Сколько ступеней в башне": "number",
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items(), ids=KINDS)
def test_a_question_tells_what_kind_of_answer_it_asks_for(text: str, kind: Kind) -> None:
    assert read_question(text).kind == kind


def test_what_the_answer_is_one_of_is_told_apart_from_what_it_is_about() -> None:
    question = read_question("Which river flows through Port Ellery?")
    assert (question.focus, question.asking) == (("river", "flows"), {"river", "flows"})
    assert read_question("How many rivets does it have?").asking == {"many", "rivets"}
    assert read_question("How long is the bridge?").asking == {"long"}
    assert read_question("Why?").asking == frozenset()


PARTS = {
    "one": ("When was it built?", ()),
    "two sentences": (
        "When was the bridge built? Who designed the bridge?",
        ("When was the bridge built", "Who designed the bridge"),
    ),
    "joined": (
        "When was the bridge built and who designed the bridge?",
        ("When was the bridge built", "who designed the bridge"),
    ),
    "a word alone asks nothing": ("When was the bridge built and why?", ()),
    "no more than three": (
        "What is red tea? What is green tea? What is white tea? What is black tea?",
        ("What is red tea", "What is green tea", "What is white tea"),
    ),
}


@pytest.mark.parametrize(("text", "expected"), PARTS.values(), ids=PARTS)
def test_a_question_of_several_parts_is_asked_as_a_whole_and_in_parts(text: str, expected: tuple[str, ...]) -> None:
    assert parts(text) == (text, *expected)
