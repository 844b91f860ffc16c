"""Lists of domains: which hosts they hold, from settings and from files."""

from pathlib import Path

import pytest

from gossamer.errors import BadSettings
from gossamer.net.hosts import Domains

HELD = {
    "a domain holds itself": ("example.com", "example.com", True),
    "and its subdomains": ("example.com", "a.b.example.com", True),
    "but no other name that ends so": ("example.com", "notexample.com", False),
    "nor its parent": ("www.example.com", "example.com", False),
    "a star holds subdomains": ("*.example.com", "www.example.com", True),
    "a star leaves the domain itself": ("*.example.com", "example.com", False),
    "a dot is a star": (".example.com", "www.example.com", True),
    "a dot leaves the domain itself": (".example.com", "example.com", False),
    "an equals sign holds the domain": ("=example.com", "example.com", True),
    "an equals sign leaves its subdomains": ("=example.com", "www.example.com", False),
    "capitals count for nothing": ("EXAMPLE.com", "example.com", True),
    "other scripts are compared in ASCII": ("straße.de", "www.xn--strae-oqa.de", True),
    "an address holds itself": ("93.184.215.14", "93.184.215.14", True),
    "an address has no subdomains": ("93.184.215.14", "x.93.184.215.14", False),
}


@pytest.mark.parametrize(("entry", "host", "is_held"), HELD.values(), ids=HELD)
def test_an_entry_holds_what_it_says(entry: str, host: str, is_held: bool) -> None:
    assert Domains.read("block_domains", [entry]).holds(host) is is_held


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text(
        "\ufeff# a list\n\nads.example  # with its subdomains\n=exact.example\r\n*.below.example\n"
        "0.0.0.0 sunk.example\n127.0.0.1 localhost\n::1 ip6-localhost\n"
    )
    domains = Domains.read("block_domains", [f"@{listed}", "typed.example"])
    held = ("ads.example", "x.ads.example", "exact.example", "a.below.example", "sunk.example", "typed.example")
    free = ("x.exact.example", "below.example", "localhost", "x.sunk.example", "ip6-localhost")
    assert [host for host in held if not domains.holds(host)] == []
    assert [host for host in free if domains.holds(host)] == []


def test_an_empty_list_is_false_and_holds_nothing(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("# nothing\n")
    domains = Domains.read("block_domains", [f"@{listed}"])
    assert not domains
    assert not domains.holds("example.com")


def test_a_broken_line_names_its_file(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("good.example\nnot a domain\n")
    with pytest.raises(BadSettings, match=r"list\.txt.*not a domain"):
        Domains.read("allow_domains", [f"@{listed}"])


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"], ids=["missing", "not text"])
def test_a_file_that_cannot_be_read_is_a_bad_setting(tmp_path: Path, content: bytes | None) -> None:
    listed = tmp_path / "list.txt"
    if content is not None:
        listed.write_bytes(content)
    with pytest.raises(BadSettings, match="cannot be read") as caught:
        Domains.read("allow_domains", [f"@{listed}"])
    assert "one domain a line" in caught.value.hint


def test_a_long_list_is_asked_as_fast_as_a_short_one() -> None:
    domains = Domains.read("block_domains", [f"d{number}.example" for number in range(20_000)])
    assert domains.holds("www.d19999.example")
    assert not domains.holds("www.d20000.example")
