"""robots.txt by RFC 9309: which rules bind us, and which of them forbids a page."""

import base64
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.net.guard import read_url
from gossamer.net.robots.rules import MAX_BYTES, TOO_COSTLY, forbidding_rule, our_rules

CORPUS = Path(__file__).parents[4] / "../shared/security/robots.jsonl"
SLACK = 10
"""For slow machines and traced runs; what looks for a place in every place takes far longer."""
TRANSPORT = ("status", "fetch", "redirects", "age_h", "robots_of")

FORBIDDEN = {
    "the general group": ("User-agent: *\nDisallow: /x", "/x/y", "Disallow: /x"),
    "our group, in any case": ("user-agent: gOSSamer\ndisallow: /x", "/x", "Disallow: /x"),
    "a version after our name": ("User-agent: Gossamer/1.2\nDisallow: /", "/", "Disallow: /"),
    "words after our name": ("User-agent: Gossamer News\nDisallow: /", "/", "Disallow: /"),
    "the longest rule": ("User-agent: *\nAllow: /a\nDisallow: /a/b\nDisallow: /", "/a/b/c", "Disallow: /a/b"),
    "a byte order mark": ("\ufeffUser-agent: *\nDisallow: /x", "/x", "Disallow: /x"),
    "a tab behind the star": ("User-agent: *\tall\nDisallow: /x", "/x", "Disallow: /x"),
    "a path in its own letters": ("User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", "Disallow: /caf%C3%A9"),
    "a letter that ends like a blank": ("User-agent: *\nDisallow: /voil\u00e0", "/voil%C3%A0", "Disallow: /voil%C3%A0"),
    "carriage returns": ("User-agent: *\rDisallow: /x\r", "/x", "Disallow: /x"),
    "Crawl-delay ends no group": (
        "User-agent: Gossamer\nCrawl-delay: 5\nUser-agent: Other\nDisallow: /m",
        "/m",
        "Disallow: /m",
    ),
    "a blank line ends no group": ("User-agent: Gossamer\n\n\nDisallow: /m", "/m", "Disallow: /m"),
    "groups of one name add up": (
        "User-agent: Gossamer\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: gossamer\nDisallow: /b",
        "/b",
        "Disallow: /b",
    ),
    "a wildcard": ("User-agent: *\nDisallow: /*.php$", "/a/b.php", "Disallow: /*.php$"),
    "a comment": ("User-agent: * # all\nDisallow: /x # this", "/x", "Disallow: /x"),
    "a common misspelling": ("User-agent: *\nDisalow: /x", "/x", "Disallow: /x"),
    "a blank instead of a colon": ("User-agent *\nDisallow /x", "/x", "Disallow: /x"),
    "an escaped path": ("User-agent: *\nDisallow: /caf%C3%A9", "/café", "Disallow: /caf%C3%A9"),
    "dots that lead there": ("User-agent: *\nDisallow: /x", "/a/../x", "Disallow: /x"),
    "the query": ("User-agent: *\nDisallow: /*?s=", "/list?s=1", "Disallow: /*?s="),
    "the query of the front page": ("User-agent: *\nDisallow: /?s=", "?s=1", "Disallow: /?s="),
    "a dollar sign that was meant": ("User-agent: *\nDisallow: /price$", "/price$5", "Disallow: /price$"),
    "the end after a wildcard": ("User-agent: *\nDisallow: /a*b$", "/a-b-b", "Disallow: /a*b$"),
    "stars in a row": ("User-agent: *\nDisallow: /a***b**", "/a-b-c", "Disallow: /a***b**"),
    "a longer wildcard than the open folder": (
        "User-agent: *\nAllow: /docs/\nDisallow: /docs/*/old",
        "/docs/a/old",
        "Disallow: /docs/*/old",
    ),
    "a longer folder than the open wildcard": (
        "User-agent: *\nAllow: /*a\nDisallow: /docs/a",
        "/docs/a",
        "Disallow: /docs/a",
    ),
    "an escape that is not needed": ("User-agent: *\nDisallow: /%7Eann", "/~ann", "Disallow: /%7Eann"),
}
ALLOWED = {
    "no file": ("", "/x"),
    "another robot's group": ("User-agent: Other\nDisallow: /", "/x"),
    "a shorter name is another robot": ("User-agent: Goss\nDisallow: /", "/x"),
    "our own empty group": ("User-agent: *\nDisallow: /\nUser-agent: Gossamer\nDisallow:", "/x"),
    "Allow wins a tie": ("User-agent: *\nDisallow: /same\nAllow: /same", "/same"),
    "rules before any group": ("Disallow: /\nUser-agent: Gossamer\nDisallow: /y", "/x"),
    "a page of HTML": ("<!DOCTYPE html><html><body>Not here</body></html>", "/x"),
    "noise": ("\0\1\2User-agent\0: *\nDisallow: /z\0", "/z"),
    "case of paths": ("User-agent: *\nDisallow: /Private", "/private"),
    "pieces in another order": ("User-agent: *\nDisallow: /*b*a", "/a-b"),
    "pieces that would overlap": ("User-agent: *\nDisallow: /*aba*ba$", "/aba"),
    "Allow wins a tie of wildcards": ("User-agent: *\nDisallow: /*x\nAllow: /*x\nDisallow: /*x", "/x"),
    "the page of a folder that is open": ("User-agent: *\nDisallow: /\nAllow: /d/index.html", "/d/"),
    "the end of the address wins by its sign": ("User-agent: *\nDisallow: /d\nAllow: /d$", "/d"),
    "robots.txt itself": ("User-agent: *\nDisallow: /", "/robots.txt"),
}


@pytest.mark.parametrize(("text", "path", "rule"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_forbidden_page_is_refused_by_name_of_the_rule(text: str, path: str, rule: str) -> None:
    url = read_url(f"https://site.example{path}").url
    assert forbidding_rule(our_rules(text.encode()), url) == rule


@pytest.mark.parametrize(("text", "path"), ALLOWED.values(), ids=ALLOWED)
def test_everything_else_may_be_fetched(text: str, path: str) -> None:
    assert forbidding_rule(our_rules(text.encode()), f"https://site.example{path}") is None


def test_only_our_rules_are_kept() -> None:
    text = b"User-agent: a\nDisallow: /a\nSitemap: /s\nUser-agent: Gossamer\nAllow: /g\nDisallow:\nDisallow: /\n"
    assert our_rules(text) == "Allow: /g\nDisallow: /"


def test_a_huge_file_is_cut_and_its_early_rules_hold() -> None:
    text = b"User-agent: *\nDisallow: /early\n" + b"# padding\n" * 100_000 + b"Disallow: /late\n"
    assert len(text) > MAX_BYTES
    assert our_rules(text) == "Disallow: /early"


BYTES = {
    "the beginning of a byte order mark": (b"\xef\xbbUser-agent: *\nDisallow: /x", "/x", True),
    "a broken byte order mark": (b"\xef\x11\xbfUser-agent: *\nDisallow: /x", "/x", False),
    "a byte order mark within": ("User-agent: *\n\ufeffDisallow: /x".encode(), "/x", False),
    "an old encoding": (b"User-agent: *\nDisallow: /caf\xe9", "/caf%E9/x", True),
    "an old encoding and a new address": (b"User-agent: *\nDisallow: /caf\xe9", "/caf%C3%A9", False),
}


@pytest.mark.parametrize(("body", "path", "is_forbidden"), BYTES.values(), ids=BYTES)
def test_files_are_read_by_their_bytes(body: bytes, path: str, is_forbidden: bool) -> None:
    assert (forbidding_rule(our_rules(body), f"https://site.example{path}") is not None) is is_forbidden


def test_a_line_that_was_cut_in_the_middle_is_no_rule() -> None:
    assert our_rules(b"User-agent: *\nDisallow: /a\nDisallow: /", is_cut=True) == "Disallow: /a"


def test_many_rules_are_matched_and_the_right_one_is_named() -> None:
    rules = our_rules(b"User-agent: *\n" + b"".join(b"Disallow: /p%d\n" % number for number in range(10_000)))
    assert forbidding_rule(rules, "https://site.example/p777") == "Disallow: /p777"
    assert forbidding_rule(rules, "https://site.example/q") is None


def test_a_rule_said_twice_is_kept_once() -> None:
    assert our_rules(b"User-agent: *\n" + b"Disallow: /a\nAllow: /b\n" * 1000) == "Disallow: /a\nAllow: /b"


def test_wildcards_that_would_take_too_long_to_try_forbid_the_page() -> None:
    rules = "\n".join(f"Allow: /*{'a' * 40}b{'a' * 40}{number}" for number in range(1000))
    assert forbidding_rule(rules, f"https://site.example/{'a' * 7900}") == TOO_COSTLY
    assert forbidding_rule(rules, "https://site.example/short") is None


def test_wildcards_that_cannot_decide_any_more_cost_nothing() -> None:
    shut = f"Disallow: /{'a' * 200}"
    rules = "\n".join([shut, *(f"Allow: /*{'a' * 40}{number}" for number in range(1000))])
    assert forbidding_rule(rules, f"https://site.example/{'a' * 7900}") == shut
    rules = "\n".join(f"Allow: /b*{'a' * 80}{number}" for number in range(1000))
    assert forbidding_rule(rules, f"https://site.example/{'a' * 7900}") is None


PATTERNS = st.text(alphabet="ab*/", max_size=8).map("/".__add__)


@given(PATTERNS, st.booleans(), st.text(alphabet="ab/", max_size=12).map("/".__add__))
def test_wildcards_fit_as_the_same_regular_expression(pattern: str, is_anchored: bool, path: str) -> None:
    wanted = re.compile(pattern.replace("*", ".*") + (r"\Z" if is_anchored else "")).match(path)
    rule = f"Disallow: {pattern}{'$' if is_anchored else ''}"
    assert forbidding_rule(rule, f"https://site.example{path}") == (rule if wanted else None)


@given(st.binary(max_size=400))
def test_no_bytes_break_the_reading(body: bytes) -> None:
    forbidding_rule(our_rules(body), "https://site.example/a?b")


@pytest.mark.skipif(not CORPUS.exists(), reason="the robots corpus is not on this machine")
def test_the_corpus_of_decisions_is_met() -> None:
    wrong: list[str] = []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if any(key in record for key in TRANSPORT):
            continue
        if "robots_b64" in record:
            body = base64.b64decode(record["robots_b64"])
        else:
            parts = record.get("robots_parts", [[record.get("robots", ""), 1]])
            body = "".join(text * times for text, times in parts).encode()
        started = time.process_time()
        rule = forbidding_rule(our_rules(body, token=record["agent"]), read_url(record["url"]).url)
        took_ms = (time.process_time() - started) * 1000
        if (rule is None) != (record["expect"] == "allow") or took_ms > record.get("max_ms", 1000) * SLACK:
            wrong.append(record["id"])
    assert wrong == []
