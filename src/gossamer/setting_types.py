"""Types of settings: each parses its value from text, TOML or Python and refuses everything else.

The text under `allowed` completes "it must be …" where the type alone does not say it. They stand below all that has
settings of its own: the settings model, and the block of each contract.
"""

import json
import re
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

_ENTRY = re.compile(r"[^\s,'\"]+")
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([bkm]?)(?:(?<=[km])i?b)?")
_JSON_LIST = re.compile(r"\[\s*(?:\"|\])")


class Section(BaseModel):
    """A table of settings: frozen, and a name that does not exist is an error instead of a wish.

    It is checked as a part of `Settings`; building a check for it alone would only delay the start.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True, defer_build=True
    )


def _lowered(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _lowered_or_none(value: object) -> object:
    return _lowered(value) or None if isinstance(value, str) else value


def _number(value: object) -> object:
    """Refuse true and false, which Python would count as 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")  # noqa: TRY004 - pydantic collects ValueError alone
    return value


def _number_or_none(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else _number(value)


def _entries(value: object) -> object:
    """Split a comma list or a JSON list; `[::1]:8000` begins with a bracket and is neither JSON nor wrong."""
    if isinstance(value, str):
        value = _from_json(value) if _JSON_LIST.match(value) else value.split(",")
    if not isinstance(value, (list, tuple)):
        raise ValueError("not a list")  # noqa: TRY004 - pydantic collects ValueError alone
    entries: list[str] = []
    for entry in cast("list[object]", value):
        text = entry.strip() if isinstance(entry, str) else None
        if text == "":
            continue
        if text is None or not _ENTRY.fullmatch(text):
            raise ValueError("an entry is not a single word")
        entries.append(text)
    return tuple(entries)


def _from_json(text: str) -> object:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _joined(value: object) -> object:
    """Write any spelling of a list as one comma list."""
    return ",".join(cast("tuple[str, ...]", _entries(value)))


def _located(value: object) -> object:
    """Expand `~` and pin the path, so that a later change of the working directory does not move it."""
    text = str(value).strip() if isinstance(value, (str, Path)) else ""
    if not text or "\0" in text:
        raise ValueError("not a path")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("no such home folder") from error


def _located_or_none(value: object) -> object:
    return None if value is None or value == "" else _located(value)


def _sized(value: object) -> object:
    """Read `2MB`, `500 kB`, `1.5 MiB` or a number of bytes; K and M are powers of 1,024 whoever writes them."""
    if not isinstance(value, str):
        return _number(value)
    match = _SIZE.fullmatch(value.strip().lower())
    if match is None:
        raise ValueError("not a size")
    return round(float(match[1]) * 1024 ** "bkm".index(match[2] or "b"))


def _allowed(allowed: str) -> dict[str, JsonValue]:
    return {"allowed": allowed}


Choice = BeforeValidator(_lowered)
"""Beside a Literal: its words in any case."""
Whole = BeforeValidator(_number)
"""Beside an int: no truth values."""
Switch = Annotated[bool, Choice]
OptionalSwitch = Annotated[
    bool | None, Field(json_schema_extra=_allowed("true, false or empty")), BeforeValidator(_lowered_or_none)
]
Seconds = Annotated[float, Field(ge=0.1, le=600), BeforeValidator(_number)]
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_number)]
OptionalSeconds = Annotated[
    float | None,
    Field(ge=0.1, le=600, json_schema_extra=_allowed("a number from 0.1 to 600, or empty")),
    BeforeValidator(_number_or_none),
]
OptionalCount = Annotated[
    int | None,
    Field(ge=1, le=50, json_schema_extra=_allowed("a whole number from 1 to 50, or empty")),
    BeforeValidator(_number_or_none),
]
OptionalMinutes = Annotated[
    int | None,
    Field(ge=0, le=1440, json_schema_extra=_allowed("a whole number from 0 to 1440, or empty")),
    BeforeValidator(_number_or_none),
]
ByteSize = Annotated[
    int,
    Field(ge=1024, le=33_554_432, json_schema_extra=_allowed("a size from 1KB to 32MB, such as 2MB")),
    BeforeValidator(_sized),
]
Age = Annotated[float, Field(ge=0, le=31_536_000), BeforeValidator(_number)]
Words = Annotated[
    tuple[str, ...],
    Field(max_length=1000, json_schema_extra=_allowed("a list of words with commas between them")),
    BeforeValidator(_entries),
]
CommaList = Annotated[
    str,
    Field(min_length=1, max_length=1000, json_schema_extra=_allowed("a list of names with commas between them")),
    BeforeValidator(_joined),
]
RateText = Annotated[
    str,
    Field(
        pattern=r"^(0|[1-9][0-9]{0,6}/[1-9][0-9]{0,5})$",
        json_schema_extra=_allowed("a count and seconds, such as 120/60, or 0"),
    ),
]
ToolRates = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}=(0|[1-9][0-9]{0,6}/[1-9][0-9]{0,5})$")], ...],
    Field(max_length=100, json_schema_extra=_allowed("a list such as web_search=20/600,web_fetch=60/60")),
    BeforeValidator(_entries),
]
Location = Annotated[Path, Field(json_schema_extra=_allowed("a path")), BeforeValidator(_located)]
OptionalLocation = Annotated[
    Path | None, Field(json_schema_extra=_allowed("a path")), BeforeValidator(_located_or_none)
]
Address = Annotated[
    str,
    Field(
        pattern=r"^([a-z][a-z0-9+]*:.*)?$",
        max_length=2048,
        json_schema_extra=_allowed("an address such as sqlite:///path or memory:"),
    ),
]
HttpAddress = Annotated[
    str,
    Field(
        pattern=r"^(https?://\S+)?$",
        max_length=2048,
        json_schema_extra=_allowed("an address such as http://127.0.0.1:11434"),
    ),
]
HeaderText = Annotated[
    str, Field(pattern=r"^[ -~]*$", max_length=300, json_schema_extra=_allowed("at most 300 plain ASCII characters"))
]
ProxyAddress = Annotated[str, Field(json_schema_extra=_allowed("an address such as http://proxy.example.com:3128"))]
"""Judged by who uses it: what the environment holds for other programs is no mistake until something needs it."""
