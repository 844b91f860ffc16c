"""robots.txt by RFC 9309: which rules bind us, and which of them forbids a page."""

import base64
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.net.guard import read_url
from gossamer.net.robots import MAX_BYTES, forbidding_rule, our_rules

CORPUS = Path(__file__).parents[3] / "../shared/security/robots.jsonl"
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
        started = time.perf_counter()
        rule = forbidding_rule(our_rules(body, token=record["agent"]), read_url(record["url"]).url)
        took_ms = (time.perf_counter() - started) * 1000
        if (rule is None) != (record["expect"] == "allow") or took_ms > record.get("max_ms", 1000) * 3:
            wrong.append(record["id"])
    assert wrong == []
