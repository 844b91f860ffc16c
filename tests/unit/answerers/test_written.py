"""A model that writes: whatever it does, no sentence comes out that what was read does not support."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from gossamer.answerers import check, chosen
from gossamer.answerers.model_api import read, request
from gossamer.answerers.written import WrittenAnswers, sentences_in
from gossamer.embedders.local import LocalEmbedder
from gossamer.errors import BadSettings, Denied, GossamerError, UnexpectedReply, Unreachable
from gossamer.model.answer import Draft
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Passage
from gossamer.ports import Call
from gossamer.settings.model import AnswerSettings
from gossamer.testing.state_contract import SetClock

TEXT = (
    "The old lighthouse was built in 1909 by Marta Olsen. It stands 24 metres above the sea. "
    "The keeper lived there until 3 March 1954."
)
PASSAGES = [
    Passage(url="https://a.test/", title="Lighthouse", section=(), start=0, end=len(TEXT), text=TEXT, score=1.0),
]
QUOTE = Draft(text="The old lighthouse was built in 1909 by Marta Olsen.", quotes=(("https://a.test/", "The old"),))
KEY = "sk-very-secret-key"
LEXICON = LocalEmbedder()


@dataclass
class Quoted:
    """What is quoted, as set up."""

    drafts: Sequence[Draft] = (QUOTE,)

    async def write(self, question: str, passages: Sequence[Passage], call: Call) -> Sequence[Draft]:
        return self.drafts


@dataclass
class Model:
    """A service that says one thing after the other."""

    says: Sequence[str | HttpReply | GossamerError]
    asked: list[HttpRequest] = field(default_factory=list[HttpRequest])

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.asked.append(request)
        said = self.says[min(len(self.asked), len(self.says)) - 1]
        if isinstance(said, GossamerError):
            raise said
        if isinstance(said, HttpReply):
            return said
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        body = {"choices": [{"message": {"content": said}}], "usage": usage}
        return HttpReply(status=200, url=request.url, body=json.dumps(body).encode())

    async def close(self) -> None:
        """Nothing to close."""


def told(*rows: tuple[str, Sequence[object]]) -> str:
    return json.dumps({"sentences": [{"text": text, "spans": spans} for text, spans in rows]})


def answers(model: Model, *, quoted: Quoted | None = None, unsupported: str = "drop") -> WrittenAnswers:
    settings = AnswerSettings.model_validate(
        {"model": "writer", "base_url": "https://model.test/v1", "api_key": KEY, "unsupported": unsupported}
    )
    made = chosen(settings, model, LEXICON, quoted or Quoted())
    assert isinstance(made, WrittenAnswers)
    return made


def call(seconds: float = 30.0) -> Call:
    clock = SetClock()
    return Call(clock=clock, deadline=clock.monotonic() + seconds)


GOOD = ("Marta Olsen built the old lighthouse in 1909.", [1])


async def test_a_supported_sentence_is_told_with_what_it_cites() -> None:
    model, asking = Model([told(GOOD, ("It stands 24 metres above the sea.", [2, 99]))]), call()
    drafts = await answers(model).write("Who built it?", PASSAGES, asking)
    assert [draft.text for draft in drafts] == [GOOD[0], "It stands 24 metres above the sea."]
    assert drafts[1].quotes == (("https://a.test/", "It stands 24 metres above the sea."),)
    assert len(model.asked) == 1
    assert model.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert b"temperature" not in (model.asked[0].body or b"")
    use = asking.log.model_use
    assert use is not None
    assert (use.service, use.requests, use.input_tokens, use.output_tokens) == ("writer at model.test", 1, 100, 20)


WRONG: dict[str, str] = {
    "an invented number": told(("The old lighthouse was built in 1910 by Marta Olsen.", [1])),
    "an invented name": told(("The old lighthouse was built in 1909 by Anna Berg.", [1])),
    "an invented span": told((GOOD[0], [99])),
    "a span that says something else": told((GOOD[0], [3])),
    "no span": told((GOOD[0], [])),
    "a span by a word": told((GOOD[0], ["one"])),
    "a truth for a number": told((GOOD[0], [True])),
    "an invented source": told(("The old lighthouse is described at https://evil.test/ by its owner.", [1])),
    "a negation": told(("The old lighthouse was not built in 1909 by Marta Olsen.", [1])),
    "something else": told(("Sourdough needs flour, salt and patience.", [1, 2, 3])),
    "broken JSON": '{"sentences": [{"text": "The old',
    "nothing": "",
    "no object": "[1, 2, 3]",
    "other JSON": '{"answer": "It was built in 1909."}',
    "rows that are none": '{"sentences": [1, {"spans": [1]}, {"text": 5, "spans": [1]}, {"text": " ", "spans": 3}]}',
    "deep JSON": '{"a":' * 20_000 + "}",
    "endless text": told(("word " * 50_000, [1])),
    "endless sentences": told(*[("The lighthouse was painted green in 1910.", [1])] * 500),
}


@pytest.mark.parametrize("said", WRONG.values(), ids=WRONG)
async def test_whatever_a_model_invents_the_quotes_are_told_in_its_place(said: str) -> None:
    model, asking = Model([said]), call()
    assert await answers(model).write("Who built it?", PASSAGES, asking) == (QUOTE,)
    assert len(model.asked) == 2, "one repair round"
    assert asking.log.notes


async def test_what_is_repaired_is_told() -> None:
    model = Model([WRONG["an invented number"], told(GOOD)])
    drafts = await answers(model).write("Who built it?", PASSAGES, call())
    assert [draft.text for draft in drafts] == [GOOD[0]]
    assert b"1910" in (model.asked[1].body or b"")


async def test_what_stays_unsupported_is_dropped_or_flagged() -> None:
    wrong = ("The keeper lived there until 4 March 1954.", [3])
    for setting, texts in {
        "drop": [GOOD[0]],
        "flag": [GOOD[0], f"{wrong[0]} (not supported by the cited text: 4 March 1954; 4)"],
    }.items():
        drafts = await answers(Model([told(GOOD, wrong)]), unsupported=setting).write("Who?", PASSAGES, call())
        assert [draft.text[:60] for draft in drafts] == [text[:60] for text in texts]


async def test_a_repair_that_fails_leaves_what_was_supported_before() -> None:
    model = Model([told(GOOD, ("It was green.", [1])), Unreachable("No.", hint="Later.")])
    asking = call()
    drafts = await answers(model).write("Who?", PASSAGES, asking)
    assert [draft.text for draft in drafts] == [GOOD[0]]
    assert any("not written again" in note for note in asking.log.notes)
    alone = Model([told(("It was green.", [1])), Unreachable("No.", hint="Later.")])
    assert await answers(alone).write("Who?", PASSAGES, call()) == (QUOTE,)


async def test_without_evidence_no_model_is_asked() -> None:
    model = Model([told(GOOD)])
    assert await answers(model, quoted=Quoted(drafts=())).write("Who?", [], call()) == ()
    assert model.asked == []


FAILURES: dict[str, HttpReply | GossamerError] = {
    "cannot be reached": Unreachable(f"No route for {KEY}.", hint=f"Check {KEY}."),
    "turns us away": HttpReply(status=401, url="", body=f'{{"error": "{KEY}"}}'.encode()),
    "is broken": HttpReply(status=500, url=""),
    "is no JSON": HttpReply(status=200, url="", body=b"<html>"),
    "has another shape": HttpReply(status=200, url="", body=b'{"choices": [{"message": 5}], "usage": 7}'),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
async def test_a_service_that_fails_leaves_the_quotes_and_a_note_without_its_key(
    failure: HttpReply | GossamerError,
) -> None:
    asking = call()
    assert await answers(Model([failure])).write("Who?", PASSAGES, asking) == (QUOTE,)
    assert asking.log.notes
    assert KEY not in " ".join(asking.log.notes)


async def test_a_service_that_never_answers_leaves_the_quotes_in_time() -> None:
    class Stuck(Model):
        async def send(self, request: HttpRequest, call: Call) -> HttpReply:
            await asyncio.Event().wait()
            raise AssertionError

    async with asyncio.timeout(20):
        asking = call(0.2)
        assert await answers(Stuck([])).write("Who?", PASSAGES, asking) == (QUOTE,)
    assert "in time" in " ".join(asking.log.notes)


def test_no_model_no_asking_and_a_service_without_one_is_a_bad_setting() -> None:
    quoted = Quoted()
    assert chosen(AnswerSettings(), Model([]), LEXICON, quoted) is quoted
    check(AnswerSettings(model="writer", base_url="https://model.test"))
    with pytest.raises(BadSettings, match="which model"):
        check(AnswerSettings(base_url="https://model.test"))


ENDPOINTS = {
    "": "https://api.openai.com/v1/chat/completions",
    "http://a.test/v1/": "http://a.test/v1/chat/completions",
    "http://a.test/v1/chat/completions": "http://a.test/v1/chat/completions",
    "http://a.test/v1/responses": "http://a.test/v1/responses",
}


@pytest.mark.parametrize(("base_url", "url"), ENDPOINTS.items())
def test_both_endpoints_are_asked_in_their_own_form(base_url: str, url: str) -> None:
    asked = request(base_url, "", "writer", [("system", "Write."), ("user", "Who?")])
    body = json.loads(asked.body or b"")
    assert asked.url == url
    assert "authorization" not in asked.headers
    assert body["input" if url.endswith("responses") else "messages"][1] == {"role": "user", "content": "Who?"}


REPLIES: dict[str, tuple[dict[str, object], str, int]] = {
    "chat": ({"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": 3}}, "Yes.", 3),
    "chat in parts": ({"choices": [{"message": {"content": [{"text": "Y"}, {"text": 5}, 7]}}]}, "Y", 0),
    "responses": (
        {"output": [{"type": "reasoning"}, {"content": [{"text": "Yes."}]}], "usage": {"input_tokens": 4}},
        "Yes.",
        4,
    ),
    "nothing": ({}, "", 0),
}


@pytest.mark.parametrize(("body", "text", "tokens"), REPLIES.values(), ids=REPLIES)
def test_a_reply_of_either_endpoint_is_read(body: dict[str, object], text: str, tokens: int) -> None:
    written = read(HttpReply(status=200, url="", body=json.dumps(body).encode()))
    assert (written.text, written.input_tokens, written.output_tokens) == (text, tokens, 0)


REFUSED: dict[str, tuple[HttpReply, type[GossamerError]]] = {
    "a refusal": (HttpReply(status=403, url=""), Denied),
    "no JSON": (HttpReply(status=200, url="", body=b"{"), UnexpectedReply),
}


@pytest.mark.parametrize(("reply", "kind"), REFUSED.values(), ids=REFUSED)
def test_a_reply_that_cannot_be_read_is_an_error(reply: HttpReply, kind: type[GossamerError]) -> None:
    with pytest.raises(kind, match="answer"):
        read(reply)


PARSE: dict[str, Callable[[], bool]] = {
    "fenced": lambda: sentences_in(f"```json\n{told(('Yes.', [1]))}\n```", 1) == [("Yes.", (0,))],
    "twice": lambda: sentences_in(told(("Yes.", [1, 1, 2])), 2) == [("Yes.", (0, 1))],
}


@pytest.mark.parametrize("holds", PARSE.values(), ids=PARSE)
def test_sentences_are_read_from_what_surrounds_them(holds: Callable[[], bool]) -> None:
    assert holds()
