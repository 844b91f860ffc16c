"""What the tests of client files share: an installation, and random files of people who write by hand."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from gossamer.cli.clients.table import Launch

LAUNCH = Launch(command="/opt/gossamer/bin/gossamer", arguments=("serve",))


@contextmanager
def without_privileges() -> Iterator[None]:
    """Modes count for everybody but root, so root is somebody else for a while."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


COMMENTS = st.sampled_from(
    ["// note\n", "//\n", "/* aside */", "/* two\n   lines */", '// "gossamer": {}\n', "/* { [ , */", "/* // */"]
)
BLANKS = st.text(" \t\n", max_size=4)


@dataclass(frozen=True)
class Written:
    """A value and one way to write it."""

    text: str
    value: Any


@st.composite
def trivia(draw: st.DrawFn) -> str:
    """What may stand between two tokens."""
    if draw(st.booleans()):
        return draw(BLANKS)
    return draw(BLANKS) + draw(COMMENTS) + draw(BLANKS)


STRINGS = st.sampled_from(
    [
        Written('"plain"', "plain"),
        Written('""', ""),
        Written(r'"a \"quoted\" word"', 'a "quoted" word'),
        Written(r'"back\\slash"', "back\\slash"),
        Written(r'"\u00e9\n\/"', "é\n/"),
        Written('"// no comment"', "// no comment"),
        Written('"/* nor this */, }"', "/* nor this */, }"),
        Written('"天気 🌦"', "天気 🌦"),
        Written(r'"\ud83c\udf26"', "🌦"),
    ]
)
NUMBERS = st.sampled_from([Written(one, float(one)) for one in ("0", "-1", "12.5", "1e3", "-0.0E-2", "12345678901")])
WORDS = st.sampled_from([Written(text, value) for text, value in (("true", True), ("false", False), ("null", None))])
SCALARS = STRINGS | NUMBERS | WORDS


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[Written]) -> Written:
    parts = draw(st.lists(items, max_size=3))
    comma = "," if parts and draw(st.booleans()) else ""
    text = ",".join(f"{draw(trivia())}{part.text}{draw(trivia())}" for part in parts)
    return Written(f"[{text}{comma}{draw(trivia())}]", [part.value for part in parts])


@st.composite
def objects(
    draw: st.DrawFn, items: st.SearchStrategy[Written], *, fixed: tuple[tuple[str, Written], ...] = ()
) -> Written:
    """An object with random members, and at random places among them those that are given."""
    names = st.sampled_from(["a", "b", "other", "theme", "zeta", "with space", "//", "ключ"])
    members = [(name, draw(items)) for name in draw(st.lists(names, unique=True, max_size=3))]
    for one in fixed:
        members.insert(draw(st.integers(0, len(members))), one)
    comma = "," if members and draw(st.booleans()) else ""
    parts = [
        f'{draw(trivia())}"{name}"{draw(trivia())}:{draw(trivia())}{part.text}{draw(trivia())}'
        for name, part in members
    ]
    text = ",".join(parts) + comma + draw(trivia())
    return Written(f"{{{text}}}", {name: part.value for name, part in members})


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | objects(inner), max_leaves=6)


@st.composite
def documents(draw: st.DrawFn, root: st.SearchStrategy[Written]) -> Written:
    """A whole file: perhaps a byte order mark, perhaps the newlines of Windows."""
    found = draw(root)
    text = draw(trivia()) + found.text + draw(trivia())
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return Written(draw(st.sampled_from(["", "\ufeff"])) + text, found.value)
