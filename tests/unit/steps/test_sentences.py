from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from gossamer.steps.sentences import cut, sentences
from gossamer.steps.tokens import count

SENTENCES = {
    "nothing": ("", []),
    "only space": (" \n\t ", []),
    "one without an end": ("no stop here", ["no stop here"]),
    "three signs": ("One. Two! Three? Four.", ["One.", "Two!", "Three?", "Four."]),
    "several signs at once": ("Really?! Yes... Well.", ["Really?!", "Yes...", "Well."]),
    "a quote closed after the stop": ('He said "no." She left.', ['He said "no."', "She left."]),
    "emphasis closed after the stop": ("**Bold end.** Next one.", ["**Bold end.**", "Next one."]),
    "a small letter goes on": ("The file x. y is short.", ["The file x. y is short."]),
    "speech goes on": ('"Really?" he said. "Yes."', ['"Really?" he said.', '"Yes."']),
    "titles": ("Dr. Smith met Mrs. Jones. They spoke.", ["Dr. Smith met Mrs. Jones.", "They spoke."]),
    "initials": ("J. R. Tolkien wrote it. So it is.", ["J. R. Tolkien wrote it.", "So it is."]),
    "an abbreviation with stops": ("Fruit, e.g. Apples. Done.", ["Fruit, e.g. Apples.", "Done."]),
    "a word that ends like an abbreviation": ("He had the fist. Then none.", ["He had the fist.", "Then none."]),
    "decimals and addresses": ("Use 3.11 from a.example.org. Fine.", ["Use 3.11 from a.example.org.", "Fine."]),
    "a soft line end": ("One line\nof two. End.", ["One line\nof two.", "End."]),
    "line ends that were asked for": ("First  \nSecond\\\nThird", ["First", "Second\\", "Third"]),
    "Japanese": ("今日は晴れ。明日は？「雨。」と言う。", ["今日は晴れ。", "明日は？", "「雨。」", "と言う。"]),
    "Chinese": ("第一句。第二句！", ["第一句。", "第二句！"]),
    "Arabic": ("كيف الحال؟ بخير. شكرا", ["كيف الحال؟", "بخير.", "شكرا"]),
    "Hindi": ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
}

PROSE = st.text(st.sampled_from("ab A.!?,;。、！\n ') \\漢กิ"), max_size=300)


@pytest.mark.parametrize(("text", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_a_text_is_split_into_its_sentences(text: str, expected: list[str]):
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_only_the_asked_stretch_is_split():
    text = "Out. In one. In two. Out."
    assert [text[start:end] for start, end in sentences(text, 5, 20)] == ["In one.", "In two."]


@given(PROSE)
def test_sentences_hold_everything_but_the_space_between_them(text: str):
    assert_covered(text, list(sentences(text)))


@given(PROSE, st.integers(1, 30))
@example("a" * 200, 5)
@example(" " * 300 + "x" * 300, 5)
def test_pieces_of_a_long_sentence_fit_and_hold_everything(text: str, size: int):
    pieces = list(cut(text, 0, len(text), size=size))
    assert_covered(text, pieces)
    assert all(count(text[start:end]) <= size or end - start == 1 for start, end in pieces)


CUTS = {
    "after a line": ("alpha beta, gamma delta\nepsilon zeta, eta theta iota kappa", "alpha beta, gamma delta"),
    "after a clause": ("alpha beta gamma delta, epsilon zeta eta theta iota kappa", "alpha beta gamma delta,"),
    "after a word": ("alphabetic betablocker gammaray deltaforce epsilonian zetas", "alphabetic betablocker"),
}


@pytest.mark.parametrize(("text", "head"), CUTS.values(), ids=CUTS)
def test_a_long_sentence_is_cut_where_it_hurts_least(text: str, head: str):
    start, end = next(cut(text, 0, len(text), size=count(text) * 2 // 3))
    assert text[start:end].startswith(head)
    assert text[end].isspace()


def test_a_mark_stays_with_its_letter():
    text = "ที่" * 200
    pieces = [text[start:end] for start, end in cut(text, 0, len(text), size=40)]
    assert len(pieces) > 1
    assert all(piece[0] == "ท" for piece in pieces)


def test_a_sentence_that_fits_stays_one_piece():
    assert list(cut("  short one", 0, 11, size=50)) == [(0, 11)]


def assert_covered(text: str, spans: list[tuple[int, int]]) -> None:
    at = 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()
