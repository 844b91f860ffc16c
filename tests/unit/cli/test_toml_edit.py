"""Putting a value into TOML: nothing else moves."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.cli.clients.table import Refused
from gossamer.cli.clients.toml_edit import put_toml, read_toml, rendered_toml

PATH = ("mcp_servers", "gossamer")
ENTRY: dict[str, Any] = {"command": "/bin/g", "args": ["serve", "--dotless"], "env": {"SEARXNG_URL": ""}}

PIECES = st.lists(
    st.sampled_from(
        [
            "# [mcp_servers.gossamer] is only mentioned\n",
            "\n",
            '[profiles.work] # mine\nmodel = "o9" # "quoted"\nlimits = [\n  1, # one\n  2,\n]\n',
            '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs"]\nenv = { KEY = "a # b", OTHER = "]" }\n',
            "[ mcp_servers . \"web site\" ]\n  command = 'C:\\bin\\web.exe'\n",
            '[text]\nbody = """\n[mcp_servers.gossamer]\ncommand = "no" """\nquotes = """"a""""\n',
            "[raw]\ntext = '''\n[x]\n'''\n",
            "[[history]]\nat = 1979-05-27T07:32:00Z\nscore = nan\n",
            "[odd]\n\"a.b\" = 1.5\n'c'.d = inf\n",
        ]
    ),
    unique=True,
)


@st.composite
def files(draw: st.DrawFn, *, ours: str = "") -> str:
    """A file of tables in any order, ours among them, with or without a mark, Windows newlines and a last newline."""
    pieces = draw(PIECES)
    if ours:
        pieces.insert(draw(st.integers(0, len(pieces))), ours)
    text = draw(st.sampled_from(["", 'model = "gpt" # top\n'])) + "".join(pieces)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff"])) + text


@given(files())
def test_a_new_table_comes_after_everything_that_is_there(text: str) -> None:
    new = put_toml(text, PATH, ENTRY)
    assert new.startswith(text)
    servers = {**read_toml(text).get("mcp_servers", {}), "gossamer": ENTRY}
    assert read_toml(new) == {**read_toml(text), "mcp_servers": servers}
    if "\r\n" in text:
        assert new.count("\n") == new.count("\r\n")


OURS = '[mcp_servers.gossamer]  # mine\ncommand = "OLD" # where it was\nargs = [ # none\n  "OLD",\n]\nenv.KEY = "k"\n'


@given(files(ours=OURS))
def test_only_the_value_that_was_meant_is_replaced(text: str) -> None:
    assert put_toml(text, (*PATH, "command"), "/bin/g") == text.replace('"OLD" # where', '"/bin/g" # where')
    newline = "\r\n" if "\r\n" in text else "\n"
    old = '[ # none\n  "OLD",\n]'.replace("\n", newline)
    assert put_toml(text, (*PATH, "args"), ["serve"]) == text.replace(old, '["serve"]')


@given(files(ours="[mcp_servers.gossamer] # ours\nenabled = true\n"))
def test_a_missing_value_goes_right_below_its_table(text: str) -> None:
    newline = "\r\n" if "\r\n" in text else "\n"
    assert put_toml(text, (*PATH, "command"), "g") == text.replace("] # ours", f'] # ours{newline}command = "g"')


WAYS = {
    "a table under a quoted name": '[mcp_servers."gossamer"]\ncommand = "OLD"\n',
    "dotted keys in the table of servers": '[mcp_servers]\ngossamer.command = "OLD"\ngossamer.args = []\n',
    "dotted keys at the top": 'mcp_servers.gossamer.command = "OLD"\n',
    "a value at the end of the file": '[mcp_servers.gossamer]\ncommand = "OLD"',
    "a literal string": "[mcp_servers.gossamer]\ncommand = 'OLD'   \n",
    "a long string": '[mcp_servers.gossamer]\ncommand = """OLD"""\n',
}


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_a_value_is_found_however_it_is_written(text: str) -> None:
    new = put_toml(text, (*PATH, "command"), "NEW")
    assert read_toml(new)["mcp_servers"]["gossamer"] == {**read_toml(text)["mcp_servers"]["gossamer"], "command": "NEW"}
    assert len(new.splitlines()) == len(text.splitlines())


INLINE = {
    "the entry": '[mcp_servers]\ngossamer = { command = "x" }\n',
    "the table of servers": 'mcp_servers = { gossamer = { command = "x" } }\n',
}


@pytest.mark.parametrize("text", INLINE.values(), ids=INLINE)
def test_an_inline_table_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="inline table"):
        put_toml(text, (*PATH, "command"), "NEW")


BROKEN = {
    "no value": "a =\n",
    "a key twice": "a = 1\na = 2\n",
    "deep": "a = " + "[" * 100_000,
    "a lonely return": 'a = "b"\rc = 1\n',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_what_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="not valid TOML"):
        read_toml(text)


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_any_text_can_be_a_value(text: str) -> None:
    assert tomllib.loads(rendered_toml(("t",), {"a": text, "b": [text]})) == {"t": {"a": text, "b": [text]}}
