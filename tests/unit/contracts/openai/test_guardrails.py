"""Which queries `search_web` sends elsewhere: ordinary ones never, those for other servers always."""

from importlib import resources
from pathlib import Path

import pytest

from gossamer.contracts.openai.guardrails import Rejection, rejection
from gossamer.errors import BadSettings
from tests.patience import in_proportion

CASES = Path(__file__).parents[3] / "cases" / "guardrails"
ORDINARY = (CASES / "ordinary.txt").read_text("utf-8").splitlines()
MATCHING = [line.split("\t") for line in (CASES / "matching.tsv").read_text("utf-8").splitlines()]
SERVERS = {"prediction_markets": "polymarket", "rss_feeds": "google-news-rss"}
MESSAGES = {
    "prediction_markets": "Use polymarket MCP server for market-related queries",
    "rss_feeds": "Use google-news-rss MCP server for RSS feed queries",
}


def test_the_tables_are_as_long_as_promised_and_hold_no_query_twice() -> None:
    assert len(ORDINARY) == len(set(ORDINARY)) >= 800
    assert len(MATCHING) == len({query for _, query in MATCHING}) >= 400
    assert {rule for rule, _ in MATCHING} == set(SERVERS)


@pytest.mark.promise("000.43", "000.44", "000.168")
def test_an_ordinary_query_is_let_through() -> None:
    assert [query for query in ORDINARY if rejection(query, "ours")] == []


def named_by(refusal: Rejection) -> tuple[str, str, str]:
    return refusal.rule, refusal.server, refusal.message


@pytest.mark.promise("000.43", "000.44", "000.102", "000.103", "000.157")
@pytest.mark.parametrize("rule", SERVERS)
def test_a_query_for_another_server_is_refused_and_names_it(rule: str) -> None:
    refusals = {query: rejection(query, "ours") for its_rule, query in MATCHING if its_rule == rule}
    assert [query for query, refusal in refusals.items() if not (refusal and refusal.matched)] == []
    expected = (rule, SERVERS[rule], MESSAGES[rule])
    assert {query: refusal for query, refusal in refusals.items() if refusal and named_by(refusal) != expected} == {}


SEEN = {
    "case and signs": ("WHAT ARE THE POLYMARKET-ODDS?!", ("polymarket", "odds")),
    "a possessive": ("Polymarket's odds", ("polymarket", "odds")),
    "wide letters": ("\uff30\uff4f\uff4c\uff59\uff4d\uff41\uff52\uff4b\uff45\uff54 odds", ("polymarket", "odds")),
    "the same word twice": ("polymarket polymarket odds odds", ("polymarket", "odds")),
    "phrases before hints": ("latest google news feed url", ("google news feed", "latest", "url")),
}


@pytest.mark.promise("000.81", "000.83")
@pytest.mark.parametrize(("query", "matched"), SEEN.values(), ids=SEEN)
def test_the_words_that_were_seen_are_named(query: str, matched: tuple[str, ...]) -> None:
    told = rejection(query, "ours")
    assert told
    assert told.matched == matched


WORDS_OF = {
    "prediction_markets": (
        "market",
        "polymarket",
        "prediction",
        "event",
        "liquidity",
        "volume",
        "position",
        "bet",
        "odds",
    ),
    "rss_feeds": ("rss", "feed", "google news", "news feed", "subscribe"),
}
"""The lists as the specification writes them."""
LITERAL = {
    "a word in a word": ("alphabet", "prediction_markets", ("bet",)),
    "several": ("market events", "prediction_markets", ("market", "event")),
    "the second list": ("how to subscribe", "rss_feeds", ("subscribe",)),
    "neither": ("ferries to the island", None, ()),
}


@pytest.mark.promise("000.77", "000.78", "000.79")
@pytest.mark.parametrize(("query", "rule", "matched"), LITERAL.values(), ids=LITERAL)
def test_the_literal_lists_are_one_setting_away(query: str, rule: str | None, matched: tuple[str, ...]) -> None:
    told = rejection(query, "literal")
    expected = Rejection(rule=rule, server=SERVERS[rule], message=MESSAGES[rule], matched=matched) if rule else None
    assert told == expected


@pytest.mark.promise("000.77", "000.78", "000.79", "000.142")
@pytest.mark.parametrize(("rule", "word"), [(rule, word) for rule, words in WORDS_OF.items() for word in words])
def test_every_word_of_the_literal_lists_refuses_in_any_case(rule: str, word: str) -> None:
    for query in (f"about {word} now", f"about {word.upper()} now"):
        told = rejection(query, "literal")
        assert told
        assert told.rule == rule
        assert word in told.matched


def test_switched_off_nothing_is_refused() -> None:
    assert not any(rejection(query, "off") for _, query in MATCHING)


def test_hints_alone_never_refuse() -> None:
    assert rejection("odds bet position volume liquidity trader price market", "ours") is None


OWN = """
threshold = 5
ask_weight = 2
about_weight = 4
hint_weight = 1
most_hints = 1
left_out = ["the"]

[[rules]]
name = "weather"
server = "sky"
message = "Ask the sky."
literal = ["rain"]
hints = ["wind", "snow"]
asks = ["* tomorrow"]
about = ["what is *"]
subjects = { 4 = ["rain"], 0 = ["purple rain"] }
"""
BY_OWN = {
    "the subject and a hint": ("rain and wind", ("rain", "wind")),
    "no more hints than said": ("what is the rain tomorrow, with wind and snow", None),
    "the subject and what asks for it": ("Rain tomorrow", ("rain",)),
    "too little": ("rain", None),
    "another thing of the name": ("purple rain tomorrow", None),
    "what our rules are for": ("polymarket odds", None),
}


@pytest.mark.parametrize(("query", "matched"), BY_OWN.values(), ids=BY_OWN)
def test_the_operator_s_rules_replace_ours(tmp_path: Path, query: str, matched: tuple[str, ...] | None) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(OWN, "utf-8")
    told = rejection(query, "ours", file)
    assert (told and told.matched) == matched
    assert rejection("a sunny day", "literal", file) is None
    assert rejection("a train ride", "literal", file)


def test_our_own_file_is_a_file_of_the_operator_s_form(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        resources.files("gossamer.contracts.openai").joinpath("guardrails.toml").read_text("utf-8"), "utf-8-sig"
    )
    assert all(rejection(query, "ours", file) == rejection(query, "ours") for _, query in MATCHING)


BAD = {
    "no TOML": (b"threshold =", "is not valid TOML"),
    "no text": (b"\xff\xfe", "is not valid TOML"),
    "too long": (b"#" * 300_000, "larger than 262144 bytes"),
    "no rules": (b"threshold = 1", "is no file of rules: ask_weight: Field required"),
    "an unknown name": (OWN.encode() + b"colour = 1", "colour: Extra inputs are not permitted"),
    "a weight below nothing": (OWN.replace("hint_weight = 1", "hint_weight = -1").encode(), "hint_weight"),
}


@pytest.mark.parametrize(("content", "why"), BAD.values(), ids=BAD)
def test_a_file_that_holds_no_rules_says_what_is_wrong(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(content)
    with pytest.raises(BadSettings, match=r"openai\.guardrails_file.*Correct the file") as raised:
        rejection("anything", "ours", file)
    assert why in str(raised.value)


def test_a_file_that_is_not_there_says_so_unless_no_rules_are_wanted(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be read: No such file"):
        rejection("anything", "literal", tmp_path / "gone.toml")
    assert rejection("polymarket odds", "off", tmp_path / "gone.toml") is None


@pytest.mark.large
def test_any_query_is_read_at_once() -> None:
    with in_proportion():
        rejection("rss market " * 36, "ours")
        rejection("a" * 400, "ours")
