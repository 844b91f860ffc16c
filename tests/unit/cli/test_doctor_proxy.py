"""What doctor says of proxies."""

from pathlib import Path

import pytest

from gossamer.cli.doctor import examine_proxies
from gossamer.settings.model import NetSettings, Settings

PAGES = "http://me:word@pages.example:3128"
SERVICES = "http://services.example:3128"


async def known(_host: str) -> list[str]:
    return ["93.184.215.14"]


async def unknown(_host: str) -> list[str]:
    raise OSError("no such name")


SAID = {
    "none": ({}, []),
    "one for all": (
        {"proxy": PAGES},
        [("proxy", ["everything goes through http://pages.example:3128", "looked up here first", "is its to judge"])],
    ),
    "one for services": (
        {"service_proxy": SERVICES},
        [("service proxy", ["asked through http://services.example:3128, pages are not", "unless net.proxy is set"])],
    ),
    "one each": (
        {"proxy": PAGES, "service_proxy": SERVICES},
        [("proxy", ["pages go through http://pages.example"]), ("service proxy", ["services.example"])],
    ),
    "one that cannot be read": ({"proxy": "socks5://a.example"}, []),
}


@pytest.mark.parametrize(("net", "lines"), SAID.values(), ids=SAID)
async def test_each_proxy_has_a_line_that_says_what_goes_through_it(
    net: dict[str, str], lines: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, net=NetSettings(**net))  # type: ignore[arg-type]
    findings = await examine_proxies(settings, resolve=known)
    assert [finding.name for finding in findings] == [name for name, _ in lines]
    for finding, (_, words) in zip(findings, lines, strict=True):
        assert [part for part in words if part not in finding.text] == []
        assert "word" not in finding.text
        assert finding.state == "works"


async def test_where_no_name_can_be_looked_up_the_proxy_is_said_to_look_up_all(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, net=NetSettings(proxy=PAGES))
    (finding,) = await examine_proxies(settings, resolve=unknown)
    assert "names cannot be looked up here, so it looks up all of them" in finding.text


async def test_a_proxy_of_the_environment_that_cannot_be_read_is_broken_by_its_name(tmp_path: Path) -> None:
    net = NetSettings(service_proxy="socks5://me:word@a.example", service_proxy_variable="http_proxy")
    (finding,) = await examine_proxies(Settings(data_dir=tmp_path, net=net))
    assert (finding.name, finding.state) == ("service proxy", "broken")
    assert finding.text.startswith("http_proxy is not the address of")
    assert "word" not in finding.text
