"""Arguments are read leniently, never silently: what was changed is noted, what is out of bounds names the bound."""

import functools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from gossamer.contracts.contract import item_reader_of, portable, reader_of
from gossamer.contracts.render.envelope import READ_AS
from gossamer.errors import InvalidArgument

_BOOLEANS: dict[str | int, bool] = {
    **dict.fromkeys(("true", "1", "yes", "on", 1), True),
    **dict.fromkeys(("false", "0", "no", "off", 0), False),
}
_INTEGER = re.compile(r"([+-]?(?:\d{1,18}|\d{1,3}(?:[,_ ]\d{3}){1,5}))(?:\.0*)?", re.ASCII)
_HUGE = 10**18
"""Numbers from here on are no number of anything; Python may even refuse to write them down."""
_AGAIN = "Correct it and call again."
_KINDS = {
    "string_type": "must be text",
    "string_unicode": "must be valid Unicode text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "missing": "is missing",
    "too_short": "must not be empty",
}


def read_arguments(shape: type[BaseModel], raw: Mapping[str, Any], note: Callable[[str], None]) -> BaseModel:
    """Validate `raw` as `shape`; every reading that changed a value goes to `note`."""
    kinds = _kinds(shape)
    values: dict[str, Any] = {}
    for name, given in raw.items():
        info = shape.model_fields.get(name)
        if info is None:
            raise _unknown(name, shape)
        if given is not None and (given != "" or info.is_required()):
            values[name] = _read(name, given, kinds[name], info)
    try:
        arguments = shape.model_validate(values, strict=True)
    except ValidationError as error:
        raise _invalid(error) from error
    for name, value in values.items():
        if value != raw[name] or type(value) is not type(raw[name]):
            note(f"{name} {READ_AS} {_shown(value)}.")
    return arguments


@functools.cache
def _kinds(shape: type[BaseModel]) -> dict[str, Any]:
    """The published schema of each argument."""
    return portable(shape.model_json_schema())["properties"]


def _read(name: str, given: Any, kind: dict[str, Any], info: FieldInfo) -> Any:
    match kind.get("type"):
        case "array":
            items, by = _as_list(given), item_reader_of(info)
            most = kind.get("maxItems", len(items))
            if len(items) > most:  # none of them is looked at
                raise InvalidArgument(f"{name} takes at most {most} items, not {len(items)}.", hint=_AGAIN)
            return [_as_text(item, by) for item in items]
        case "integer":
            return _as_integer(given)
        case "boolean" if isinstance(given, str | int):
            return _BOOLEANS.get(given.strip().lower() if isinstance(given, str) else given, given)
        case "string":
            return _as_text(given, reader_of(info))
        case _:
            return given


def _as_text(given: Any, by: Callable[[str], str] | None) -> Any:
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < _HUGE:
        return str(given)
    return by(given) if by and isinstance(given, str) else given


def _as_list(given: Any) -> list[Any]:
    if isinstance(given, str) and given.lstrip().startswith("["):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return [given]
    return cast("list[Any]", given) if isinstance(given, list) else [given]


def _as_integer(given: Any) -> Any:
    if isinstance(given, str):
        number = _INTEGER.fullmatch(given.strip())
        return int(re.sub("[,_ ]", "", number[1])) if number else given
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a number of that size"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _unknown(name: str, shape: type[BaseModel]) -> InvalidArgument:
    known = list(shape.model_fields)
    import difflib

    near = difflib.get_close_matches(name[:60], known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
    return InvalidArgument(f"There is no argument named {name[:60]!r}.", hint=hint)


def _invalid(error: ValidationError) -> InvalidArgument:
    """Pydantic's findings as sentences that name the argument and the bound."""
    said: list[str] = []
    for finding in error.errors(include_url=False):
        name, *place = finding["loc"]
        item = f" (item {int(place[0]) + 1})" if place else ""
        bound: Mapping[str, Any] = finding.get("ctx", {})
        match finding["type"]:
            case kind if kind in _KINDS:
                text = _KINDS[kind]
            case "greater_than_equal":
                text = f"must be at least {bound['ge']}, not {_shown(finding['input'])}"
            case "less_than_equal":
                text = f"must be at most {bound['le']}, not {_shown(finding['input'])}"
            case "string_too_short":
                least = bound["min_length"]
                text = "must not be empty" if least == 1 else f"must have at least {least} characters"
            case "string_too_long":
                text = f"must have at most {bound['max_length']} characters, not {len(finding['input'])}"
            case "literal_error":
                text = f"must be one of {bound['expected'].replace(' or ', ', ')}"
            case "string_pattern_mismatch":
                text = f"does not have the form {bound['pattern']}"
            case _:
                text = f"is not right: {finding['msg'].lower()}"
        said.append(f"{name}{item} {text}.")
    return InvalidArgument(" ".join(said), hint=_AGAIN)
