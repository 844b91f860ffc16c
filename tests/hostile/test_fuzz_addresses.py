"""Noise, mutations and spliced addresses for all that reads addresses: a judged target, or an error of ours."""

import json
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gossamer.errors import BadSettings, BlockedAddress, GossamerError
from gossamer.net.addresses import is_public
from gossamer.net.guard import MAX_URL, Target, check_answers, check_url, join, read_url
from gossamer.net.hosts import Domains, is_inner_name, is_reserved_name, literal, read_host
from gossamer.net.policy import NetPolicy, Opening
from gossamer.net.proxy import Proxy
from gossamer.steps.web.urls import canonical

CORPUS = Path(__file__).parents[2] / "../shared/security/ssrf.jsonl"
BOUNDED = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
POLICY = NetPolicy()
T = TypeVar("T")
NAT64 = IPv6Network("64:ff9b::/96")
SEEDS = [
    "http://example.com/",
    "https://user:word@example.com:8443/a/../b?c=d#e",
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1%25eth0]/",
    "http://ⓛocalhost/",
    "http://xn--nxasmq6b.example/",
    "http://example.com\\@127.0.0.1/",
    "http://example.com:80:443/",
    "//example.com/",
    "javascript:alert(1)",
]
if CORPUS.exists():
    SEEDS += [json.loads(line)["url"] for line in CORPUS.read_text().splitlines() if line.strip()]

PARTS = st.sampled_from(
    [
        *(
            "http",
            "https",
            "HTTP",
            "ftp",
            "://",
            ":",
            "/",
            "//",
            "\\",
            "@",
            "#",
            "?",
            "%",
            "%2f",
            "%00",
            "[",
            "]",
            ".",
            "..",
        ),
        *("localhost", "127.0.0.1", "0x7f000001", "0177.1", "::1", "::ffff:10.0.0.1", "example.com", "metadata", "。"),
        *(
            "80",
            "443",
            ":0",
            ":99999",
            ":08080",
            "\t",
            "\n",
            "\0",
            " ",
            "\u200b",
            "\ud800",
            "①②⑦",
            "ｌocalhost",
            "xn--",
        ),
    ]
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """An address of the seeds with a few places changed."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        upto = min(len(text), at + draw(st.integers(0, 4)))
        text = text[:at] + draw(st.one_of(PARTS, st.text(max_size=3))) + text[upto:]
    return text


URLS = st.one_of(mutated(), st.text(max_size=80), st.lists(PARTS, max_size=12).map("".join))


def tried(work: Callable[[], T]) -> tuple[T | None, GossamerError | None]:
    """What came of it, or the error of ours with its next step."""
    try:
        return work(), None
    except (BlockedAddress, BadSettings) as error:
        return None, error


def judged(url: str) -> Target | None:
    """The target of an address, or nothing when it is refused with a next step."""
    target, error = tried(lambda: check_url(url, POLICY))
    assert error is None or (error.message and error.hint)
    return target


@BOUNDED
@given(URLS)
@example("http://[::ffff:7f00:1]/")
@example("http://1.1.1.1.:80/")
def test_an_address_is_refused_or_has_one_spelling_that_leads_outside(url: str) -> None:
    target = judged(url)
    if target is None:
        return
    assert target.scheme in {"http", "https"}
    assert target.port in {80, 443, 8080, 8443}
    assert target.url.isascii()
    assert target.url.isprintable()
    assert " " not in target.url
    assert not is_reserved_name(target.host)
    assert not is_inner_name(target.host)
    ip = literal(target.host)
    assert ip is None or is_public(ip)
    assert read_url(target.url) == target


@BOUNDED
@given(URLS)
def test_what_is_let_through_is_read_alike_by_another_parser(url: str) -> None:
    """Two readers of one address must not see two hosts."""
    target = judged(url)
    if target is not None:
        other = urlsplit(target.url)
        assert other.hostname == target.host
        assert (other.port or (443 if target.scheme == "https" else 80)) == target.port
        assert other.username is None


@BOUNDED
@given(st.one_of(st.text(max_size=60), st.lists(PARTS, max_size=6).map("".join)))
def test_a_host_that_libc_would_read_as_a_number_is_read_so_by_us_or_refused(text: str) -> None:
    try:
        host = read_host(text)
    except BlockedAddress:
        return
    assert read_host(f"[{host}]" if ":" in host else host) == host
    assert literal(host) is not None or not is_number(host)


def is_number(host: str) -> bool:
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return True


@BOUNDED
@given(st.integers(0, 2**32 - 1))
def test_no_address_of_the_home_or_the_machine_passes_in_any_wrapping(number: int) -> None:
    inner = IPv4Address(number)
    wrapped = [
        IPv6Address(f"::ffff:{inner}"),
        IPv6Address(int(IPv6Address("64:ff9b::")) | number),
        IPv6Address(int(IPv6Address("2001:4860:4860:1:0:5efe::")) | number),
    ]
    if not is_public(inner):
        assert [ip for ip in wrapped if is_public(ip)] == []
    if inner.is_private or inner.is_loopback or inner.is_link_local or inner.is_multicast or inner.is_reserved:
        assert not is_public(inner)


@BOUNDED
@given(st.integers(0, 2**128 - 1))
@example(int(IPv6Address("fe80::1")))
@example(int(IPv6Address("2002:7f00:1::")))
def test_an_ipv6_address_that_is_not_global_is_not_public(number: int) -> None:
    ip = IPv6Address(number)
    if is_public(ip):
        assert ip.is_global or ip in NAT64
        assert not ip.is_multicast


@BOUNDED
@given(mutated(), st.text(max_size=60) | mutated())
def test_a_redirect_leads_to_an_address_that_is_judged_like_any_other(base: str, location: str) -> None:
    start = judged(base)
    if start is None:
        return
    following, error = tried(lambda: join(start, location))
    assert error is None or error.hint
    if following is not None:
        judged(following)


@BOUNDED
@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_any_answer_of_a_resolver_is_judged(answer: str) -> None:
    target = Target(scheme="https", host="site.example", port=443, path="/")
    _, error = tried(lambda: check_answers(target, (answer,), POLICY))
    if error is None:
        assert is_public(ip_address(answer))
    else:
        assert len(answer) < 7 or answer not in error.message


@BOUNDED
@given(URLS)
def test_the_one_spelling_of_an_address_is_stable_and_no_other_host(url: str) -> None:
    once = canonical(url)
    assert canonical(once) == once
    before, after = judged(url), judged(once)
    if before and after:
        assert (before.host, before.port) == (after.host, after.port)


@BOUNDED
@given(st.text(max_size=60) | PARTS)
def test_settings_of_the_door_are_read_or_refused_with_a_next_step(text: str) -> None:
    reads: tuple[Callable[[], object], ...] = (
        lambda: Opening.read(text),
        lambda: Domains.read("block_domains", [text.removeprefix("@")]),
        lambda: Proxy.read(text, [text]),
    )
    for read in reads:
        _, error = tried(read)
        assert error is None or (isinstance(error, BadSettings) and error.hint)


def test_an_address_without_end_is_refused_at_once() -> None:
    for piece in ("a", "a.", "%41", "/..", "[", "@", "①"):
        with pytest.raises(BlockedAddress):
            check_url("http://" + piece * MAX_URL, POLICY)
