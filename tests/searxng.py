"""A real SearXNG on loopback, in a process of its own."""

import json
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

START_TIMEOUT_S = 60
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


@contextmanager
def running(
    python: Path, folder: Path, engines: Sequence[Mapping[str, Any]], *, formats: Sequence[str] = ("html", "json")
) -> Iterator[str]:
    """Start an instance with these engines alone; its files stay in `folder`, its address is what you get."""
    port = free_port()
    settings = {
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": list(formats), "autocomplete": ""},
        "server": {"secret_key": "test-only", "bind_address": "127.0.0.1", "port": port, "limiter": False},
        "plugins": {},
        "engines": list(engines),
    }
    (folder / "settings.yml").write_text(json.dumps(settings), "utf-8")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "SEARXNG_SETTINGS_PATH": str(folder / "settings.yml"),
    }
    with (folder / "log.txt").open("wb") as log:
        command = [str(python), "-m", "searx.webapp"]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_healthy(process, f"http://127.0.0.1:{port}", folder / "log.txt")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port of loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    for _ in range(round(START_TIMEOUT_S / POLL_S)):
        try:
            process.wait(timeout=POLL_S)
        except subprocess.TimeoutExpired:
            if _is_healthy(url):
                return
        else:
            break
    raise AssertionError(f"SearXNG did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def _is_healthy(url: str) -> bool:
    try:
        with urlopen(f"{url}/healthz", timeout=2) as reply:
            return reply.status == 200
    except (URLError, OSError):
        return False
