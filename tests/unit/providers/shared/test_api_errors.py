from pydantic import BaseModel

from gossamer.errors import Outcome
from gossamer.model.http import HttpReply
from gossamer.providers.brave import Brave
from gossamer.providers.shared.api_errors import bad_key, bad_query, error_body, used_up

BRAVE = Brave.model_validate({"api_key": "a-token"})


class Told(BaseModel):
    error: str


def test_an_error_object_is_read_where_there_is_one() -> None:
    said = error_body(HttpReply(status=400, url="", body=b'{"error": "No."}'), Told)
    assert said == Told(error="No.")
    for body in (b"", b"<h1>Bad Request</h1>", b'{"error": 7}', b"[]"):
        assert error_body(HttpReply(status=400, url="", body=body), Told) is None


def test_each_complaint_says_what_to_do_and_never_the_key() -> None:
    for error, outcome in ((bad_key(BRAVE), Outcome.DENIED), (used_up(BRAVE), Outcome.QUOTA)):
        assert error.outcome == outcome
        assert error.hint
        assert "a-token" not in str(error)
    assert "providers.brave.api_key" in bad_key(BRAVE).hint


def test_foreign_words_stand_apart_and_are_bounded() -> None:
    told = bad_query(BRAVE, " count: too high. ")
    assert str(told) == str(bad_query(BRAVE)) == "Brave Search did not accept the query. Rephrase it or drop a filter."
    assert told.quote == "count: too high."
    assert len(bad_query(BRAVE, "x" * 5000).quote) == 1000
