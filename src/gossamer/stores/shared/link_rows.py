"""Link targets as they lie beside the text of a page: packed, since addresses of one page are much alike."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence

from gossamer.model.page import LinkSpan, Page
from gossamer.steps.text.link_targets import markdown_of

_MOST_BYTES = 64 * 1024 * 1024
"""More than the addresses of any page that is read."""


def packed(spans: Sequence[LinkSpan]) -> str:
    """The spans of a page as one short text; nothing for none."""
    return b64encode(zlib.compress(json.dumps(spans).encode())).decode() if spans else ""


def unpacked(digits: str, size: int) -> tuple[LinkSpan, ...]:
    """The spans of a text of this size; `ValueError` or `TypeError` where they are not what was written."""
    if not digits:
        return ()
    inflating = zlib.decompressobj()
    written = inflating.decompress(b64decode(digits, validate=True), _MOST_BYTES)
    spans = [LinkSpan(*span) for span in json.loads(written)] if inflating.eof else []
    at = 0
    for start, end, target in spans:
        if not at <= start < end <= size or not target.startswith("http"):
            raise ValueError("a link that is no part of the text")
        at = end
    if not spans:
        raise ValueError("no links")
    return tuple(spans)


def is_another_text(stored: Page, page: Page) -> bool:
    """Whether a page says something else than what is kept; kept with its targets in the text, it says the same."""
    if stored.text == page.text:
        return False
    return stored.targets is not None or page.targets is None or stored.text != markdown_of(page)
