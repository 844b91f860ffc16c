"""How each of the ten tools fails on the little web, and the whole of what must come back."""

from tests.real.ten_tools import LEAVES, Case
from tests.workflows.little_web import Fault

_NO_PAGE = "http://example.com/404-page"
_NOR_HERE, _NOR_THERE = "http://example.net/404-page", "http://example.org/404-page"
"""Each is asked for once: a missing page is remembered for a moment, and the error says so."""
_MISSING = "not_found: There is no such page (404). Check the address or search for the page."
_REFUSED = {"error": {"message": "Incorrect API key provided: sk-key-of-openai.", "code": "invalid_api_key"}}
_GOOGLES = {
    "error": {
        "code": 400, "message": "API key not valid: key-of-google.",
        "errors": [{"message": "API key not valid.", "domain": "global", "reason": "badRequest"}],
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
    }
}  # fmt: skip
_BRAVES = {
    "type": "ErrorResponse",
    "error": {
        "id": "5d832250", "status": 422, "code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The token is invalid.",
        "meta": {"component": "authentication"},
    },
    "time": 1794700800,
}  # fmt: skip
_WEARY = {"searxng": Fault(429, {}, {"Retry-After": "300"})}
FAILURES = (
    Case(
        tool="web_search",
        asked={"query": "rust programming"},
        outcome="rate_limited",
        faults=_WEARY,
        expected=lambda _: {
            "query": "rust programming",
            "error_type": "no_instances_available",
            "error_details": "SearXNG is limiting our requests. Try again in 300 s.",
            "attempted_instances": ["https://search.example.org"],
            "retry_after": 300,
        },
    ),
    Case(tool="web_fetch", asked={"url": _NOR_HERE}, outcome="not_found", expected=lambda _: _MISSING),
    Case(
        tool="web_read",
        asked={"urls": [_NOR_THERE], "queries": [LEAVES]},
        outcome="not_found",
        expected=lambda _: _MISSING,
    ),
    Case(
        tool="web_answer",
        asked={"question": "Who won?"},
        outcome="rate_limited",
        expected=lambda _: "rate_limited: SearXNG is limiting our requests. Try again in 300 s.",
    ),
    Case(
        tool="WebSearch",
        asked={"query": "who won the race"},
        outcome="denied",
        faults={"brave": Fault(422, _BRAVES)},
        expected=lambda _: {
            "query": "who won the race",
            "results": [],
            "message": "Brave Search does not accept our key.",
            "suggestion": "Check providers.brave.api_key: gossamer doctor.",
        },
    ),
    Case(
        tool="WebFetch",
        asked={"url": _NO_PAGE},
        outcome="not_found",
        expected=lambda _: {
            "url": _NO_PAGE,
            "status": "error",
            "errorCode": 404,
            "message": "Page not found",
            "suggestion": "Verify the URL is correct or search for the content",
        },
    ),
    Case(
        tool="web.search",
        asked={"query": ["who won the race"]},
        outcome="denied",
        faults={"google": Fault(400, _GOOGLES)},
        expected=lambda _: {
            "queries": [
                {
                    "query": "who won the race",
                    "result": {"error": {**_GOOGLES["error"], "message": "API key not valid: …."}},
                }
            ]
        },
    ),
    Case(
        tool="web.readFromPage",
        asked={"url": "http://example.edu/404-page", "query": [LEAVES]},
        outcome="not_found",
        expected=lambda _: _MISSING,
    ),
    Case(
        tool="search_web",
        asked={"query": "who won the race"},
        outcome="denied",
        faults={"openai": Fault(401, _REFUSED)},
        expected=lambda _: {
            "name": "SearchAuthError",
            "code": "AUTH",
            "message": "OpenAI does not accept our key. Check providers.openai.api_key: gossamer doctor.",
            "details": {"provider": "openai", "attempts": 1, "status": 401, "reason": "denied"},
        },
    ),
    Case(
        tool="chatgpt_o3_search",
        asked={"query": "who won the race"},
        faults={"openai": Fault(401, _REFUSED)},
        expected=lambda _: {
            "code": -32001,
            "message": "Authentication Error",
            "data": {"details": "OpenAI does not accept our key. Check providers.openai.api_key: gossamer doctor."},
        },
    ),
)
