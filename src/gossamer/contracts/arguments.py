"""Arguments are read leniently, never silently: what was changed is noted, what is out of bounds names the bound."""

import difflib
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from gossamer.contracts.contract import item_reader_of, reader_of
from gossamer.contracts.schema import portable
from gossamer.errors import InvalidArgument

_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}


def read_arguments(shape: type[BaseModel], raw: Mapping[str, Any], note: Callable[[str], None]) -> BaseModel:
    """Validate `raw` as `shape`; every reading that changed a value goes to `note`."""
    kinds: dict[str, Any] = portable(shape.model_json_schema())["properties"]
    values: dict[str, Any] = {}
    for name, given in raw.items():
        info = shape.model_fields.get(name)
        if info is None:
            raise _unknown(name, shape)
        if given is None or (given == "" and not info.is_required()):
            if info.is_required():
                raise InvalidArgument(f"{name} is missing.", hint=f"Give {name}.")
            continue
        value = _read(given, kinds[name], info)
        if value != given or type(value) is not type(given):
            note(f"{name} was read as {_shown(value)}.")
        values[name] = value
    try:
        return shape.model_validate(values, strict=True)
    except ValidationError as error:
        raise _invalid(error) from error


def _read(given: Any, kind: dict[str, Any], info: FieldInfo) -> Any:
    match kind.get("type"):
        case "array":
            items = _as_list(given)
            by = item_reader_of(info)
            return [by(item) if by and isinstance(item, str) else item for item in items]
        case "integer":
            return _as_integer(given)
        case "boolean" if isinstance(given, str | int):
            word = str(given).strip().lower()
            return True if word in _TRUE else False if word in _FALSE else given
        case "string" if isinstance(given, int | float) and not isinstance(given, bool):
            return str(given)
        case "string" if isinstance(given, str):
            by = reader_of(info)
            return by(given) if by else given
        case _:
            return given


def _as_list(given: Any) -> list[Any]:
    if isinstance(given, str):
        if given.lstrip().startswith("["):
            try:
                parsed = json.loads(given)
            except ValueError:
                return [given]
            return cast("list[Any]", parsed) if isinstance(parsed, list) else [given]
        return [given]
    return list(cast("list[Any]", given)) if isinstance(given, list | tuple) else [given]


def _as_integer(given: Any) -> Any:
    if isinstance(given, str):
        text = given.strip().replace(",", "").replace("_", "")
        sign = text[:1] in {"-", "+"}
        return int(text) if text[sign:].isascii() and text[sign:].isdigit() and len(text) < 19 else given
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _unknown(name: str, shape: type[BaseModel]) -> InvalidArgument:
    known = list(shape.model_fields)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
    return InvalidArgument(f"There is no argument named {name[:60]!r}.", hint=hint)


def _invalid(error: ValidationError) -> InvalidArgument:
    """Pydantic's findings as sentences that name the argument and the bound."""
    said: list[str] = []
    for finding in error.errors(include_url=False):
        name = str(finding["loc"][0])
        item = f" (item {int(finding['loc'][1]) + 1})" if len(finding["loc"]) > 1 else ""
        bound: Mapping[str, Any] = finding.get("ctx", {})
        match finding["type"]:
            case "missing":
                text = "is missing"
            case "greater_than_equal":
                text = f"must be at least {bound['ge']}, not {finding['input']}"
            case "less_than_equal":
                text = f"must be at most {bound['le']}, not {finding['input']}"
            case "string_too_short":
                text = "must not be empty"
            case "string_too_long":
                text = f"must have at most {bound['max_length']} characters, not {len(finding['input'])}"
            case "too_short":
                text = f"needs at least {bound['min_length']} item"
            case "too_long":
                text = f"takes at most {bound['max_length']} items, not {bound['actual_length']}"
            case "literal_error":
                text = f"must be one of {bound['expected'].replace(' or ', ', ')}"
            case "string_pattern_mismatch":
                text = f"does not have the form {bound['pattern']}"
            case _:
                text = f"is not right: {finding['msg'].lower()}"
        said.append(f"{name}{item} {text}.")
    return InvalidArgument(" ".join(said), hint="Correct it and call again.")
