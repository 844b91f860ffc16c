"""States and attributes of one element, as selectors ask for them."""

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
    if name == "valid":
        return el.tag in _CHECKED
    if name == "lang":
        return _speaks(_taken_over(el, "lang"), value)
    if name == "dir":
        return (_taken_over(el, "dir") == "rtl") == (value == "rtl") and value in {"ltr", "rtl"}
    return name == "defined"


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
