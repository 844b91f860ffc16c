import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.text.segmentation import is_ended, phrases, sentences

SENTENCES = {
    "nothing": ("", []),
    "only space": (" \n\t ", []),
    "one without an end": ("no stop here", ["no stop here"]),
    "three signs": ("One. Two! Three? Four.", ["One.", "Two!", "Three?", "Four."]),
    "several signs at once": ("Really?! Yes... Well.", ["Really?!", "Yes...", "Well."]),
    "a quote closed after the stop": ('He said "no." She left.', ['He said "no."', "She left."]),
    "emphasis closed after the stop": ("**Bold end.** Next one.", ["**Bold end.**", "Next one."]),
    "a bracket closed after a space": ("It runs (or not. ) Such work. End.", ["It runs (or not. ) Such work.", "End."]),
    "a bracket and a stop after a space": ("It runs (or not.\n). Such work.", ["It runs (or not.\n).", "Such work."]),
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
    "Khmer": ("នេះជាមួយ។ នោះជាពីរ៕", ["នេះជាមួយ។", "នោះជាពីរ៕"]),
    "Hindi": ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
}

PROSE = st.text(st.sampled_from("ab A.!?,;。、！\n ') \\漢กิ"), max_size=300)


@pytest.mark.parametrize(("text", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_a_text_is_split_into_its_sentences(text: str, expected: list[str]):
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(PROSE)
def test_no_sentence_but_the_first_begins_with_what_closes_another(text: str):
    assert not any(text[start] in ")]" for start, _ in list(sentences(text))[1:])


def test_only_the_asked_stretch_is_split():
    text = "Out. In one. In two. Out."
    assert [text[start:end] for start, end in sentences(text, 5, 20)] == ["In one.", "In two."]


@given(PROSE)
def test_sentences_hold_everything_but_the_space_between_them(text: str):
    assert_covered(text, list(sentences(text)))


def assert_covered(text: str, spans: list[tuple[int, int]]) -> None:
    at = 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()


ENDED = {
    "a stop": ("It ends.", True),
    "a stop within a quote": ("「雨。」", True),
    "Hindi": ("वह दो है।", True),
    "a word": ("It goes on", False),
    "a comma": ("雨，", False),
    "a stop long before": ("It ends. And then", False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("text", "expected"), ENDED.values(), ids=ENDED)
def test_a_sentence_is_known_by_its_end(text: str, expected: bool):
    assert is_ended(text) is expected


PHRASE = "เรือข้ามฟากออกจากท่าตอนเที่ยง"
"""A ferry leaves at noon: 29 characters, and no sign at its end."""
PHRASES = {
    "phrases, about a sentence of them each": (" ".join([PHRASE] * 8), [4, 4]),
    "the rest is not cut off when it is short": (" ".join([PHRASE] * 5), [5]),
    "with numbers between them": (" 2026 ".join([PHRASE] * 8), None),
    "one sentence": (PHRASE, [1]),
}


@pytest.mark.parametrize(("text", "sizes"), PHRASES.values(), ids=PHRASES)
def test_a_script_without_signs_is_cut_at_its_blanks(text: str, sizes: list[int] | None):
    found = [text[start:end] for start, end in phrases(text, 0, len(text))]
    assert " ".join(found) == text
    assert all(50 <= len(each) <= 180 for each in found) or len(found) == 1
    if sizes:
        assert [each.count(PHRASE) for each in found] == sizes


def test_a_long_sentence_of_a_script_with_signs_is_not_cut_for_a_foreign_word_in_it():
    text = f"{'many long words ' * 20}called {PHRASE[:8]} there {'and so on ' * 20}.".strip()
    cuts = [text[start:end] for start, end in phrases(text, 0, len(text))]
    assert len(cuts) <= 2
    assert " ".join(cuts) == text


@given(st.text(st.sampled_from("ab A.กขฃ ค\u200b\n"), max_size=900))
def test_phrases_hold_everything_but_the_space_between_them(text: str):
    assert_covered(text, list(phrases(text, 0, len(text))))
