"""Prompt prefixes: what some embedding models expect before a query and before a document."""

import re
from dataclasses import dataclass

AUTO, NONE = "auto", "none"

_KNOWN = (
    (re.compile(r"nomic-embed-text"), "search_query:", "search_document:"),
    (re.compile(r"(?:^|[-/])e5-(?!.*instruct)"), "query:", "passage:"),
    (re.compile(r"arctic-embed.*(?:v2|:.*2\.0)|arctic-embed2"), "query:", ""),
)
"""Models whose makers say that they need it, by their names on any server; most models need nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompts:
    """The words before a question, and before a text of a page."""

    question: str = ""
    text: str = ""

    @classmethod
    def of(cls, model: str, *, question: str = AUTO, text: str = AUTO) -> "Prompts":
        """As the operator says, else as the model is known to want it."""
        known = next((prefixes for pattern, *prefixes in _KNOWN if pattern.search(model.lower())), ["", ""])
        return cls(question=_chosen(question, known[0]), text=_chosen(text, known[1]))


def before(prompt: str, text: str) -> str:
    """The text as it is sent; one that says nothing says nothing with a prompt either."""
    return f"{prompt} {text}" if prompt and text.strip() else text


def _chosen(configured: str, known: str) -> str:
    return {AUTO: known, "": known, NONE: ""}.get(configured.strip().lower(), configured.strip())
