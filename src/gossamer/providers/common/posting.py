"""Requests that carry their query in a JSON body."""

import json
from collections.abc import Mapping

from gossamer.model.http import HttpRequest


def posted(url: str, value: Mapping[str, object], headers: Mapping[str, str]) -> HttpRequest:
    """The same value is always the same request."""
    return HttpRequest(
        url=url,
        method="POST",
        headers={"Accept": "application/json", "Content-Type": "application/json", **headers},
        body=json.dumps(value).encode(),
    )
