"""The way back from page text in which citations are escaped."""

import re

from gossamer.steps.retrieval import cite

_ESCAPED = re.compile(rf"[{cite.OPENING}]\\++(?={cite._CITATION})")


def unescape_citations(text: str) -> str:
    """Undo `escape_citations` exactly."""
    return _ESCAPED.sub(lambda escaped: escaped[0][:-1], text)
