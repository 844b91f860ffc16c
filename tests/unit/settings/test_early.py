"""The settings of the tool list, read before anything is imported, mean what they mean when all settings are loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gossamer
from gossamer.settings.early import Early, read_early, read_flags
from gossamer.settings.load import load

Environment = dict[str, str]
SNAPSHOT = Path(gossamer.__file__).parent / "front" / "snapshot.json"
KNOWN = json.loads(SNAPSHOT.read_text(encoding="utf-8"))["settings"]
DEFAULTS = (("core",), frozenset[str](), False, "en")


def parts(early: Early | None) -> object:
    return None if early is None else (early.tools, early.without, early.dotless, early.language)


def loaded(arguments: list[str], environ: Environment) -> object:
    """What the full reader makes of the same."""
    flags = read_flags(arguments)
    assert flags
    config = Path(flags.config) if flags.config else None
    settings = load(flags=flags.values, config=config, environ=environ).settings
    switches = {"search": settings.web_search_enabled, "fetch": settings.web_fetch_enabled}
    without = frozenset(name for name, on in switches.items() if not on)
    return (tuple(settings.tools.split(",")), without, settings.dotless, settings.language)


def early(arguments: list[str], environ: Environment) -> object:
    flags = read_flags(arguments)
    assert flags
    return parts(read_early(flags, KNOWN, environ))


@pytest.fixture
def empty(tmp_path: Path) -> Environment:
    """An environment whose settings file says nothing."""
    (tmp_path / "gossamer.toml").write_text("")
    return {"GOSSAMER_CONFIG": str(tmp_path / "gossamer.toml")}


READ_AT_ONCE = {
    "nothing": ([], {}, DEFAULTS),
    "the word serve": (["serve"], {}, DEFAULTS),
    "a flag": (["serve", "--tools", "web_fetch"], {}, (("web_fetch",), frozenset(), False, "en")),
    "a flag with an equals sign": (["serve", "--tools=all"], {}, (("all",), frozenset(), False, "en")),
    "all flags": (["serve", "--dotless", "--tools", "a,b"], {}, (("a", "b"), frozenset(), True, "en")),
    "a variable": ([], {"GOSSAMER_TOOLS": " web_read , core "}, (("web_read", "core"), frozenset(), False, "en")),
    "a flag over a variable": (
        ["serve", "--tools", "o3"],
        {"GOSSAMER_TOOLS": "core"},
        (("o3",), frozenset(), False, "en"),
    ),
    "empty entries": ([], {"GOSSAMER_TOOLS": ",core,,all,"}, (("core", "all"), frozenset(), False, "en")),
    "an empty variable": ([], {"GOSSAMER_TOOLS": "  "}, DEFAULTS),
    "a switch by its usual name": ([], {"WEB_SEARCH_ENABLED": "No"}, (("core",), frozenset({"search"}), False, "en")),
    "our name over the usual one": (
        [],
        {"WEB_FETCH_ENABLED": "true", "GOSSAMER_WEB_FETCH_ENABLED": "off"},
        (("core",), frozenset({"fetch"}), False, "en"),
    ),
    "our empty name under the usual one": (
        [],
        {"WEB_FETCH_ENABLED": "0", "GOSSAMER_WEB_FETCH_ENABLED": " "},
        (("core",), frozenset({"fetch"}), False, "en"),
    ),
    "a language in capitals": ([], {"GOSSAMER_LANGUAGE": " JA "}, (("core",), frozenset(), False, "ja")),
    "a misspelt name of another setting": ([], {"GOSSAMER_NET__ROBOT": "x"}, DEFAULTS),
    "a name in small letters": ([], {"gossamer_tools": "all"}, DEFAULTS),
}


@pytest.mark.parametrize(("arguments", "environ", "expected"), READ_AT_ONCE.values(), ids=READ_AT_ONCE)
def test_what_is_written_plainly_is_read_at_once(
    arguments: list[str], environ: Environment, expected: object, empty: Environment
) -> None:
    assert early(arguments, {**empty, **environ}) == expected
    assert loaded(arguments, {**empty, **environ}) == expected


FILES = {
    "strings": ('tools = "core,web_read"\nlanguage = "ja"', (("core", "web_read"), frozenset(), False, "ja")),
    "a list": ('tools = ["core", " o3 "]', (("core", "o3"), frozenset(), False, "en")),
    "switches": ("dotless = true\nweb_search_enabled = false", (("core",), frozenset({"search"}), True, "en")),
    "words for switches": ('web_fetch_enabled = "off"', (("core",), frozenset({"fetch"}), False, "en")),
    "a byte order mark": ('\ufefftools = "all"', (("all",), frozenset(), False, "en")),
    "other settings and unknown ones": ('tool = "x"\n[net]\nrobots = "ignore"\n[no]\nx = 1', DEFAULTS),
    "a table of the same name elsewhere": ('[providers.x]\ntools = "all"', DEFAULTS),
}


@pytest.mark.parametrize(("content", "expected"), FILES.values(), ids=FILES)
def test_the_file_is_read_at_once(content: str, expected: object, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(content, encoding="utf-8")
    by_variable = ([], {"GOSSAMER_CONFIG": f" {file} "})
    by_flag = (["serve", "--config", str(file)], {"GOSSAMER_CONFIG": "/nowhere"})
    for arguments, environ in (by_variable, by_flag):
        assert early(arguments, environ) == expected
        assert loaded(arguments, environ) == expected


def test_variables_win_over_the_file_even_where_that_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("tools = 7\nlanguage = 'en'")
    environ = {"GOSSAMER_CONFIG": str(file), "GOSSAMER_TOOLS": "web_fetch", "GOSSAMER_LANGUAGE": "ja"}
    assert early([], environ) == loaded([], environ) == (("web_fetch",), frozenset(), False, "ja")


LEFT_TO_THE_FULL_READER = {
    "a switch that is no word for yes or no": {"GOSSAMER_DOTLESS": "maybe"},
    "a language we do not have": {"GOSSAMER_LANGUAGE": "tlh"},
    "a list in JSON": {"GOSSAMER_TOOLS": '["core"]'},
    "a list of nothing": {"GOSSAMER_TOOLS": ",,"},
    "two words without a comma": {"GOSSAMER_TOOLS": "core all"},
    "quotation marks": {"GOSSAMER_TOOLS": "'core'"},
    "more than a thousand characters": {"GOSSAMER_TOOLS": "core," * 300},
    "a file that does not exist": {"GOSSAMER_CONFIG": "/no/such/file.toml"},
    "a folder for a file": {"GOSSAMER_CONFIG": "/"},
    "a home of nobody": {"GOSSAMER_CONFIG": "~nobody_of_that_name/x.toml"},
    "a path that cannot be": {"GOSSAMER_CONFIG": "a\0b"},
    "no home": {"GOSSAMER_CONFIG": "", "HOME": ""},
    "a configuration folder that is nowhere": {"GOSSAMER_CONFIG": "", "HOME": "/", "XDG_CONFIG_HOME": "here"},
}


@pytest.mark.parametrize("environ", LEFT_TO_THE_FULL_READER.values(), ids=LEFT_TO_THE_FULL_READER)
def test_what_is_odd_is_left_to_the_full_reader(environ: Environment, empty: Environment) -> None:
    assert early([], {**empty, **environ}) is None


@pytest.mark.parametrize(
    "content",
    [
        b"tools = 7",
        b"tools = [7]",
        b"tools = ''",
        b"tools = []",
        b"dotless = 1",
        b"language = 3",
        b"tools =",
        b"\xff",
        b"#" * 1_048_577,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_broken_file_is_left_to_the_full_reader(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    assert early([], {"GOSSAMER_CONFIG": str(tmp_path / "x.toml")}) is None


@pytest.mark.parametrize(
    "line",
    [
        "search x",
        "--version",
        "--help",
        "serve --help",
        "serve --http 127.0.0.1:8000",
        "serve --tools",
        "serve --tools=",
        "serve --tools --dotless",
        "serve --dotless=true",
        "serve --config",
        "serve more",
        "serve -- --tools x",
        "--tools x",
    ],
)
def test_any_other_command_line_is_left_to_the_commands(line: str) -> None:
    assert read_flags(line.split()) is None


names = st.sampled_from(
    ["core", "all", "web_fetch", "WebFetch", "web-search", "o3", "nothing", "", " ", "a b", "'", "[x]"]
)
switches = st.sampled_from(["true", "FALSE", " yes", "No", "on", "off", "t", "F", "y", "n", "0", "1", "2", "", "maybe"])
environments = st.fixed_dictionaries(
    {},
    optional={
        "GOSSAMER_TOOLS": st.lists(names, max_size=4).map(",".join) | st.text("aé, \t[]\"'\u2003", max_size=6),
        "GOSSAMER_DOTLESS": switches,
        "GOSSAMER_LANGUAGE": st.sampled_from(["en", "ja", " JA", "En ", "fr", "", "j a"]),
        "WEB_SEARCH_ENABLED": switches,
        "WEB_FETCH_ENABLED": switches,
        "GOSSAMER_WEB_SEARCH_ENABLED": switches,
        "GOSSAMER_WEB_FETCH_ENABLED": switches,
        "GOSSAMER_TOOL": names,
        "gossamer_language": st.just("ja"),
    },
)
values = st.one_of(
    st.sampled_from(["core", "all", "ja", "en", "off", "TRUE", "", " "]),
    st.booleans(),
    st.integers(0, 1),
    st.lists(names | st.integers(0, 2), max_size=3),
)
tables = st.dictionaries(
    st.sampled_from(["tools", "dotless", "language", "web_search_enabled", "web_fetch_enabled", "store"]), values
)
lines = st.lists(
    st.sampled_from([("--tools", "core,web_read"), ("--tools= x",), ("--dotless",), ("--tools", "no such")]), max_size=3
)


@given(environ=environments, table=tables, line=lines)
def test_early_never_contradicts_the_full_reader(
    environ: Environment,
    table: dict[str, object],
    line: list[tuple[str, ...]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()))
    arguments = ["serve", *(word for words in line for word in words)]
    environ = {**environ, "GOSSAMER_CONFIG": str(file)}
    read = early(arguments, environ)
    assert read is None or read == loaded(arguments, environ)


PROGRAM = """
import json, sys
from pathlib import Path
from gossamer.settings.early import read_early, read_flags
from gossamer.settings.load import load
known = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["settings"]
early, settings = read_early(read_flags([]), known), load().settings
is_same = early is not None and (",".join(early.tools), early.language) == (settings.tools, settings.language)
print(is_same, settings.tools)
"""


@pytest.mark.parametrize(
    ("folder", "extra"),
    [(".config", {}), ("elsewhere", {"XDG_CONFIG_HOME": "{home}/elsewhere"})],
    ids=["in the home folder", "where XDG_CONFIG_HOME says"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep their settings elsewhere")
def test_the_users_own_file_is_found(folder: str, extra: Environment, tmp_path: Path) -> None:
    (tmp_path / folder / "gossamer").mkdir(parents=True)
    (tmp_path / folder / "gossamer" / "gossamer.toml").write_text('tools = "web_fetch"\nlanguage = "ja"')
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    environ |= {name: value.format(home=tmp_path) for name, value in extra.items()}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(SNAPSHOT)], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "web_fetch"]
