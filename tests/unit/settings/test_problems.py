"""What is wrong is said in one sentence with a next step, and the default counts."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from gossamer.cli.inspect import rows
from gossamer.settings.display import Source
from gossamer.settings.load import load, settle
from gossamer.settings.model import Settings
from gossamer.settings.names import USUAL, Key, env_name, fields

BROKEN_VALUES = {
    "a word that is no choice": ("GOSSAMER_NET__ROBOTS", "maybe", "respect or ignore"),
    "one of four words": ("GOSSAMER_LOG__LEVEL", "loud", "debug, info, warning or error"),
    "no number": ("GOSSAMER_NET__SILENCE_S", "10s", "a number from 0.1 to 600"),
    "no finite number": ("GOSSAMER_NET__SILENCE_S", "nan", "a number from 0.1 to 600"),
    "a number out of bounds": ("GOSSAMER_SEARCH__TIMEOUT_S", "0", "a number from 0.1 to 600"),
    "a fraction": ("GOSSAMER_NET__MAX_BYTES", "2000.5", "a whole number from 1024 to 33554432"),
    "a server without a scheme": (
        "EMBEDDING_SERVER_URL",
        "localhost:11434",
        "an address such as http://127.0.0.1:11434",
    ),
    "a share above one": ("SIMILARITY_THRESHOLD", "1.5", "a number from 0 to 1"),
    "nothing at once": ("CONCURRENCY", "0", "a whole number from 1 to 64"),
    "no time at all": ("REQUEST_TIMEOUT_MS", "0", "a whole number from 100 to 600000"),
    "too small a chunk": ("EMBEDDING_TOKENS_SIZE", "31", "a whole number from 32 to 2048"),
    "too large a chunk": ("GOSSAMER_READ__CHUNK_TOKENS", "2049", "a whole number from 32 to 2048"),
    "no truth value": ("WEB_SEARCH_ENABLED", "perhaps", "true or false"),
    "a list in odd quotes": ("GOSSAMER_NET__ALLOW_DOMAINS", "['a']", "a list of words with commas between them"),
    "a cut JSON list": ("GOSSAMER_NET__ALLOW_DOMAINS", '["a"', "a list of words with commas between them"),
    "a list in a list": ("GOSSAMER_NET__ALLOW_DOMAINS", '["a", ["b"]]', "a list of words with commas between them"),
    "words with blanks": ("GOSSAMER_SEARCH__PROVIDERS", "a b", "a list of words with commas between them"),
    "commas alone": ("GOSSAMER_TOOLS", ",", "a list of names with commas between them"),
    "no address": ("GOSSAMER_STORE", "/var/store", "an address such as sqlite:///path or memory:"),
    "a header in a header": ("GOSSAMER_NET__USER_AGENT", "a\nX: b", "at most 300 plain ASCII characters"),
    "nobody's home": ("DATA_DIR", "~nobody-of-this-name/x", "a path"),
}


@pytest.mark.parametrize(("variable", "text", "must"), BROKEN_VALUES.values(), ids=BROKEN_VALUES)
def test_a_broken_value_is_a_problem_and_the_default_counts(variable: str, text: str, must: str) -> None:
    loaded = load(config=Path(os.devnull), environ={variable: text})
    (problem,) = loaded.problems
    shown = text.replace("\n", "\\n")
    assert f'cannot be "{shown}" (environment {variable}): it must be {must}.' in problem.message
    assert problem.message.count("\n") == 0
    assert problem.hint.startswith("Correct or remove it")
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}


def test_a_problem_reads_as_one_sentence_with_a_next_step() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_NET__ROBOTS": "maybe"})
    (problem,) = loaded.problems
    assert str(problem) == (
        'The setting net.robots cannot be "maybe" (environment GOSSAMER_NET__ROBOTS): it must be respect or ignore. '
        "Correct or remove it; the default is respect."
    )


BROKEN_KINDS = {
    "a truth value as number": ("[net]\nsilence_s = true", "net.silence_s cannot be true"),
    "a number as list": ("[net]\nallow_domains = 3", "net.allow_domains cannot be 3"),
    "numbers in a list": ("[net]\nallow_domains = [1, 2]", "net.allow_domains cannot be [1, 2]"),
    "a number as path": ("data_dir = 3", "data_dir cannot be 3"),
    "an empty path": ("data_dir = ' '", 'data_dir cannot be " "'),
    "a path that ends early": ('data_dir = "a\\u0000b"', "data_dir cannot be"),
    "a table as word": ("[tools]\nname = 'core'", "tools cannot be a table"),
    "a word as table": ("net = 'open'", 'net cannot be "open"'),
    "a word as provider": ("[providers]\nsearxng = 'http://s'", 'providers.searxng cannot be "http://s"'),
    "a long word": (f"[net]\nrobots = '{'x' * 500}'", f'net.robots cannot be "{"x" * 80}…"'),
}


@pytest.mark.parametrize(("text", "message"), BROKEN_KINDS.values(), ids=BROKEN_KINDS)
def test_a_value_of_the_wrong_kind_in_the_file_is_a_problem(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_text(text, encoding="utf-8")
    loaded = load(config=path, environ={})
    (problem,) = loaded.problems
    assert problem.message.startswith(f"The setting {message}")
    assert f"(file {path}): it must be " in problem.message
    assert problem.hint
    assert loaded.settings == Settings()


def test_a_broken_value_leaves_the_others_alone() -> None:
    environ = {"GOSSAMER_NET__ROBOTS": "maybe", "GOSSAMER_NET__SILENCE_S": "3", "GOSSAMER_LOG__LEVEL": "loud"}
    loaded = load(config=Path(os.devnull), environ=environ)
    assert len(loaded.problems) == 2
    assert loaded.settings.net.silence_s == 3
    assert loaded.origins["net.silence_s"] == "environment GOSSAMER_NET__SILENCE_S"


def test_a_broken_value_that_a_flag_overrides_does_no_harm() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_NET__ROBOTS": "maybe"}, flags={"net.robots": "ignore"})
    assert (loaded.settings.net.robots, loaded.problems) == ("ignore", ())


def test_a_list_nested_without_end_is_a_problem() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_TOOLS": '["core",' + "[" * 100_000})
    assert len(loaded.problems) == 1


UNKNOWN_VARIABLES = {
    "a letter missing": ("GOSSAMER_NET__ROBOT", "GOSSAMER_NET__ROBOTS"),
    "one underscore": ("GOSSAMER_NET_ROBOTS", "GOSSAMER_NET__ROBOTS"),
    "no section": ("GOSSAMER_ROBOTS", "GOSSAMER_NET__ROBOTS"),
    "small letters": ("gossamer_tools", "GOSSAMER_TOOLS"),
    "the file": ("GOSSAMER_CONFIGS", "GOSSAMER_CONFIG"),
    "a provider without a field": ("GOSSAMER_PROVIDERS__SEARXNG", "GOSSAMER_PROVIDERS__SEARXNG__BASE_URL"),
    "a provider in small letters": (
        "gossamer_providers__searxng__base_url",
        "GOSSAMER_PROVIDERS__SEARXNG__BASE_URL",
    ),
    "a provider behind odd underscores": (
        "GOSSAMER_PROVIDERS___BRAVE__API_KEY",
        "GOSSAMER_PROVIDERS__BRAVE__API_KEY",
    ),
    "a file for what is no secret": ("GOSSAMER_NET__ROBOTS_FILE", "GOSSAMER_NET__ROBOTS"),
}


@pytest.mark.parametrize(("variable", "nearest"), UNKNOWN_VARIABLES.values(), ids=UNKNOWN_VARIABLES)
def test_an_unknown_variable_of_ours_is_a_problem_that_names_the_nearest(variable: str, nearest: str) -> None:
    loaded = load(config=Path(os.devnull), environ={variable: "x"})
    assert [str(problem) for problem in loaded.problems] == [
        f"There is no setting {variable} (environment). Did you mean {nearest}?"
    ]
    assert loaded.settings == Settings()


def test_a_name_unlike_any_other_points_to_the_list() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_XYZZY": "x"}, flags={"zzz": "x"})
    assert [problem.hint for problem in loaded.problems] == ["`gossamer settings` lists every name."] * 2
    assert loaded.problems[1].message == "There is no setting zzz (flag --zzz)."


UNKNOWN_KEYS = {
    "at the top": ("tool = 'core'", "tool", "tools"),
    "in a section": ("[net]\nrobot = 'ignore'", "net.robot", "net.robots"),
    "outside its section": ("robots = 'ignore'", "robots", "net.robots"),
    "a section, said once": ("[nett]\nrobots = 'ignore'\nsilence_s = 3", "nett", "net"),
}


@pytest.mark.parametrize(("text", "name", "nearest"), UNKNOWN_KEYS.values(), ids=UNKNOWN_KEYS)
def test_an_unknown_key_in_the_file_is_a_problem_that_names_the_nearest(
    text: str, name: str, nearest: str, tmp_path: Path
) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_text(text, encoding="utf-8")
    loaded = load(config=path, environ={})
    assert [str(problem) for problem in loaded.problems] == [
        f"There is no setting {name} (file {path}). Did you mean {nearest}?"
    ]


def test_variables_of_others_are_none_of_our_business() -> None:
    assert load(config=Path(os.devnull), environ={"PATH": "/bin", "MY_GOSSAMER_X": "x"}).problems == ()


SECRET_FILES = {
    "absent": (None, "cannot be read: No such file or directory."),
    "empty": (b" \n", "is empty."),
    "no text": (b"\xff\xfe", "is not text."),
}


@pytest.mark.parametrize(("content", "message"), SECRET_FILES.values(), ids=SECRET_FILES)
def test_a_secret_file_that_does_not_serve_is_a_problem(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    variable = "GOSSAMER_PROVIDERS__BRAVE__API_KEY_FILE"
    loaded = load(config=Path(os.devnull), environ={variable: str(path)})
    (problem,) = loaded.problems
    assert problem.message == f"{variable} names {path}, which {message}"
    assert problem.hint
    assert loaded.settings.providers == {}


def test_a_password_in_a_broken_value_is_not_repeated() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_STORE": "1postgresql://me:hush@host/db"})
    (problem,) = loaded.problems
    assert "hush" not in str(problem)
    assert "1postgresql://me:********@host/db" in problem.message


@profile(deadline=None)
@given(
    environ=st.dictionaries(
        st.sampled_from([*USUAL, *map(env_name, fields()), "GOSSAMER_PROVIDERS__X__API_KEY_FILE", "GOSSAMER_CONFIG"])
        | st.text(st.characters(), max_size=9).map(lambda end: f"GOSSAMER_PROVIDERS__{end}"),
        st.text(st.characters(categories=["L", "N", "P", "Z", "Cc", "Cs"]), max_size=20),
        max_size=4,
    )
)
def test_no_environment_whatever_keeps_settings_from_loading_and_showing(environ: dict[str, str]) -> None:
    loaded = load(environ=environ)
    texts = [*map(str, loaded.problems), *(row.value for row in rows(loaded))]
    assert all(text.encode() and text.isprintable() for text in texts if text)


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@profile(deadline=None)
@given(key=st.sampled_from(list(fields())), value=NESTED)
def test_no_value_whatever_keeps_a_file_from_loading(key: Key, value: object) -> None:
    source = Source()
    source.take(key, value, "file x")
    settings, broken = settle(source.given)
    assert broken in {(), (key,)}
    assert isinstance(settings, Settings)
