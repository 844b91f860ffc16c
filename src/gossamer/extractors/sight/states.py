"""States and attributes of one element, as selectors ask for them."""

from collections.abc import Callable

from gossamer.extractors.sight.selectors import Attribute
from gossamer.extractors.tree import Element, attr

_FIELDS = frozenset({"input", "select", "textarea", "button", "option", "optgroup", "fieldset"})
_FILLED_IN = frozenset({"input", "select", "textarea"})
_CHECKED = frozenset({*_FILLED_IN, "button", "form", "fieldset", "output", "object"})


def simple_state(el: Element, name: str, value: str = "") -> bool:
    """Whether an element of an untouched page is in a state."""
    if name in {"link", "any-link"}:
        return el.tag in {"a", "area"} and "href" in el.attrib
    if name in {"root", "scope"}:
        return el.tag == "html"
    if name == "empty":
        return not len(el) and not el.text
    if name in {"disabled", "enabled"}:
        return el.tag in _FIELDS and ("disabled" in el.attrib) == (name == "disabled")
    if name in {"required", "optional"}:
        return el.tag in _FILLED_IN and ("required" in el.attrib) == (name == "required")
    if name in {"read-only", "read-write"}:
        return _can_be_written(el) == (name == "read-write")
    if name in {"valid", "invalid"}:
        return el.tag in _CHECKED and _is_missing(el) == (name == "invalid")
    if name in _OF_FIELDS:
        return _OF_FIELDS[name](el)
    if name == "lang":
        return _speaks(_taken_over(el, "lang"), value)
    if name == "dir":
        return (_taken_over(el, "dir") == "rtl") == (value == "rtl") and value in {"ltr", "rtl"}
    return name == "defined"


def _is_missing(el: Element) -> bool:
    """Whether a field must be filled in and is not."""
    return el.tag in _FILLED_IN and "required" in el.attrib and not (attr(el, "value") or "checked" in el.attrib)


_OF_FIELDS: dict[str, Callable[[Element], bool]] = {
    "open": lambda el: "open" in el.attrib,
    "heading": lambda el: len(el.tag) == 2 and el.tag[0] == "h" and el.tag[1] in "123456",
    "checked": lambda el: "checked" in el.attrib or "selected" in el.attrib,
    "default": lambda el: "checked" in el.attrib or "selected" in el.attrib or attr(el, "type").lower() == "submit",
    "placeholder-shown": lambda el: bool(attr(el, "placeholder")) and not attr(el, "value"),
    "in-range": lambda el: el.tag == "input" and ("min" in el.attrib or "max" in el.attrib),
    "indeterminate": lambda el: attr(el, "type").lower() == "radio" and "checked" not in el.attrib,
}


def _can_be_written(el: Element) -> bool:
    if el.tag in {"input", "textarea"}:
        return "readonly" not in el.attrib and "disabled" not in el.attrib
    return _taken_over(el, "contenteditable", default="false") in {"", "true", "plaintext-only"}


def _taken_over(el: Element, name: str, *, default: str = "") -> str:
    """An attribute of the element, or of the nearest one round it that has it."""
    for up in (el, *el.iterancestors()):
        if name in up.attrib:
            return attr(up, name).strip().lower()
    return default


def _speaks(spoken: str, asked: str) -> bool:
    """Whether a language is one of those asked for, or a kind of one."""
    for part in asked.split(","):
        wanted = part.strip().strip("\"'").removesuffix("-*")
        if wanted and spoken and (wanted == "*" or spoken == wanted or spoken.startswith(f"{wanted}-")):
            return True
    return False


def has_attribute(el: Element, said: Attribute) -> bool:
    """Whether an element's attribute is as a selector demands."""
    value = el.get(said.name)
    if value is None:
        return False
    wanted = said.value
    if said.is_folded or said.name in {"type", "dir", "hidden"}:
        value, wanted = value.lower(), wanted.lower()
    if said.operator == "":
        return True
    if said.operator == "=":
        return value == wanted
    if said.operator == "~=":
        return bool(wanted) and wanted in value.split()
    if said.operator == "|=":
        return value == wanted or value.startswith(f"{wanted}-")
    if not wanted:
        return False
    return {"^=": value.startswith, "$=": value.endswith, "*=": value.__contains__}[said.operator](wanted)
