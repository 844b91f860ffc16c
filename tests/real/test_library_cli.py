"""`gossamer library` in processes of its own: what was read is listed, found, shown, forgotten and embedded again."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.model.records import Kept
from gossamer.stores.shared.jsonl import line_of
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of
from tests.real.fake_embeddings import Asked, FakeEmbeddings, Said, fake_embeddings, good, status
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


def test_a_library_that_was_cut_shows_its_pages_or_says_that_they_are_on_their_way(
    cli: Cli, web: MiniWeb, tmp_path: Path
) -> None:
    url = read_one(cli, web)
    (file,) = tmp_path.rglob("store.sqlite")
    os.truncate(file, file.stat().st_size - 8192)
    first = cli("library", "list")
    assert "was moved to" in first.stderr
    assert url in first.stdout or "Run the command again" in first.stderr
    again = cli("library", "list")
    assert url in again.stdout
    assert "Run the command again" not in again.stderr


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


async def test_reembed_names_the_pages_that_a_server_refuses_and_does_the_others(cli: Cli, web: MiniWeb) -> None:
    url = await asyncio.to_thread(read_one, cli, web)
    other = f"{web.url}/ferry/fares"
    assert (await asyncio.to_thread(cli, "read", other, "what is it?")).returncode == 0
    refused = json.loads((await asyncio.to_thread(cli, "library", "show", url, "--json")).stdout)["text"][-60:]

    async def choosy(server: FakeEmbeddings, asked: Asked) -> Said:
        is_bad = any(refused[-20:].strip() in text for text in asked.texts)
        return await (status(400) if is_bad else good)(server, asked)

    async with fake_embeddings(dimension=32) as server:
        server.fault = choosy
        done = await asyncio.to_thread(cli, "library", "reembed", "--json", **given(server, "small"))
        told = json.loads(done.stdout)
        assert (told["pages"], told["made"], told["dropped"]) == (2, 1, [])
        assert [each["url"] for each in told["left"]] == [url]
        assert url in done.stderr
        assert "400" in done.stderr
        assert done.returncode == 2


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
    assert json.loads(done.stdout) == {"taken": count, "known": 0, "gone": 0}
    assert json.loads(cli("library", "import", "-", "--json", stdin=file.read_text(), **other).stdout) == {
        "taken": 0,
        "known": count,
        "gone": 0,
    }
    assert cli("library", "list", **other).stdout == cli("library", "list").stdout
    assert cli("library", "show", url, **other).stdout == cli("library", "show", url).stdout
    cli("library", "export", str(again), **other)
    assert again.read_text() == file.read_text()


def test_an_import_takes_in_no_more_than_the_library_may_hold(cli: Cli, tmp_path: Path) -> None:
    file, most = tmp_path / "library.jsonl", 16_777_216
    with file.open("w") as out:
        for number in range(110):
            words = " ".join(f"{number * 7_919 + place * 104_729:x}" for place in range(9_000))
            page = page_of(words, url=f"https://example.org/{number}", at=1_000.0 + number)
            out.write(line_of(Kept(page=page, chunks=(), chunk_count=0, used_at=page.fetched_at)))
            out.write("\n")
            former = page_of(words[::-1], url=f"https://example.org/f{number}", at=1.0 + number)
            chunks = chunks_of(former, size=2_000)
            out.write(line_of(Kept(page=former, chunks=chunks, chunk_count=len(chunks), used_at=former.fetched_at)))
            out.write("\n")
    done = cli("library", "import", str(file), "--json", GOSSAMER_LIBRARY__MAX_BYTES=str(most))
    said = json.loads(done.stdout)
    assert (said["taken"], said["known"]) == (220, 0)
    assert 0 < said["gone"] < 110
    assert f"{said['gone']} texts" in done.stderr
    left = json.loads(cli("library", "list", "--count", "1000", "--json").stdout)["pages"]
    assert len(left) == 220 - said["gone"]
    assert {f"https://example.org/{number}" for number in range(110)} <= {it["url"] for it in left}


def test_an_empty_library_exports_nothing_and_a_broken_file_names_its_line(cli: Cli, tmp_path: Path) -> None:
    done = cli("library", "export")
    assert (done.returncode, done.stdout) == (0, "")
    assert not Path(cli.environment["DATA_DIR"], "store.sqlite").exists()
    (tmp_path / "broken").write_text("\n{}\n")
    done = cli("library", "import", str(tmp_path / "broken"))
    assert done.returncode == 2
    assert "Line 2" in done.stderr
    assert cli("library", "import", str(tmp_path / "missing")).returncode == 2


def test_an_export_takes_the_place_of_another_file_whole_and_private(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    read_one(cli, web)
    folder = tmp_path / "exports"
    folder.mkdir()
    file, link = folder / "library.jsonl", folder / "link.jsonl"
    file.write_text("anybody may read this")
    file.chmod(0o644)
    link.symlink_to(file)
    for name in (file, link):
        assert cli("library", "export", str(name)).returncode == 0
        assert file.read_text() == cli("library", "export").stdout
        assert oct(file.stat().st_mode & 0o777) == "0o600"
    assert link.is_symlink()
    assert {it.name for it in folder.iterdir()} == {file.name, link.name}


async def fill(folder: Path) -> None:
    """Keep more than the 100 KB that a file may have."""
    store = await SqliteStore.open_file(folder / "store.sqlite", clock=SetClock())
    await store.save(page_of("harbour " * 100_000), ())
    await store.close()


def test_an_export_that_does_not_come_to_its_end_leaves_the_file_as_it_was(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    file = folder / "library.jsonl"
    file.write_text("the last one")
    asyncio.run(fill(Path(cli.environment["DATA_DIR"])))
    script = f"ulimit -f 100; trap '' XFSZ; exec {sys.executable} -m gossamer library export {file}"
    done = subprocess.run(["bash", "-c", script], env=cli.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert "File too large. Raise the limit for a file (`ulimit -f`)" in done.stderr
    assert file.read_text() == "the last one"
    assert [it.name for it in folder.iterdir()] == [file.name]


async def keep_large(path: Path, url: str) -> None:
    store = await SqliteStore.open_file(path, clock=SetClock())
    page = page_of(" ".join(str(number) for number in range(600_000)), url=url)
    await store.save(page, ())
    await store.close()


def test_the_disk_has_the_space_of_a_page_that_was_forgotten_back(cli: Cli) -> None:
    path, url = Path(cli.environment["DATA_DIR"]) / "store.sqlite", "https://example.com/large"
    asyncio.run(keep_large(path, url))
    before = path.stat().st_size
    assert cli("library", "remove", url).returncode == 0
    assert path.stat().st_size < before / 2


def test_an_export_can_go_into_a_pipe_with_a_name(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    read_one(cli, web)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert cli("library", "export", str(pipe)).returncode == 0
        assert reader.stdout
        assert reader.stdout.read() == cli("library", "export").stdout
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_export_to_an_output_that_takes_nothing_says_so(cli: Cli, web: MiniWeb) -> None:
    read_one(cli, web)
    command = [sys.executable, "-m", "gossamer", "library", "export"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, env=cli.environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False
        )
    assert done.returncode == 6
    assert "Standard output could not be written to its end: No space left on device. Free some space" in done.stderr
    assert len(done.stderr.splitlines()) == 1


HOSTILE: dict[str, dict[str, object]] = {
    "a time beyond all calendars": {"fetched_at": 1e300},
    "a time that is no number": {"fetched_at": float("nan")},
    "a version beyond all counting": {"version": 2**70},
}


@pytest.mark.parametrize("changes", HOSTILE.values(), ids=HOSTILE)
def test_an_edited_line_is_named_and_nothing_of_it_is_taken_in(
    cli: Cli, tmp_path: Path, changes: dict[str, object]
) -> None:
    said = json.loads(line_of(Kept(page=page_of("One."))))
    file = tmp_path / "edited.jsonl"
    file.write_text(json.dumps({**said, "page": {**said["page"], **changes}}))
    done = cli("library", "import", str(file))
    assert done.returncode == 2
    assert "Line 1 of" in done.stderr
    assert json.loads(cli("library", "list", "--json").stdout) == {"pages": []}
