"""The settings file: where it is looked for, how paths in it are meant, what is wrong with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.settings.load import load

EVERYTHING = """
data_dir = "/srv/gossamer"
store = "memory:"
state = "memory:"
tools = ["core", "WebFetch"]
web_search_enabled = false
web_fetch_enabled = "off"
[search]
providers = ["wikipedia", " library ", ""]
timeout_s = 1.5
cache_s = "60"
max_concurrent_fetches = 2
[net]
allow_private = "localhost:3000,10.1.0.0/16"
user_agent = " Me/1.0 "
ca_bundle = ""
[read]
chunk_tokens = 64
[answer]
timeout_s = 5
[library]
remember = false
[log]
level = "Info"
[providers.searxng]
base_url = "http://localhost:8888"
"""


def written(folder: Path, text: str) -> Path:
    """A settings file with this text."""
    path = folder / "gossamer.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_may_set_everything(tmp_path: Path) -> None:
    loaded = load(config=written(tmp_path, EVERYTHING), environ={})
    settings = loaded.settings
    assert loaded.problems == ()
    assert settings.tools == "core,WebFetch"
    assert (settings.web_search_enabled, settings.web_fetch_enabled) == (False, False)
    assert settings.search.providers == ("wikipedia", "library")
    assert (settings.search.timeout_s, settings.search.cache_s) == (1.5, 60)
    assert settings.net.allow_private == ("localhost:3000", "10.1.0.0/16")
    assert (settings.net.user_agent, settings.net.ca_bundle) == ("Me/1.0", None)
    assert (settings.read.chunk_tokens, settings.library.remember, settings.log.level) == (64, False, "info")
    assert settings.providers == {"searxng": {"base_url": "http://localhost:8888"}}


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "tools = 'all'")
    loaded = load(environ={"GOSSAMER_CONFIG": f" {path} "})
    assert (loaded.settings.tools, loaded.file, loaded.problems) == ("all", path, ())


def test_a_named_file_wins_over_the_one_in_the_environment(tmp_path: Path) -> None:
    path = written(tmp_path, "tools = 'all'")
    loaded = load(config=path, environ={"GOSSAMER_CONFIG": str(tmp_path / "absent.toml")})
    assert (loaded.settings.tools, loaded.problems) == ("all", ())


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    loaded = load(config=written(tmp_path, "\ufefftools = 'all'"), environ={})
    assert (loaded.settings.tools, loaded.problems) == ("all", ())


READ_THE_FOLDERS = """
import sys
from gossamer.settings.load import load
loaded = load()
print(loaded.settings.tools, loaded.settings.data_dir, loaded.file, *loaded.problems, sep="|")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep user folders elsewhere")
@pytest.mark.parametrize("has_file", [True, False], ids=["with a file", "without one"])
def test_the_user_config_folder_is_read_and_the_working_directory_is_not(tmp_path: Path, has_file: bool) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    written(work, "tools = 'foreign'")
    (home / ".config" / "gossamer").mkdir(parents=True)
    if has_file:
        written(home / ".config" / "gossamer", "tools = 'mine'")
    source = Path(__file__).parents[3] / "src"
    done = subprocess.run(
        [sys.executable, "-c", READ_THE_FOLDERS],
        cwd=work,
        env={"HOME": str(home), "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    tools = "mine" if has_file else "core"
    data, file = home / ".local/share/gossamer", home / ".config/gossamer/gossamer.toml"
    assert done.stdout == f"{tools}|{data}|{file}\n"


PATHS = {
    "absolute": ("/srv/g", "/srv/g"),
    "relative to the file": ("data", "{folder}/data"),
    "from home": ("~/g", "{home}/g"),
    "with blanks around it": ("  data ", "{folder}/data"),
    "from home with blanks": (" ~/g ", "{home}/g"),
}


@pytest.mark.parametrize(("text", "expected"), PATHS.values(), ids=PATHS)
def test_a_path_in_the_file_is_meant_from_where_the_file_is(text: str, expected: str, tmp_path: Path) -> None:
    loaded = load(config=written(tmp_path, f"data_dir = '{text}'\n[net]\nca_bundle = '{text}'"), environ={})
    place = Path(expected.format(folder=tmp_path, home=Path.home()))
    assert (loaded.settings.data_dir, loaded.settings.net.ca_bundle) == (place, place)


def test_a_relative_path_in_the_environment_is_meant_from_the_working_directory() -> None:
    loaded = load(config=Path(os.devnull), environ={"DATA_DIR": "./data"})
    assert loaded.settings.data_dir == Path.cwd() / "data"


BROKEN_FILES = {
    "no TOML": (b"tools = \n", "is not valid TOML: Invalid value (at line 1, column 9)."),
    "no UTF-8": (b"tools = '\xff'", "is not valid TOML: 'utf-8' codec"),
    "too large": (b"# " + b"x" * 1_048_576, "is not valid TOML: it is larger than 1048576 bytes."),
    "nested without end": (b"tools = " + b"[" * 100_000, "is not valid TOML:"),
}


@pytest.mark.parametrize(("content", "message"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_a_broken_file_is_one_problem_and_the_defaults_count(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "gossamer.toml"
    path.write_bytes(content)
    loaded = load(config=path, environ={"GOSSAMER_LOG__LEVEL": "error"})
    (problem,) = loaded.problems
    assert problem.message.startswith(f"The settings file {path} {message}")
    assert problem.hint == "Correct it, or remove the file."
    assert (loaded.settings.tools, loaded.settings.log.level) == ("core", "error")


@pytest.mark.parametrize("is_flag", [True, False], ids=["by a flag", "by the environment"])
@pytest.mark.parametrize("name", ["absent.toml", "plain/gossamer.toml"])
def test_a_named_file_that_does_not_exist_is_a_problem(name: str, is_flag: bool, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("", encoding="utf-8")
    path = tmp_path / name
    loaded = load(config=path, environ={}) if is_flag else load(environ={"GOSSAMER_CONFIG": str(path)})
    assert [str(problem) for problem in loaded.problems] == [
        f"The settings file {path} does not exist. Correct the path, or leave it out."
    ]


def test_a_home_that_nobody_has_is_a_file_that_does_not_exist() -> None:
    loaded = load(config=Path("~nobody-of-this-name/gossamer.toml"), environ={})
    assert "does not exist" in loaded.problems[0].message


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    loaded = load(config=tmp_path, environ={})
    assert [str(problem) for problem in loaded.problems] == [
        f"The settings file {tmp_path} cannot be read: Is a directory. Make it readable, or move it."
    ]
