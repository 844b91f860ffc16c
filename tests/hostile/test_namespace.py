"""The real server in a network where every address is local: whatever it is asked for, it connects to none inside."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

RECORDS = Path(__file__).parents[2] / "../shared/security/ssrf.jsonl"
DRIVER = Path(__file__).with_name("namespace.py")
OWN_RECORDS: list[dict[str, Any]] = [
    {"id": "loopback", "url": "http://127.0.0.1/", "expect": "block"},
    {"id": "metadata", "url": "http://169.254.169.254/latest/", "expect": "block"},
    {"id": "a private name", "url": "http://inside.example/", "resolves_to": ["10.0.0.8"], "expect": "block"},
    {"id": "one bad answer", "url": "http://two.example/", "resolves_to": ["93.184.215.14", "::1"], "expect": "block"},
    {
        "id": "rebinding",
        "url": "http://other.example/",
        "resolves_to": [["93.184.215.14"], ["127.0.0.1"]],
        "expect": "allow",
    },
    {
        "id": "a redirect inside",
        "url": "http://away.example/",
        "resolves_to": ["93.184.215.14"],
        "redirect_to": "http://192.168.0.1/",
        "may_connect": ["93.184.215.14"],
        "expect": "block",
    },
    {
        "id": "IPv6",
        "url": "http://six.example/",
        "resolves_to": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
        "expect": "allow",
    },
    {"id": "a literal", "url": "http://93.184.215.14/", "expect": "allow"},
]

OWN_ADDRESSES = ("93.184.216.34/24", "2606:2800:220:1::7/64")
NEIGHBOURS: list[dict[str, Any]] = [
    {"id": "this machine", "url": "http://93.184.216.34/", "expect": "block"},
    {"id": "a neighbour", "url": "http://93.184.216.1:8080/", "expect": "block"},
    {"id": "this machine in IPv6", "url": "http://[2606:2800:220:1::7]/", "expect": "block"},
    {"id": "a neighbour in IPv6", "url": "http://[2606:2800:220:1::99]/", "expect": "block"},
    {"id": "a name of it", "url": "http://own.example/", "resolves_to": ["93.184.216.34"], "expect": "block"},
    {
        "id": "a redirect to it",
        "url": "http://away.example/",
        "resolves_to": ["93.184.215.14"],
        "redirect_to": "http://93.184.216.34/",
        "may_connect": ["93.184.215.14"],
        "expect": "block",
    },
    {"id": "the next network", "url": "http://93.184.217.34/", "expect": "allow"},
    {"id": "the next network in IPv6", "url": "http://[2606:2800:220:2::7]/", "expect": "allow"},
    {"id": "a name beyond", "url": "http://far.example/", "resolves_to": ["93.184.215.15"], "expect": "allow"},
]


@cache
def obstacle() -> str:
    """Why no such network can be made here, or nothing."""
    if sys.platform != "linux" or not (shutil.which("unshare") and shutil.which("ip")):
        return "network namespaces need Linux with unshare and ip"
    tried = subprocess.run(
        ["unshare", "-n", "-m", "sh", "-c", "ip link set lo up && ip route add local 0.0.0.0/0 dev lo"],
        capture_output=True,
        check=False,
        timeout=120,
    )
    return "" if tried.returncode == 0 else "network namespaces are not allowed here"


def run(records: list[dict[str, Any]], folder: Path, *more: str) -> dict[str, dict[str, Any]]:
    """What became of each record; `more` are addresses of the machine and variables of the server's environment."""
    if obstacle():
        pytest.skip(obstacle())
    written = folder / "records.jsonl"
    written.write_text("\n".join(map(json.dumps, records)))
    kept = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG")
    done = subprocess.run(
        ["unshare", "-n", "-m", sys.executable, str(DRIVER), str(written), str(folder), *more],
        env={name: os.environ[name] for name in kept if name in os.environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {seen["id"]: seen for seen in map(json.loads, done.stdout.splitlines())}


def public(record: dict[str, Any]) -> set[str]:
    """The addresses that may be connected to for a record's sake."""
    allowed: list[str] = list(record.get("may_connect", []))
    if record["expect"] == "allow":
        hosts = [record.get("resolves_to", []), *record.get("hosts", {}).values()]
        allowed += [
            text for found in hosts for entry in found for text in ([entry] if isinstance(entry, str) else entry)
        ]
        redirects = record.get("redirect_to", [])
        urls = [record["url"], *([redirects] if isinstance(redirects, str) else redirects)]
        allowed += [host for url in urls if (host := urlsplit(url).hostname) and is_literal(host)]
    return {str(ip_address(text)) for text in allowed}


def names(record: dict[str, Any]) -> set[str]:
    """The names that are looked up for a record's sake."""
    redirects = record.get("redirect_to", [])
    urls = [record["url"], *([redirects] if isinstance(redirects, str) else redirects)]
    found: set[str] = set(record.get("hosts", {}))
    for url in urls:
        with suppress(ValueError):
            found.add(urlsplit(url).hostname or "")
    return found - {""}


def is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def check(records: list[dict[str, Any]], seen: dict[str, dict[str, Any]]) -> None:
    everywhere = set[str]().union(*map(public, records))
    for record in records:
        one = seen[record["id"]]
        assert set(one["dialled"]) <= everywhere, record
        assert "Traceback" not in one["text"], record
        if record["expect"] == "block":
            # Names occur in several records, and an answer is remembered for a while.
            kin = [public(known) for known in records if names(known) & names(record)]
            assert set(one["dialled"]) <= public(record).union(*kin), (record, one["dialled"])
            assert one["dialled"] == [] or record.get("may_connect"), record
            # A name that changes its mind is read from the public address that was judged, or not at all.
            assert one["outcome"] != "ok" or record["family"].startswith("rebind"), record
        else:
            assert one["outcome"] != "refused", record
            # Nobody here has a certificate that the system believes.
            if urlsplit(record["url"].strip()).scheme.lower() == "http" and "https:" not in str(record):
                assert one["outcome"] == "ok", (record, one)


@pytest.mark.promise("002.159", "003.112")
def test_the_server_connects_to_nothing_inside_whatever_it_is_asked_for(tmp_path: Path) -> None:
    check(OWN_RECORDS, run(OWN_RECORDS, tmp_path))


def test_a_server_with_public_addresses_connects_neither_to_itself_nor_to_its_neighbours(tmp_path: Path) -> None:
    check(NEIGHBOURS, run(NEIGHBOURS, tmp_path, *OWN_ADDRESSES))


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
def test_a_proxy_in_the_environment_is_asked_for_no_page(tmp_path: Path, variable: str) -> None:
    """It would answer for every address: whoever listens there is this network's listener for pages."""
    check(OWN_RECORDS, run(OWN_RECORDS, tmp_path, f"{variable}=http://127.0.0.9:8080"))


def test_the_server_connects_to_nothing_inside_over_the_whole_corpus(tmp_path: Path) -> None:
    if not RECORDS.exists():
        pytest.skip("the corpus of addresses is not on this machine")
    records = [json.loads(line) for line in RECORDS.read_text().splitlines() if line.strip()]
    assert len(records) > 400
    seen = run(records, tmp_path)
    check(records, seen)
    assert sum(one["outcome"] == "ok" for one in seen.values()) > 10
