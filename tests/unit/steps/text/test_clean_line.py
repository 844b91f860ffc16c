import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.text.clean_line import plain, plain_address

LINES = {
    "text stays": ("asyncio is a library", "asyncio is a library"),
    "a marked match": ('<span class="searchmatch">Tokio</span> is a library', "Tokio is a library"),
    "a mark inside a word": ("Tok<b>io</b>", "Tokio"),
    "a line break is a space": ("one<br/>two<p>three", "one two three"),
    "upper case tags": ("<STRONG>loud</STRONG>", "loud"),
    "entities": ("Rust &quot;language&quot; &amp; friends&nbsp;&#8212; R&D", 'Rust "language" & friends — R&D'),
    "escaped twice": ("&amp;lt;strong&amp;gt;bold&amp;lt;/strong&amp;gt;", "bold"),
    "white space folded": ("  a\n\t b\u2028c\u00a0d ", "a b c d"),
    "scripts and styles with their text": ("a<script>alert(1)</script>b<style>p{}</style>c", "a b c"),
    "a script that never ends": ("a<script>alert(1)", "a"),
    "comments": ("a<!-- hidden -->b<!-- open", "a b"),
    "declarations": ("<!DOCTYPE html><?xml version='1.0'?>a", "a"),
    "a tag that was cut off": ('read <a href="https://exam', "read"),
    "a tag cut off by another": ("read <a <b>this</b>", "read this"),
    "generics are text": ("Vec<T>, Map<String, Int> and vector<int>", "Vec<T>, Map<String, Int> and vector<int>"),
    "placeholders are text": ("git clone <url>", "git clone <url>"),
    "a name that only begins like a tag": ("use <b.c> or <preview>", "use <b.c> or <preview>"),
    "comparisons are text": ("a < b, c <= d and e > f, i<3, x<yes", "a < b, c <= d and e > f, i<3, x<yes"),
    "an unknown tag with attributes": ('<mention id="7">you</mention>', "you"),
    "an unknown tag that closes itself": ("a<widget/>b", "ab"),
    "a custom element": ("<untrusted-web-content>x</untrusted-web-content>", "x"),
    "an unknown end tag cut off is text": ("a</widget", "a</widget"),
    "control characters": ("a\x00b\x07c\x9fd", "abcd"),
    "terminal colours": ("\x1b[31mred\x1b[0m", "red"),
    "zero-width characters": ("pass\u200bword\ufeff \u2060x\u00ad", "password x"),
    "tag characters and variation selectors": ("hi\U000e0041\U000e0042\U000e0100!", "hi!"),
    "bidirectional overrides": ("\u202eevil\u202c", "evil"),
    "private and blank characters": ("a\ue000b\u3164c", "abc"),
    "lone surrogates": ("a\ud800b", "ab"),
    "a joiner inside a Persian word stays": ("می\u200cخواهم", "می\u200cخواهم"),
    "a joiner inside an emoji stays": ("👩\u200d👧", "👩\u200d👧"),
    "a joiner in a Latin word goes": ("ad\u200cmin\u200d", "admin"),
    "a tag hidden by a zero-width character": ("<\u200bb>x</\u200bb>", "x"),
    "a tag built from the rest of others": ("<<b>b>x<<<<i>i>i>i>", "x i"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "line"), LINES.values(), ids=LINES)
def test_a_snippet_becomes_one_plain_line(text: str, line: str) -> None:
    assert plain(text) == line


def test_a_long_text_ends_in_an_ellipsis_within_its_bound() -> None:
    assert plain("word " * 100, max_chars=12) == "word word w…"


def test_a_text_of_exactly_the_bound_stays_whole() -> None:
    assert plain("abcdef", max_chars=6) == "abcdef"


PIECES = st.sampled_from(
    ["<", ">", "</", "&lt;", "&amp;", "&gt", "b", "br", "script", "p ", "\u200b", "\x1b[1m", "\n", '="', "-", "é", "a"]
)


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
def test_whatever_comes_the_line_is_one_bounded_line_without_tags(text: str) -> None:
    line = plain(text, max_chars=80)
    assert len(line) <= 80
    assert line == " ".join(line.split())
    assert not re.search(r"</?(?:b|br|p|script)(?:[\s/][^<>]*)?>|[\x00-\x1f\u200b]", line)


ADDRESSES = {
    "https": ("https://example.org/a?b=c#d", True),
    "http with a port": ("http://127.0.0.1:80/", True),
    "upper case scheme": ("HTTPS://EXAMPLE.ORG", True),
    "international": ("https://例え.jp/道", True),
    "magnet link": ("magnet:?xt=urn:btih:1", False),
    "script": ("javascript:alert(1)", False),
    "no host": ("https:///path", False),
    "relative": ("/path", False),
    "a space inside": ("https://example.org/a b", False),
    "a line break inside": ("https://example.org/\nSet-Cookie: x", False),
    "a zero-width character inside": ("https://example.org/\u200b", False),
    "longer than addresses are": ("https://example.org/" + "a" * 2048, False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("url", "is_kept"), ADDRESSES.values(), ids=ADDRESSES)
def test_only_a_web_address_in_one_word_is_kept(url: str, is_kept: bool) -> None:
    assert plain_address(url) == (url if is_kept else "")
