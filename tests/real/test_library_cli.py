"""`gossamer library` in processes of its own: what was read is listed, found, shown, forgotten and embedded again."""

import asyncio
import json
from pathlib import Path
from subprocess import CompletedProcess

from gossamer.demo.web import MiniWeb
from tests.real.fake_embeddings import FakeEmbeddings, fake_embeddings, status
from tests.real.processes import Cli

PAGE = "skein/docs/cli"


def read_one(cli: Cli, web: MiniWeb) -> str:
    url = f"{web.url}/{PAGE}"
    assert cli("read", url, "how do I install it?").returncode == 0
    return url


def test_an_empty_library_says_so_and_makes_no_file(cli: Cli) -> None:
    for command in (["list"], ["search", "ferry"]):
        done = cli("library", *command)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr
    assert json.loads(cli("library", "list", "--json").stdout) == {"pages": []}
    for command in ("show", "remove"):
        done = cli("library", command, "https://a.test/", "--json")
        assert done.returncode == 4
        assert json.loads(done.stdout)["outcome"] == "not_found"
        assert "gossamer library list" in done.stderr


def test_a_page_that_was_read_is_listed_found_shown_and_forgotten(cli: Cli, web: MiniWeb) -> None:
    url = read_one(cli, web)
    (listed,) = json.loads(cli("library", "list", "--json").stdout)["pages"]
    assert listed["url"] == url
    assert url in cli("library", "list").stdout
    found = json.loads(cli("library", "search", "skein", "--json").stdout)["results"]
    assert [hit["url"] for hit in found] == [url]
    assert url in cli("library", "search", "skein").stdout
    assert json.loads(cli("library", "search", "skein", "--site", "a.test", "--json").stdout) == {"results": []}
    shown = json.loads(cli("library", "show", url, "--json").stdout)
    assert shown["text"].strip() == cli("library", "show", url).stdout.strip()
    assert len(shown["text"]) == listed["chars"]
    assert cli("library", "remove", url).returncode == 0
    assert json.loads(cli("library", "list", "--json").stdout) == {"pages": []}
    assert cli("library", "remove", url).returncode == 4


def given(server: FakeEmbeddings, model: str) -> dict[str, str]:
    return {"EMBEDDING_SERVER_URL": f"{server.url}/v1", "EMBEDDING_MODEL_NAME": model}


async def test_reembed_goes_over_to_another_model_and_back(cli: Cli, web: MiniWeb) -> None:
    await asyncio.to_thread(read_one, cli, web)

    async def reembed(server: FakeEmbeddings, model: str, *options: str) -> CompletedProcess[str]:
        return await asyncio.to_thread(cli, "library", "reembed", "--json", *options, **given(server, model))

    async with fake_embeddings(dimension=32) as server:
        done = json.loads((await reembed(server, "small")).stdout)
        assert (done["pages"], done["made"], done["models"]) == (1, 1, ["small"])
        assert len(done["dropped"]) == 1
        again = json.loads((await reembed(server, "small")).stdout)
        assert (again["made"], again["dropped"]) == (0, [])
        server.dimension = 48
        wider = json.loads((await reembed(server, "small")).stdout)
        assert (wider["made"], wider["dropped"]) == (1, [])
        other = json.loads((await reembed(server, "large", "--all")).stdout)
        assert (other["made"], other["dropped"]) == (1, ["small"])


async def test_reembed_without_its_server_keeps_what_there_is_and_says_what_to_do(cli: Cli, web: MiniWeb) -> None:
    await asyncio.to_thread(read_one, cli, web)
    async with fake_embeddings(key="sk-right") as server:
        server.fault = status(503)
        wrong = {**given(server, "small"), "EMBEDDING_SERVER_API_KEY": "sk-wrong-key"}
        denied = await asyncio.to_thread(cli, "library", "reembed", **wrong)
        assert denied.returncode == 4
        assert "EMBEDDING_SERVER_API_KEY" in denied.stderr
        assert "sk-wrong-key" not in denied.stderr
        down = {**given(server, "small"), "EMBEDDING_SERVER_API_KEY": "sk-right"}
        failed = await asyncio.to_thread(cli, "library", "reembed", "--json", **down)
        assert failed.returncode == 4
        assert json.loads(failed.stdout)["outcome"] == "unreachable"
    back = json.loads((await asyncio.to_thread(cli, "library", "reembed", "--json")).stdout)
    assert (back["pages"], back["made"]) == (1, 0)


def test_a_server_without_a_model_is_a_bad_setting(cli: Cli) -> None:
    done = cli("library", "reembed", EMBEDDING_SERVER_URL="http://127.0.0.1:9")
    assert done.returncode == 2
    assert "EMBEDDING_MODEL_NAME" in done.stderr


def test_a_library_is_carried_to_another_store_and_back(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    url = read_one(cli, web)
    file, again = tmp_path / "library.jsonl", tmp_path / "again.jsonl"
    assert cli("library", "export", str(file)).returncode == 0
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    assert cli("library", "export").stdout == file.read_text()
    other = {"DATA_DIR": str(tmp_path / "other")}
    done = cli("library", "import", str(file), "--json", **other)
    count = len(file.read_text().splitlines())
    assert json.loads(done.stdout) == {"taken": count, "known": 0}
    assert json.loads(cli("library", "import", "-", "--json", stdin=file.read_text(), **other).stdout) == {
        "taken": 0,
        "known": count,
    }
    assert cli("library", "list", **other).stdout == cli("library", "list").stdout
    assert cli("library", "show", url, **other).stdout == cli("library", "show", url).stdout
    cli("library", "export", str(again), **other)
    assert again.read_text() == file.read_text()


def test_an_empty_library_exports_nothing_and_a_broken_file_names_its_line(cli: Cli, tmp_path: Path) -> None:
    done = cli("library", "export")
    assert (done.returncode, done.stdout) == (0, "")
    assert not Path(cli.environment["DATA_DIR"], "store.sqlite").exists()
    (tmp_path / "broken").write_text("\n{}\n")
    done = cli("library", "import", str(tmp_path / "broken"))
    assert done.returncode == 2
    assert "Line 2" in done.stderr
    assert cli("library", "import", str(tmp_path / "missing")).returncode == 2
