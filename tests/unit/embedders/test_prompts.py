import pytest

from gossamer.embedders.remote import Prompts, before

MODELS = {
    "nomic-embed-text": ("search_query:", "search_document:"),
    "nomic-embed-text:v1.5": ("search_query:", "search_document:"),
    "nomic-ai/nomic-embed-text-v2-moe": ("search_query:", "search_document:"),
    "intfloat/e5-small-v2": ("query:", "passage:"),
    "intfloat/multilingual-e5-large": ("query:", "passage:"),
    "Intfloat/Multilingual-E5-Base": ("query:", "passage:"),
    "intfloat/multilingual-e5-large-instruct": ("", ""),
    "Snowflake/snowflake-arctic-embed-l-v2.0": ("query:", ""),
    "snowflake-arctic-embed2": ("query:", ""),
    "Snowflake/snowflake-arctic-embed-m": ("", ""),
    "text-embedding-3-small": ("", ""),
    "BAAI/bge-m3": ("", ""),
    "some-e5": ("", ""),
    "": ("", ""),
}


@pytest.mark.parametrize(("model", "expected"), MODELS.items(), ids=list(MODELS))
def test_a_model_gets_what_its_makers_say_it_needs(model: str, expected: tuple[str, str]):
    prompts = Prompts.of(model)
    assert (prompts.question, prompts.text) == expected


SAID = {
    "auto": ("auto", "search_query:"),
    "nothing said": ("", "search_query:"),
    "none": ("None", ""),
    "other words": (" Find: ", "Find:"),
}


@pytest.mark.parametrize(("said", "expected"), SAID.values(), ids=SAID)
def test_the_operator_has_the_last_word(said: str, expected: str):
    prompts = Prompts.of("nomic-embed-text", question=said)
    assert (prompts.question, prompts.text) == (expected, "search_document:")


@pytest.mark.parametrize(
    ("prompt", "text", "expected"), [("", "x", "x"), ("q:", "x", "q: x"), ("q:", "", ""), ("q:", " \n", " \n")]
)
def test_a_prompt_stands_before_what_says_something(prompt: str, text: str, expected: str):
    assert before(prompt, text) == expected
