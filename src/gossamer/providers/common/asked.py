"""What a query asks for, in the spellings that search services share."""

import re

from gossamer.model.search import Query

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_COUNTRY = re.compile(r"[A-Z]{2}")


def words(query: Query, *, max_chars: int | None = None, max_words: int | None = None) -> str:
    """The text of a query with its site as an operator, cut at a word where the service takes no more.

    The operator is never cut: a search of the whole web would not be what was asked for.
    """
    site = f" site:{query.site}" if query.site else ""
    text = " ".join(query.text.split())
    if max_words is not None:
        text = " ".join(text.split()[: max_words - bool(site)])
    return (text if max_chars is None else short(text, max_chars - len(site))) + site


def short(text: str, max_chars: int) -> str:
    """The text up to its last whole word within the bound; one endless word is cut."""
    if len(text) <= max_chars:
        return text
    cut = text[:max_chars]
    return (cut if text[max_chars].isspace() else cut.rpartition(" ")[0] or cut).rstrip()


def language(query: Query) -> str:
    """The language alone, such as `de`; nothing when any will do or it is no code."""
    code = query.language.replace("_", "-").partition("-")[0].lower()
    return code if _LANGUAGE.fullmatch(code) and code != "all" else ""


def country(query: Query) -> str:
    """The country, such as `AT`: the region asked for, else the one inside the language; nothing when there is none."""
    inside = query.language.replace("_", "-").rpartition("-")[2] if "-" in query.language.replace("_", "-") else ""
    code = (query.region or inside).upper()
    return code if code.isascii() and _COUNTRY.fullmatch(code) else ""
