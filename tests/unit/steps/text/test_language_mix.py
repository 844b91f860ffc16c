"""Which languages meet on pages and in questions."""

import pytest

from gossamer.steps.text.language_mix import detect_mix, language

ENGLISH = "The ferry leaves at noon, and the ticket costs four euros. It is the last one that runs in winter. " * 3
GERMAN = "Die Fähre legt am Mittag ab, und die Karte kostet vier Euro. Sie ist die letzte, die im Winter fährt. " * 3
SPANISH = "El barco sale a mediodía y el billete cuesta cuatro euros. Es el último que sale en el invierno. " * 3
JAPANESE = "船は正午に出ます。切符は四ユーロです。"
RUSSIAN = "Паром отходит в полдень, билет стоит четыре евро."

CODE = "Joins tables by alias.\n\n```sql\n" + "SELECT o.id, e.mail FROM orders o JOIN mails e, a, i;\n" * 12 + "```\n"

CASES = {
    "English": ([("", ENGLISH)], ["When does the ferry leave?"], "english"),
    "an English page says nothing of itself, nor does the question": (
        [("", "Ferry: noon")],
        ["ferry price"],
        "english",
    ),
    "a page that says it is English": ([("en-GB", "Ferry: noon")], ["ferry"], "english"),
    "a page that wrongly says it is English": ([("en", GERMAN)], ["Wann legt die Fähre ab?"], "other"),
    "a short page that says it is German": ([("de", "Fähre: Mittag")], ["Fähre"], "other"),
    "one other language": ([("de", GERMAN)], ["Wann legt die Fähre ab?"], "other"),
    "a question that does not show its language": ([("de", GERMAN)], ["Ticket"], "other"),
    "an English question": ([("de", GERMAN)], ["When does the ferry leave?"], "mixed"),
    "a German question": ([("en", ENGLISH)], ["Wann legt die Fähre ab?"], "mixed"),
    "a question in another script": ([("en", ENGLISH)], ["船はいつ出ますか"], "mixed"),
    "one of two questions": ([("en", ENGLISH)], ["When does it leave?", "¿Cuándo sale el barco?"], "mixed"),
    "pages of two languages": ([("en", ENGLISH), ("es", SPANISH)], ["When does it leave?"], "mixed"),
    "plain English that has words of other languages in it": (
        [("en", ENGLISH)],
        ["How do I reset as a user?"],
        "english",
    ),
    "two words": ([("en", ENGLISH)], ["no retries"], "english"),
    "names of one letter in code": ([("en", CODE)], ["Which table has the total?"], "english"),
    "another script": ([("", RUSSIAN)], ["Когда отходит паром?"], "other"),
    "nothing": ([("", "")], [""], "english"),
}


@pytest.mark.parametrize(("pages", "queries", "expected"), CASES.values(), ids=CASES)
def test_which_languages_meet(pages: list[tuple[str, str]], queries: list[str], expected: str) -> None:
    assert detect_mix(pages, queries) == expected


SCRIPTS = {
    "Thai": "เรือออกตอนเที่ยง ตั๋วราคาสี่ยูโร",
    "Lao": "ເຮືອອອກຕອນທ່ຽງ ປີ້ລາຄາສີ່ເອີໂຣ",
    "Khmer": "កាណូតចេញដំណើរនៅពេលថ្ងៃត្រង់ សំបុត្រមានតម្លៃបួនអឺរ៉ូ",
    "Burmese": "သင်္ဘောသည် မွန်းတည့်ချိန်တွင် ထွက်ခွာသည်။ လက်မှတ်မှာ လေးယူရိုဖြစ်သည်။",
    "Tibetan": "གྲུ་གཟིངས་ཉིན་གུང་ལ་འགྲོ། པ་སེ་ཡུ་རོ་བཞི་རེད།",
    "Ethiopic": "ጀልባው እኩለ ቀን ላይ ይነሳል። ትኬቱ አራት ዩሮ ያስከፍላል።",
    "Georgian": "ბორანი შუადღისას გადის. ბილეთი ოთხი ევრო ღირს.",
    "Armenian": "Լաստանավը մեկնում է կեսօրին։ Տոմսն արժե չորս եվրո։",
    "Hebrew": "המעבורת יוצאת בצהריים. הכרטיס עולה ארבעה אירו.",
    "Arabic": "تغادر العبارة عند الظهر. ثمن التذكرة أربعة يوروهات.",
    "Greek": "Το πλοίο φεύγει το μεσημέρι. Το εισιτήριο κοστίζει τέσσερα ευρώ.",
    "Cyrillic": RUSSIAN,
    "Devanagari": "नाव दोपहर को निकलती है। टिकट चार यूरो का है।",
    "Bengali": "ফেরি দুপুরে ছাড়ে। টিকিটের দাম চার ইউরো।",
    "Tamil": "படகு நண்பகலில் புறப்படும். நுழைவுச்சீட்டு நான்கு யூரோ.",
    "Telugu": "పడవ మధ్యాహ్నం బయలుదేరుతుంది. టికెట్ నాలుగు యూరోలు.",
    "Sinhala": "පාරුව දහවල් පිටත් වේ. ප්‍රවේශ පත්‍රය යුරෝ හතරකි.",
    "Hangul": "배는 정오에 떠납니다. 표는 사 유로입니다.",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ",
    "Cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "Tifinagh": "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⴰⵏⴰⵡⴰⵢⵜ",
    "Adlam": "𞤆𞤵𞤤𞤢𞤪 𞤬𞤵𞤤𞤬𞤵𞤤𞤣𞤫",
    "kana of half width": "ﾌﾈﾊ ｼｮｳｺﾞﾆ ﾃﾞﾏｽ",
}


@pytest.mark.parametrize("said", ["", "en", "en-US"])
@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_no_page_and_no_question_in_other_letters_is_english(text: str, said: str) -> None:
    assert detect_mix([(said, text * 3)], [text[:12]]) == "other"
    assert detect_mix([(said, text * 3)], ["ferry"]) == "other"
    assert detect_mix([("en", ENGLISH)], [text[:12]]) == "mixed"
    named = f"{text * 3} Gossamer https://ferry.test/harbour?from=noon&price=4 [0123456789] (0123456789)"
    assert detect_mix([(said, named)], [text[:12]]) == "other"


def test_no_script_is_taken_for_another() -> None:
    assert len({language(text) for text in SCRIPTS.values()}) == len(SCRIPTS)


LATIN = {
    "accents on letters": "Ố đâu là của và các có trong một cho những được không",
    "accents that stand alone": "ke\u0301k ba\u0300b lo\u0302l " * 9,
    "letters of formulas and of full width": "𝐓𝐡𝐞 𝐟𝐞𝐫𝐫𝐲 ｌｅａｖｅｓ",
    "phonetic letters": "ferry ˈfɛri ʃɪp",
    "signs and emoji": "★☆→⛴️👩‍🚀 €5 № “noon” … ⁉️" * 20,
    "a Greek letter in a formula": "area of a circle: π r²",
    "numbers of other scripts": "٤٢ ४२",
}


@pytest.mark.parametrize("text", LATIN.values(), ids=LATIN)
def test_what_is_no_letter_of_another_script_tells_none(text: str) -> None:
    assert language(text) in {"", "vi", "en"}


LANGUAGES = {
    "the commonest words": (SPANISH, "es"),
    "kanji with kana": (JAPANESE, "kana"),
    "Han alone": ("渡轮中午开船票价四欧元", "cjk"),
    "a few foreign characters": (f"{ENGLISH} 船", "en"),
    "none of the common words": ("ferry noon", ""),
    "a word of two languages": ("was", ""),
    "a hostile length": ("the " * 1_000_000, "en"),
}


@pytest.mark.parametrize(("text", "expected"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_of_a_text(text: str, expected: str) -> None:
    assert language(text) == expected
