import pytest

from gossamer.steps.answers.question import read_question
from gossamer.steps.answers.values import agree, values

MANY, WHEN, WHO = "How many rivets does the bridge have?", "When was the bridge opened?", "Who designed the bridge?"
ALIKE = {
    "thousands with a sign": (MANY, "It has 1,200 rivets.", "There are 1200 of them."),
    "in words": (MANY, "It has 1,200 rivets.", "It counts twelve hundred rivets."),
    "in larger words": (MANY, "It has 205 rivets.", "Two hundred and five were used."),
    "in millions": (MANY, "About 2.5 million rivets.", "2,500,000 rivets hold it."),
    "a million in words": (MANY, "Two million rivets.", "2 000 000 rivets."),
    "a day and its month": (WHEN, "It opened on 12 May 1932.", "It opened in May 1932."),
    "a day written otherwise": (WHEN, "Opened May 12, 1932.", "It has been open since 1932-05-12."),
    "a year": (WHEN, "It opened in 1932.", "Opened on the 12th of May 1932."),
    "a day without a year": (WHEN, "It opened on 12 May.", "Opened on May 12th, 1932."),
    "a surname": (WHO, "The architect was Anna Berg.", "The plans by Ms Berg won."),
}
UNLIKE = {
    "numbers": (MANY, "It has 1,200 rivets.", "It has 1,350 rivets."),
    "years": (WHEN, "It opened in 1932.", "It opened in 1933."),
    "days": (WHEN, "It opened on 12 May 1932.", "It opened on 13 May 1932."),
    "names": (WHO, "The architect was Anna Berg.", "Its architect was Karl Lund."),
}


def read(question: str, text: str) -> tuple[object, ...]:
    return values(read_question(question), text, frozenset(question.casefold().strip("?").split()))


@pytest.mark.parametrize(("question", "left", "right"), ALIKE.values(), ids=ALIKE)
def test_one_value_in_other_words_is_the_same(question: str, left: str, right: str) -> None:
    assert read(question, left)
    assert read(question, right)
    assert agree(read(question, left), read(question, right))  # type: ignore[arg-type]


@pytest.mark.parametrize(("question", "left", "right"), UNLIKE.values(), ids=UNLIKE)
def test_other_values_are_told_apart(question: str, left: str, right: str) -> None:
    assert read(question, left)
    assert read(question, right)
    assert not agree(read(question, left), read(question, right))  # type: ignore[arg-type]


def test_what_the_question_has_is_no_answer() -> None:
    assert read("When was the bridge of 1932 opened?", "The bridge of 1932 is old.") == ()
    assert read("How many of the 40 lamps burn?", "The 40 lamps are old.") == ()
    assert read("Who designed the Ellery Bridge?", "This is the Ellery Bridge of old.") == ()


def test_a_sentence_begins_with_no_name_and_one_is_no_number() -> None:
    assert read(WHO, "Lamps are kept by the keeper.") == ()
    assert read(MANY, "It is one of the best.") == ()


def test_other_questions_take_names_or_numbers_or_nothing() -> None:
    assert [
        each.text for each in values(read_question("Which lamp is it?"), "It is the Ellery Lamp.", frozenset())
    ] == ["Ellery Lamp"]
    assert [each.text for each in values(read_question("ferry fare"), "The fare is 4 euros.", frozenset())] == ["4"]
    assert values(read_question("Why did it fall?"), "It fell in 1932 on Anna Berg.", frozenset()) == ()


def test_values_of_different_kinds_never_agree() -> None:
    (name,) = values(read_question("Who?"), "It was Anna Berg.", frozenset())
    (number,) = values(read_question(MANY), "It has 12 of them.", frozenset())
    assert not agree((name,), (number,))
