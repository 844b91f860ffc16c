"""What the guard refuses without a look-up, what it lets through, and how it spells an address."""

import json
import re
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import BlockedAddress
from gossamer.net.addresses import is_public
from gossamer.net.guard import Space, Target, check_answers, check_url, join, read_url
from gossamer.net.policy import NetPolicy

POLICY = NetPolicy()
CORPUS = Path(__file__).parents[3] / "../shared/security/ssrf.jsonl"

REFUSED_URLS = {
    "no address at all": "",
    "no scheme": "//example.com/",
    "a file": "file:///etc/passwd",
    "a scheme that only begins well": "http-evil://example.com/",
    "one slash": "http:/example.com/",
    "no host": "http:///page",
    "a query instead of a host": "https://?q=1",
    "user and password": "https://user:secret@example.com/",
    "an empty user": "http://@example.com/",
    "a backslash in the host": "http://example.com\\@127.0.0.1/",
    "a backslash in the path": "http://example.com/a\\b",
    "a line break": "http://example.com/\r\nX-Injected: 1",
    "a blank in the host": "http://exam ple.com/",
    "a line separator": "http://example.com\u2028/",
    "a lone surrogate": "http://example.com/\ud800",
    "percent in the host": "http://127%2e0%2e0%2e1/",
    "decimal": "http://2130706433/",
    "octal": "http://0177.0.0.1/",
    "hexadecimal": "http://0x7f.0.0.1/",
    "short": "http://127.1/",
    "a last label that is a number": "http://example.1/",
    "an octet too large": "http://127.0.0.256/",
    "an address with a root dot": "http://10.0.0.1./",
    "circled digits": "http://①②⑦.⓪.⓪.①/",
    "full-width dots": "http://127．0．0．1/",
    "letters that become localhost": "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "a soft hyphen in localhost": "http://local\u00adhost/",
    "characters no name has": "http://exam<ple>.com/",
    "a star": "http://*/",
    "an emoji label": "http://😀.example/",
    "a label of 64 letters": f"http://{'a' * 64}.com/",
    "a name of 300 letters": f"http://{'.'.join(['abcdefghi'] * 30)}.com/",
    "a host of 2,000 letters": f"http://{'a' * 2000}/",
    "an address of 9,000 letters": f"http://example.com/{'a' * 9000}",
    "only a root": "http://./",
    "two dots in a row": "http://a..com/",
    "a zone": "http://[fe80::1%eth0]/",
    "IPv4 in brackets": "http://[127.0.0.1]/",
    "three colons": "http://[:::1]/",
    "an open bracket": "http://[::1/",
    "a port below": "http://example.com:0/",
    "a port above": "http://example.com:65536/",
    "a port with zeros before it": "http://example.com:0080/",
    "two ports": "http://example.com:80:80/",
    "a port in other digits": "http://example.com:８０/",
    "a mail port": "http://example.com:25/",
    "a database port": "http://example.com:5432/",
    "localhost": "http://localhost/",
    "localhost with a root dot": "http://LOCALHOST./",
    "below localhost": "http://a.b.localhost/",
    "an alias of localhost": "http://ip6-loopback/",
    "a metadata name": "http://metadata.google.internal/",
    "a single label": "http://wiki/",
    "a single label with a root dot": "http://wiki./",
    "a name of a cloud's inside": "http://db.eu-west-1.compute.internal/",
    "a name of multicast DNS": "http://printer.local/",
    "a service of Kubernetes": "http://api.default.svc/",
    "such a service, in full": "http://api.default.svc.cluster.local/",
    "a name of a local network": "http://nas.lan/",
    "a name of a company's network": "http://wiki.corp/",
    "a name of a home": "http://router.home/",
    "a name of a home by the book": "http://router.home.arpa/",
    "a name of an intranet": "http://www.intranet/",
    "a name that calls itself private": "http://a.private/",
    "a name of no domain": "http://host.localdomain/",
    "a router's name": "http://fritz.box/",
    "capitals inside": "http://Wiki.CORP/",
    "a private literal": "http://192.168.1.1/",
    "a private literal in IPv6": "http://[fd00::1]/",
}

REFUSED_ADDRESSES = {
    "this network": "0.0.0.0",
    "private 10": "10.255.255.255",
    "private 172": "172.31.0.1",
    "private 192": "192.168.0.1",
    "carriers": "100.64.0.1",
    "loopback": "127.0.0.53",
    "link-local, cloud metadata": "169.254.169.254",
    "Azure's wire server": "168.63.129.16",
    "protocol assignments": "192.0.0.170",
    "documentation": "203.0.113.9",
    "benchmarks": "198.19.255.255",
    "6to4 relays": "192.88.99.1",
    "multicast": "224.0.0.1",
    "reserved": "250.1.2.3",
    "broadcast": "255.255.255.255",
    "loopback in IPv6": "::1",
    "unspecified": "::",
    "loopback, mapped into IPv6": "::ffff:127.0.0.1",
    "IPv4-compatible": "::7f00:1",
    "IPv4-translated": "::ffff:0:7f00:1",
    "NAT64 with a private address inside": "64:ff9b::a9fe:a9fe",
    "NAT64 for local use": "64:ff9b:1::1",
    "6to4": "2002:7f00:1::1",
    "Teredo": "2001:0:7f00:1::",
    "ISATAP with a private address inside": "2600:1::5efe:10.0.0.1",
    "unique local": "fd00:ec2::254",
    "link-local in IPv6": "fe80::1",
    "link-local with a zone": "fe80::1%eth0",
    "a zone on a public address": "2606:4700::1%eth0",
    "site-local": "fec0::1",
    "multicast in IPv6": "ff02::1",
    "documentation in IPv6": "2001:db8::1",
    "newer documentation": "3fff::1",
    "never given out": "4000::1",
    "no address": "example.com",
}

PUBLIC_ADDRESSES = (
    "1.1.1.1",
    "100.128.0.0",
    "172.32.0.0",
    "192.0.3.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2003::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
)

SPELT = {
    "a bare host": ("https://example.com", "https://example.com/"),
    "blanks around it": ("  https://example.com/a \n", "https://example.com/a"),
    "capitals": ("HTTPS://Example.COM/A", "https://example.com/A"),
    "a root dot and the usual port": ("https://www.example.com.:443/", "https://www.example.com/"),
    "an empty port": ("https://example.org:/", "https://example.org/"),
    "another web port": ("http://example.org:8080/x", "http://example.org:8080/x"),
    "an international name": ("https://straße.example.de/", "https://xn--strae-oqa.example.de/"),
    "another script throughout": (
        "https://例え.jp/ページ?q=値",
        "https://xn--r8jz45g.jp/%E3%83%9A%E3%83%BC%E3%82%B8?q=%E5%80%A4",
    ),
    "hyphens where only punycode should have them": (
        "https://r3---sn-x.example.com/",
        "https://r3---sn-x.example.com/",
    ),
    "an underscore": ("https://a_b.example.com/", "https://a_b.example.com/"),
    "IPv6": ("https://[2606:4700:0:0::1111]:8443/", "https://[2606:4700::1111]:8443/"),
    "dots in the path": ("https://example.com/a/./b/../c/%2E%2e/d", "https://example.com/a/d"),
    "a dot at the end": ("https://example.com/a/b/..", "https://example.com/a/"),
    "dots above the root": ("https://example.com/../../a", "https://example.com/a"),
    "a query without a path": ("https://example.com?a=b", "https://example.com/?a=b"),
    "an empty query": ("https://example.com/?", "https://example.com/?"),
    "a fragment": ("https://example.com/a#b?c", "https://example.com/a"),
    "escapes stay": ("https://example.com/caf%C3%A9?a=%2F", "https://example.com/caf%C3%A9?a=%2F"),
    "quotes are escaped": ('https://example.com/"a"?b=<c>', "https://example.com/%22a%22?b=%3Cc%3E"),
    "an address inside the query": (
        "https://example.com/?u=http://127.0.0.1/",
        "https://example.com/?u=http://127.0.0.1/",
    ),
}

LIKE_INNER_NAMES = (
    "https://internal.example/",
    "https://local.example/",
    "https://corp.com/",
    "https://arpa.net/",
    "https://www.box.com/",
    "https://lan.party/",
    "https://home.cern/",
)

JOINED = {
    "an absolute address": ("http://other.example/x", "http://other.example/x"),
    "another scheme": ("data:text/html,x", "data:text/html,x"),
    "the same scheme without slashes stays odd": ("https:127.0.0.1/", "https:127.0.0.1/"),
    "a host": ("//other.example/x", "https://other.example/x"),
    "a path": ("/x?y", "https://site.example/x?y"),
    "a neighbour": ("c.html", "https://site.example/a/c.html"),
    "one up": ("../c", "https://site.example/a/../c"),
    "a query": ("?z=1", "https://site.example/a/b?z=1"),
    "a fragment": ("#top", "https://site.example/a/b?q=1"),
    "nothing": ("", "https://site.example/a/b?q=1"),
}


@pytest.mark.promise("001.97", "001.100", "003.107")
@pytest.mark.parametrize("url", REFUSED_URLS.values(), ids=REFUSED_URLS)
def test_an_address_outside_the_rules_is_refused_with_a_next_step(url: str) -> None:
    with pytest.raises(BlockedAddress) as caught:
        check_url(url, POLICY)
    assert caught.value.message.endswith(".")
    assert caught.value.hint
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", LIKE_INNER_NAMES)
def test_a_public_name_that_looks_like_an_inner_one_passes(url: str) -> None:
    assert check_answers(check_url(url, POLICY), ("1.1.1.1",), POLICY) is Space.PUBLIC


@pytest.mark.parametrize("address", REFUSED_ADDRESSES.values(), ids=REFUSED_ADDRESSES)
def test_an_address_off_the_public_web_is_refused(address: str) -> None:
    with pytest.raises(BlockedAddress):
        check_answers(read_url("https://example.com/"), (address,), POLICY)


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_a_public_address_passes(address: str) -> None:
    check_answers(read_url("https://example.com/"), (address,), POLICY)


@pytest.mark.parametrize(("url", "spelt"), SPELT.values(), ids=SPELT)
def test_a_good_address_gets_one_spelling(url: str, spelt: str) -> None:
    target = check_url(url, POLICY)
    assert target.url == spelt
    assert check_url(spelt, POLICY) == target


@pytest.mark.parametrize(("location", "joined"), JOINED.values(), ids=JOINED)
def test_a_redirect_is_completed_but_never_mended(location: str, joined: str) -> None:
    assert join(read_url("https://site.example/a/b?q=1"), location) == joined


def test_a_redirect_with_control_characters_is_refused() -> None:
    with pytest.raises(BlockedAddress):
        join(read_url("https://site.example/"), "http://\t127.0.0.1/")


def test_parameters_are_appended_to_the_query() -> None:
    target = read_url("https://example.com/s?a=1", {"q": "x y&z", "n": 2})
    assert target.path == "/s?a=1&q=x%20y%26z&n=2"


def test_the_host_header_names_the_port_only_where_it_is_unusual() -> None:
    assert read_url("http://example.com:80/").authority == "example.com"
    assert read_url("http://[2606::1]:8080/").authority == "[2606::1]:8080"


def test_the_message_tells_the_operator_how_to_open_a_private_address() -> None:
    with pytest.raises(BlockedAddress, match=r"add 127\.0\.0\.1:8000 to .*\(GOSSAMER_NET__ALLOW_PRIVATE\)\.$"):
        check_url("http://127.0.0.1:8000/", POLICY)
    with pytest.raises(BlockedAddress, match=r"add \[::1\]:80 to "):
        check_url("http://[::1]/", POLICY)


OTHER_PORTS = {
    "an address": (("127.0.0.1:8000",), "http://127.0.0.1:9000/", "127.0.0.1 is opened for port 8000 alone"),
    "an ordinary port": (("127.0.0.1:8000",), "http://127.0.0.1/", "127.0.0.1 is opened for port 8000 alone"),
    "two ports": (("[::1]:1", "[::1]:2"), "http://[::1]:3/", "::1 is opened for ports 1, 2 alone"),
    "the ordinary ones": (
        ("localhost",),
        "http://localhost:3000/",
        "localhost is opened for ports 80, 443, 8080, 8443",
    ),
    "a network": (("10.1.0.0/16:90",), "http://10.1.2.3:91/", "10.1.2.3 is opened for port 90 alone"),
    "a public name": (("status.example:9999",), "http://status.example:9998/", "is opened for port 9999 alone"),
}


@pytest.mark.parametrize(("entries", "url", "words"), OTHER_PORTS.values(), ids=OTHER_PORTS)
def test_a_refusal_of_another_port_of_an_opened_host_says_that_the_port_has_to_be_named(
    entries: tuple[str, ...], url: str, words: str
) -> None:
    with pytest.raises(BlockedAddress) as caught:
        check_url(url, NetPolicy(allow_private=entries))
    assert words in caught.value.message
    assert f"add {read_url(url).authority}" in caught.value.hint
    assert "to net.allow_private" in caught.value.hint


HINTED: dict[str, tuple[str, tuple[str, ...]]] = {
    "loopback": ("http://127.0.0.1:8000/", ("127.0.0.1",)),
    "loopback in IPv6": ("http://[::1]/", ("::1",)),
    "loopback, mapped": ("http://[::ffff:127.0.0.1]/", ("::ffff:7f00:1",)),
    "loopback, mapped in hexadecimal": ("http://[::FFFF:7F00:1]:8000/", ("::ffff:7f00:1",)),
    "a NAT64 address": ("http://[64:ff9b::7f00:1]/", ("64:ff9b::7f00:1",)),
    "metadata by number": ("http://169.254.169.254/", ("169.254.169.254",)),
    "metadata, mapped": ("http://[::ffff:169.254.169.254]/", ("::ffff:a9fe:a9fe",)),
    "link-local": ("http://[fe80::1]/", ("fe80::1",)),
    "localhost": ("http://localhost:3000/", ("127.0.0.1", "::1")),
    "localhost with a root dot": ("http://LOCALHOST.:3000/", ("127.0.0.1", "::1")),
    "below localhost": ("http://app.localhost/", ("127.0.0.1",)),
    "a single label": ("http://wiki/", ("10.0.0.1",)),
    "an inner name": ("http://wiki.corp:3000/", ("10.0.0.1",)),
    "an international name": ("http://büro.lan/", ("10.0.0.1",)),
    "a public name that leads inside": ("http://intranet.example/", ("10.0.0.1",)),
    "a public name on both sides": ("http://both.example/", ("1.1.1.1", "10.0.0.1")),
    "a port of a public name": ("http://site.example:9999/", ("1.1.1.1",)),
    "a port of a public address": ("http://1.1.1.1:9999/", ("1.1.1.1",)),
    "a port of a public address, mapped": ("http://[::ffff:1.1.1.1]:9999/", ("::ffff:101:101",)),
}
OPENED_BEFORE: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "another host": ("other.example",),
    "other ports": ("127.0.0.1:1", "[::1]:1", "localhost:1", "wiki:1", "1.1.1.1:1", "site.example:1"),
}


def refusal(url: str, answers: tuple[str, ...], policy: NetPolicy) -> BlockedAddress:
    with pytest.raises(BlockedAddress) as caught:
        check_answers(check_url(url, policy), answers, policy)
    return caught.value


def followed(hint: str, before: tuple[str, ...]) -> NetPolicy:
    """The policy of an operator who does what a hint says."""
    (entry,) = re.findall(r"add (\S+) to net\.allow_private", hint)
    return NetPolicy(allow_private=(*before, entry))


@pytest.mark.parametrize("before", OPENED_BEFORE.values(), ids=OPENED_BEFORE)
@pytest.mark.parametrize(("url", "answers"), HINTED.values(), ids=HINTED)
def test_a_hint_that_names_a_value_can_be_followed_and_opens_exactly_that(
    url: str, answers: tuple[str, ...], before: tuple[str, ...]
) -> None:
    policy = followed(refusal(url, answers, NetPolicy(allow_private=before)).hint, before)
    target = check_url(url, policy)
    assert check_answers(target, answers, policy) is not Space.PUBLIC
    host = target.authority.removesuffix(f":{target.port}")
    for closed in (f"http://{host}:{target.port + 1}/", f"http://10.9.9.9:{target.port}/"):
        refusal(closed, answers if "10.9" not in closed else ("10.9.9.9",), policy)
    for answer in answers:
        if not is_public(ip_address(answer)):
            refusal(f"http://rebound.example:{target.port}/", (answer,), policy)


def test_a_metadata_name_is_not_said_to_be_opened_by_its_name() -> None:
    hint = refusal("http://metadata.google.internal/", ("169.254.169.254",), POLICY).hint
    assert "add " not in hint
    assert "by its number" in hint


@pytest.mark.parametrize("answer", ["169.254.169.254", "fe80::1", "0.0.0.0"])
def test_an_opened_name_that_leads_to_where_no_name_leads_is_told_what_opens_it(answer: str) -> None:
    first = refusal("http://wiki.corp/", (answer,), POLICY).hint
    assert first == refusal("http://wiki.corp/", ("10.0.0.1",), POLICY).hint, "what it leads to is not told"
    policy = followed(first, ())
    hint = refusal("http://wiki.corp/", (answer,), policy).hint
    assert "add " not in hint
    assert "network" in hint
    wider = NetPolicy(allow_private=(*policy.allow_private, f"{answer}/{32 if '.' in answer else 128}"))
    check_answers(check_url("http://wiki.corp/", wider), (answer,), wider)


def test_a_network_is_open_to_its_public_addresses_on_its_port_too() -> None:
    policy = NetPolicy(allow_private=("1.1.1.0/24:9999",))
    for url in ("http://1.1.1.1:9999/", "http://status.example:9999/"):
        assert check_answers(check_url(url, policy), ("1.1.1.1",), policy) is Space.OPENED
    refusal("http://status.example:9999/", ("1.1.2.1",), policy)


def test_a_name_that_leads_into_an_opened_network_on_another_port_is_not_told_so() -> None:
    policy = NetPolicy(allow_private=("10.1.0.0/16:90",))
    with pytest.raises(BlockedAddress) as caught:
        check_answers(check_url("http://wiki.example/", policy), ("10.1.2.3",), policy)
    assert "opened for" not in str(caught.value)


def test_what_a_name_resolved_to_is_never_told() -> None:
    with pytest.raises(BlockedAddress) as caught:
        check_answers(read_url("http://intranet.example/"), ("10.9.8.7",), POLICY)
    assert "10.9.8.7" not in str(caught.value)


OPENED = {
    "a name on its port": ("localhost:3000", "http://localhost:3000/", "127.0.0.1"),
    "a name on an ordinary port": ("intranet.example", "http://intranet.example:8080/", "10.0.0.1"),
    "an address on its port": ("127.0.0.1:8000", "http://127.0.0.1:8000/", "127.0.0.1"),
    "a network on an ordinary port": ("10.1.0.0/16", "https://10.1.2.3/", "10.1.2.3"),
    "a name that leads into a network": ("10.1.0.0/16", "http://wiki.example/", "10.1.2.3"),
    "a network on a port, reached by a name": ("10.1.0.0/16:9000", "http://wiki.example:9000/", "10.1.2.3"),
    "a network of one address, reached by a name": ("10.1.2.3/32", "http://wiki.example/", "10.1.2.3"),
    "an address in its mapped spelling": ("127.0.0.1:8000", "http://[::ffff:127.0.0.1]:8000/", "::ffff:127.0.0.1"),
    "IPv6 on a port": ("[::1]:8080", "http://[::1]:8080/", "::1"),
    "IPv6 without a port": ("::1", "http://[::1]/", "::1"),
    "a mapped address": ("10.1.0.0/16", "http://wiki.example/", "::ffff:10.1.2.3"),
    "a public name on a port of its own": ("status.example:9999", "http://status.example:9999/", "1.1.1.1"),
    "an inner name, named": ("wiki.corp", "http://wiki.corp/", "10.0.0.1"),
    "a single label, named": ("wiki:3000", "http://wiki:3000/", "10.0.0.1"),
    "an inner name that leads into a network": ("10.1.0.0/16", "http://wiki.corp/", "10.1.2.3"),
    "metadata, by number": ("169.254.169.254", "http://169.254.169.254/", "169.254.169.254"),
}
STILL_CLOSED = {
    "another port": ("localhost:3000", "http://localhost:3001/", "127.0.0.1"),
    "an unusual port without one": ("127.0.0.1", "http://127.0.0.1:8000/", "127.0.0.1"),
    "an ordinary port beside the opened one": ("127.0.0.1:8000", "http://127.0.0.1/", "127.0.0.1"),
    "a neighbour": ("10.1.0.0/16", "http://10.2.0.1/", "10.2.0.1"),
    "a name below the opened one": ("intranet.example", "http://a.intranet.example/", "10.0.0.1"),
    "metadata behind an opened name": ("intranet.example", "http://intranet.example/", "169.254.169.254"),
    "a public address on a network's port": ("10.1.0.0/16:9000", "http://wiki.example:9000/", "1.1.1.1"),
    "a name that leads to an opened address": ("127.0.0.1", "http://rebound.example/", "127.0.0.1"),
    "such a name on the opened port": ("127.0.0.1:8000", "http://rebound.example:8000/", "127.0.0.1"),
    "such a name on IPv6": ("[::1]:8080", "http://rebound.example:8080/", "::1"),
    "such a name, mapped": ("10.1.2.3", "http://rebound.example/", "::ffff:10.1.2.3"),
    "an inner name that leads elsewhere": ("10.1.0.0/16", "http://wiki.corp/", "1.1.1.1"),
    "a name below an opened inner one": ("wiki.corp", "http://a.wiki.corp/", "10.0.0.1"),
    "localhost when only its number is opened": ("127.0.0.1:8000", "http://localhost:8000/", "127.0.0.1"),
}


@pytest.mark.parametrize(("entry", "url", "answer"), OPENED.values(), ids=OPENED)
def test_what_the_operator_opened_may_be_fetched(entry: str, url: str, answer: str) -> None:
    policy = NetPolicy(allow_private=(entry,))
    check_answers(check_url(url, policy), (answer,), policy)


@pytest.mark.parametrize(("entry", "url", "answer"), STILL_CLOSED.values(), ids=STILL_CLOSED)
def test_an_opening_opens_exactly_what_it_says(entry: str, url: str, answer: str) -> None:
    policy = NetPolicy(allow_private=(entry,))
    with pytest.raises(BlockedAddress):
        check_answers(check_url(url, policy), (answer,), policy)


SPACES: dict[str, tuple[str, tuple[str, ...], Space]] = {
    "public": ("http://a.example/", ("1.1.1.1", "1.0.0.1"), Space.PUBLIC),
    "opened": ("http://a.example/", ("10.1.0.1", "10.1.0.2"), Space.INSIDE),
    "a public address of an opened name": ("http://named.example/", ("1.1.1.1",), Space.PUBLIC),
    "an opened name on both sides": ("http://named.example/", ("1.1.1.1", "10.0.0.1"), Space.OPENED),
    "an opened port of a public name": ("http://named.example:9999/", ("1.1.1.1",), Space.OPENED),
    "a name that only a proxy can look up": ("http://a.example/", (), Space.PUBLIC),
    "an opened name that only a proxy can look up": ("http://named.example/", (), Space.INSIDE),
}


@pytest.mark.parametrize(("url", "answers", "space"), SPACES.values(), ids=SPACES)
def test_a_host_is_in_one_space(url: str, answers: tuple[str, ...], space: Space) -> None:
    policy = NetPolicy(allow_private=("10.1.0.0/16", "named.example", "named.example:9999"))
    assert check_answers(check_url(url, policy), answers, policy) is space


NOWHERE: dict[str, tuple[str, tuple[str, ...]]] = {
    "a name on both sides": ("http://a.example/", ("1.1.1.1", "10.1.0.1")),
    "an inner name that nobody here knows": ("http://wiki.corp/", ()),
    "a closed port of a name that nobody here knows": ("http://a.example:25/", ()),
}


@pytest.mark.parametrize(("url", "answers"), NOWHERE.values(), ids=NOWHERE)
def test_what_is_neither_public_nor_opened_is_refused(url: str, answers: tuple[str, ...]) -> None:
    policy = NetPolicy(allow_private=("10.1.0.0/16",))
    with pytest.raises(BlockedAddress):
        check_answers(read_url(url), answers, policy)


@pytest.mark.promise("003.108")
def test_domain_lists_limit_what_is_fetched() -> None:
    policy = NetPolicy(allow_domains=("example.com", "*.example.org"), block_domains=("Bad.example.com",))
    for url in ("https://example.com/", "https://www.example.com/", "https://a.example.org/"):
        check_url(url, policy)
    for url in ("https://notexample.com/", "https://example.org/", "https://x.bad.example.com/", "https://1.1.1.1/"):
        with pytest.raises(BlockedAddress, match=r"allow_domains"):
            check_url(url, policy)


@given(st.text(max_size=60))
def test_no_text_breaks_the_guard(text: str) -> None:
    for url in (text, f"http://{text}/", f"https://example.com/{text}"):
        try:
            target = check_url(url, POLICY)
        except BlockedAddress:
            continue
        assert isinstance(target, Target)
        assert target.url.isascii()
        assert check_url(target.url, POLICY) == target


@pytest.mark.promise("003.112")
@given(st.ip_addresses())
def test_no_private_address_is_let_through_by_any_spelling(address: object) -> None:
    host = f"[{address}]" if ":" in str(address) else str(address)
    try:
        check_answers(read_url("http://example.com/"), (str(address),), POLICY)
    except BlockedAddress:
        with pytest.raises(BlockedAddress):
            check_url(f"http://{host}/", POLICY)
    else:
        assert check_url(f"http://{host}/", POLICY)


@pytest.mark.skipif(not CORPUS.exists(), reason="the address corpus is not on this machine")
def test_the_corpus_of_addresses_is_decided_as_it_says() -> None:
    """Redirects and second look-ups need the whole door; their first address passes here."""
    wrong: list[str] = []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        answers = record.get("resolves_to") or []
        first = answers[0] if answers and isinstance(answers[0], list) else answers
        try:
            target = check_url(record["url"], POLICY)
            for answer in first:
                check_answers(target, (answer,), POLICY)
            got = "allow"
        except BlockedAddress:
            got = "block"
        needs_door = "may_connect" in record or record.get("resolves_to") == []
        if got != ("allow" if needs_door else record["expect"]):
            wrong.append(record["id"])
    assert wrong == []
