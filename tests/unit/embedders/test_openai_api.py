import base64
import json
import struct
from typing import Any

import pytest

from gossamer.embedders import openai_api
from gossamer.embedders.openai_api import OtherEncoding, OutOfBounds
from gossamer.errors import (
    BrokenReply,
    Denied,
    InvalidArgument,
    NotFound,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    Unreachable,
)
from gossamer.model.http import HttpReply

ENDPOINTS = {
    "the host alone": ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/embeddings"),
    "with a slash": ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1/embeddings"),
    "with its version": ("https://api.openai.com/v1", "https://api.openai.com/v1/embeddings"),
    "with version and slash": ("https://api.openai.com/v1/", "https://api.openai.com/v1/embeddings"),
    "another version": ("https://host.example/api/v3", "https://host.example/api/v3/embeddings"),
    "below a path": ("https://host.example/openai", "https://host.example/openai/v1/embeddings"),
    "the whole address": ("https://host.example/v1/embeddings", "https://host.example/v1/embeddings"),
    "a host that ends like a version": ("https://host.example/dev1", "https://host.example/dev1/v1/embeddings"),
}


@pytest.mark.parametrize(("url", "expected"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_the_address_is_completed(url: str, expected: str):
    assert openai_api.endpoint(url) == expected


@pytest.mark.promise("001.74")
def test_a_request_carries_texts_model_and_key():
    request = openai_api.request("http://a.test", "sk-secret", "small", ["a ferry", "\udcff"], "base64")
    assert request.method == "POST"
    assert request.headers["authorization"] == "Bearer sk-secret"
    assert json.loads(request.body or b"") == {
        "model": "small",
        "input": ["a ferry", "?"],
        "encoding_format": "base64",
    }
    assert "sk-secret" not in request.url
    assert "authorization" not in openai_api.request("http://a.test", "", "small", ["x"], "float").headers


def refusal(status: int, body: Any = None, **headers: str) -> HttpReply:
    said = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpReply(status=status, url="http://a.test/v1/embeddings", body=said, headers=named)


REFUSALS = {
    "OpenAI, no key": (refusal(401, {"error": {"message": "Incorrect API key provided: sk-12***89"}}), Denied),
    "TEI, no key, no body": (refusal(401, b""), Denied),
    "Ollama, no such model": (
        refusal(404, {"error": {"message": "model 'x' not found, try pulling it", "type": "not_found_error"}}),
        NotFound,
    ),
    "llama.cpp without --embeddings": (
        refusal(501, {"error": {"code": 501, "message": "not supported", "type": "not_supported_error"}}),
        InvalidArgument,
    ),
    "llama.cpp, too large a batch": (
        refusal(500, {"error": {"code": 500, "message": "input is too large to process", "type": "server_error"}}),
        OutOfBounds,
    ),
    "llama.cpp, context": (
        refusal(400, {"error": {"code": 400, "message": "exceeds context", "type": "exceed_context_size_error"}}),
        OutOfBounds,
    ),
    "TEI, too many texts": (
        refusal(422, {"message": "batch size 33 > maximum allowed batch size 32", "code": 422, "type": "Validation"}),
        OutOfBounds,
    ),
    "TEI, body too large": (refusal(413, b"length limit exceeded"), OutOfBounds),
    "TEI, overloaded": (
        refusal(429, {"message": "Model is overloaded", "code": 429, "type": "Overloaded"}),
        RateLimited,
    ),
    "TEI, backend": (refusal(424, {"message": "inference failed", "code": 424, "type": "Backend"}), Unreachable),
    "vLLM, too long": (refusal(400, {"error": {"message": "maximum context length is 512", "code": 400}}), OutOfBounds),
    "OpenAI, too many tokens at once": (
        refusal(400, {"error": {"message": "Requested 310000 tokens, max 300000 tokens per request"}}),
        OutOfBounds,
    ),
    "TEI, too long": (
        refusal(422, {"message": "`inputs` must have less than 512 tokens. Given: 600", "type": "Validation"}),
        OutOfBounds,
    ),
    "llama.cpp, one text above its batch": (
        refusal(500, {"error": {"message": "input (600 tokens) is too large; increase the physical batch size"}}),
        OutOfBounds,
    ),
    "Ollama, too long": (refusal(500, {"error": "the input length exceeds the context length"}), OutOfBounds),
    "late on its side": (refusal(500, {"error": {"message": "context deadline exceeded"}}), Unreachable),
    "out of memory": (refusal(500, {"error": {"message": "CUDA error: batch failed, maximum memory"}}), Unreachable),
    "behind a full gateway": (refusal(503, {"error": {"message": "too many connections"}}), Unreachable),
    "a bad key in the body": (refusal(400, {"error": "invalid tokens in context"}), InvalidArgument),
    "no base64": (refusal(400, {"error": {"message": "encoding_format must be float"}}), OtherEncoding),
    "an unknown field": (refusal(400, {"error": "unknown field"}), InvalidArgument),
    "a gateway": (refusal(502, b"<html>Bad gateway</html>"), Unreachable),
    "starting": (refusal(503, {"error": {"message": "Loading model", "code": 503}}), Unreachable),
    "late": (refusal(504, b""), TimedOut),
    "moved": (refusal(308, b"", location="https://b.test/"), BrokenReply),
    "nested without end": (refusal(500, b"[" * 100_000), Unreachable),
}


@pytest.mark.parametrize(("reply", "kind"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_is_told_as_what_it_is(reply: HttpReply, kind: type[Exception]):
    with pytest.raises(kind) as caught:
        openai_api.judge(reply, "")
    assert type(caught.value) is kind
    assert caught.value.hint  # type: ignore[attr-defined]


def test_what_the_server_says_is_passed_on_without_keys_marks_or_length():
    said = "failed for my-very-own-key and sk-12***89 \x1b[31mred\x1b[0m " + "x" * 1000
    with pytest.raises(Unreachable) as caught:
        openai_api.judge(refusal(500, {"error": {"message": said}}), "my-very-own-key")
    text = caught.value.quote
    assert "failed" not in caught.value.hint
    assert str(caught.value).startswith("The embedding server failed on its side (500).")
    assert "failed for *** and ***" in text
    assert "my-very-own-key" not in text
    assert "sk-12" not in text
    assert "\x1b" not in text
    assert len(text) < 350


def test_a_good_reply_is_not_judged():
    openai_api.judge(refusal(200, {}), "")


def reply_of(*items: dict[str, Any]) -> HttpReply:
    return refusal(200, {"object": "list", "data": list(items), "model": "m", "usage": {}})


def numbers(data: bytes) -> list[float]:
    return [round(value, 3) for value in struct.unpack(f"<{len(data) // 2}e", data)]


def packed(*values: float) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


READ = {
    "numbers": [{"index": 0, "embedding": [3.0, 4.0]}, {"index": 1, "embedding": [0, 2]}],
    "base64": [{"index": 0, "embedding": packed(3, 4)}, {"index": 1, "embedding": packed(0, 2)}],
    "both": [{"index": 0, "embedding": packed(3, 4)}, {"index": 1, "embedding": [0.0, 0.5]}],
    "in another order": [{"index": 1, "embedding": [0.0, 9.0]}, {"index": 0, "embedding": [3.0, 4.0]}],
    "not numbered": [{"embedding": [3.0, 4.0]}, {"embedding": [0.0, 2.0]}],
    "with more to say": [
        {"index": 0, "embedding": packed(3, 4), "encoding_format": "base64"},
        {"index": 1, "embedding": packed(0, 1), "object": "embedding"},
    ],
    "huge numbers": [{"index": 0, "embedding": [3e30, 4e30]}, {"index": 1, "embedding": [0.0, 1e-30]}],
}


@pytest.mark.promise("001.103")
@pytest.mark.parametrize("items", READ.values(), ids=READ)
def test_vectors_come_in_order_and_of_unit_length(items: list[dict[str, Any]]):
    vectors = openai_api.read(reply_of(*items), "small", 2)
    assert (vectors.model, vectors.dimension) == ("small", 2)
    assert numbers(vectors.data) == [0.6, 0.8, 0.0, 1.0]


LIES = {
    "one vector for two texts": [{"index": 0, "embedding": [1.0]}],
    "three vectors for two texts": [{"index": n, "embedding": [1.0]} for n in range(3)],
    "an index twice": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
    "an index too many": [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}],
    "a negative index": [{"index": 0, "embedding": [1.0]}, {"index": -1, "embedding": [1.0]}],
    "an index missing": [{"index": 0, "embedding": [1.0]}, {"embedding": [1.0]}],
    "vectors of two lengths": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
    "empty vectors": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
    "a vector without end": [{"index": n, "embedding": [1.0] * 16_385} for n in range(2)],
    "not a number": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
    "infinity": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("inf")]}],
    "not a number in base64": [{"index": 0, "embedding": packed(1)}, {"index": 1, "embedding": packed(float("nan"))}],
    "zeros": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [0.0]}],
    "words": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["1"]}],
    "truth": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [True]}],
    "half a number in base64": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}],
    "no base64": [{"index": 0, "embedding": "?"}, {"index": 1, "embedding": "?"}],
    "no vector": [{"index": 0}, {"index": 1}],
}


@pytest.mark.parametrize("items", LIES.values(), ids=LIES)
def test_a_doubtful_reply_is_refused_as_a_whole(items: list[dict[str, Any]]):
    with pytest.raises(UnexpectedReply, match="embedding server"):
        openai_api.read(reply_of(*items), "small", 2)


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"<html>", b'{"data": {}}', b'{"data": [1, 2]}'])
def test_a_body_of_another_shape_is_refused(body: bytes):
    with pytest.raises(UnexpectedReply):
        openai_api.read(refusal(200, body), "small", 2)
