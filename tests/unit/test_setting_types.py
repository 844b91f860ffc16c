"""How leniently a value is read."""

import os
from pathlib import Path

import pytest

from gossamer.settings.load import load

SWITCHES = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title], ids=["small", "capital", "mixed"])
@pytest.mark.parametrize("text", SWITCHES)
def test_a_switch_has_many_spellings(text: str, spell: object) -> None:
    assert callable(spell)
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_LIBRARY__REMEMBER": f" {spell(text)} "})
    assert loaded.settings.library.remember is SWITCHES[text]
    assert loaded.problems == ()


UNDECIDED = {"empty": ('""', None), "blank": ('" "', None), "a word": ('"No"', False), "plain": ("true", True)}


@pytest.mark.parametrize(("written", "expected"), UNDECIDED.values(), ids=UNDECIDED)
def test_a_switch_that_may_be_left_to_another_setting(written: str, expected: bool | None, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(f"[WebFetch]\nRespectRobotsTxt = {written}\n")
    loaded = load(config=file, environ={})
    assert loaded.settings.WebFetch.RespectRobotsTxt is expected
    assert loaded.problems == ()


def test_a_switch_that_is_none_says_what_it_may_be() -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_WEBFETCH__RESPECTROBOTSTXT": "sometimes"})
    (problem,) = loaded.problems
    assert "WebFetch.RespectRobotsTxt" in problem.message
    assert "true, false or empty" in problem.message


LISTS = {
    "one": ("a.example", ("a.example",)),
    "commas": ("a.example,b.example", ("a.example", "b.example")),
    "blanks and empty places": (" a.example , ,b.example, ", ("a.example", "b.example")),
    "JSON": ('["a.example", "b.example"]', ("a.example", "b.example")),
    "JSON with blanks": ('[ "a.example" , " b.example " ]', ("a.example", "b.example")),
    "empty JSON, to undo a file": ("[]", ()),
    "brackets of an IPv6 address": ("[::1]:8000", ("[::1]:8000",)),
}


@pytest.mark.parametrize(("text", "expected"), LISTS.values(), ids=LISTS)
def test_a_list_is_a_comma_list_or_a_json_list(text: str, expected: tuple[str, ...]) -> None:
    loaded = load(config=Path(os.devnull), environ={"GOSSAMER_NET__ALLOW_PRIVATE": text})
    assert loaded.settings.net.allow_private == expected
    assert loaded.problems == ()


NUMBERS = {"whole": ("12", 12), "fraction": ("0.5", 0.5), "blanks": (" 7 ", 7), "exponent": ("1e2", 100)}


@pytest.mark.parametrize(("text", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_is_read_from_text(text: str, expected: float) -> None:
    loaded = load(config=Path(os.devnull), environ={}, flags={"net.silence_s": text})
    assert loaded.settings.net.silence_s == expected
    assert loaded.problems == ()


SIZES = {
    "as specified": ('"2MB"', 2_097_152),
    "small letters": ('"512kb"', 524_288),
    "with a blank": ('"1.5 MiB"', 1_572_864),
    "without a B": ('"2M"', 2_097_152),
    "bytes": ('"4096"', 4096),
    "bytes by name": ('"4096B"', 4096),
    "a number": ("4096", 4096),
}


@pytest.mark.promise("002.114")
@pytest.mark.parametrize(("written", "expected"), SIZES.values(), ids=SIZES)
def test_a_size_is_written_with_its_unit_or_in_bytes(written: str, expected: int, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(f"[web_search]\nmax_content_size = {written}\n")
    loaded = load(config=file, environ={})
    assert loaded.problems == ()
    assert loaded.settings.web_search.max_content_size == expected


@pytest.mark.parametrize(
    "written", ['"2 GB"', '"MB"', '"-2MB"', '"2MBs"', '"64MB"', '"1023"', "true", '"2,5MB"', '"4096iB"']
)
def test_what_is_no_size_says_what_one_is(written: str, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(f"[web_search]\nmax_content_size = {written}\n")
    (problem,) = load(config=file, environ={}).problems
    assert "it must be a size from 1KB to 32MB, such as 2MB" in problem.message


LEFT_OPEN = {"nothing": '""', "a blank": '" "'}


@pytest.mark.parametrize("written", LEFT_OPEN.values(), ids=LEFT_OPEN)
@pytest.mark.parametrize("name", ["default_timeout", "max_concurrent_fetches"])
def test_a_number_may_be_left_to_another_setting(name: str, written: str, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(f"[web_search]\n{name} = {written}\n")
    loaded = load(config=file, environ={})
    assert loaded.problems == ()
    assert getattr(loaded.settings.web_search, name) is None
