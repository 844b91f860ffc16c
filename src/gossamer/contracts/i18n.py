"""Translations of what tools and prompts say of themselves, by the `language` setting.

English stands beside the code it describes; another language is a table from the English words.
"""

from typing import Any, Literal, cast

from gossamer.contracts.i18n_japanese import JAPANESE

Spoken = Literal["en", "ja"]
LANGUAGES: tuple[Spoken, ...] = ("en", "ja")


def said(text: str, language: Spoken) -> str:
    """The same in another language; what has no translation stays English."""
    return JAPANESE.get(text, text) if language == "ja" else text


def spoken(schema: Any, language: Spoken, *, are_names: bool = False) -> Any:
    """A schema with its descriptions in a language; `are_names` says that the keys are names of properties."""
    if not isinstance(schema, dict):
        return schema
    node = cast("dict[str, Any]", schema)
    return {
        key: said(value, language)
        if key == "description" and not are_names
        else spoken(value, language, are_names=key == "properties" and not are_names)
        for key, value in node.items()
    }
