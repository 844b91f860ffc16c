"""Local pages: files and folders as pages, read by the same workers as pages of the web; no network."""

import asyncio
import os
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from gossamer.cli.extract import reply_of
from gossamer.cli.session import say
from gossamer.compose import SystemClock
from gossamer.errors import GossamerError, InvalidArgument
from gossamer.model.page import Page, View
from gossamer.ports import Call, Extractor
from gossamer.steps.text.link_targets import apart
from gossamer.steps.web.walls import judge_reply

FILE_TIMEOUT_S = 120.0
_CHARS_KEPT = 32_000_000
"""Of the texts of all files that are kept; the newest is, whatever its size."""
MOST_FILES = 5_000
"""Of a folder, with all folders in it."""
_AT_ONCE = 16
_READ = """
.html .htm .xhtml .md .markdown .rst .txt .text .pdf .docx .pptx .xlsx .epub .csv .tsv .json .jsonl .ipynb .xml .atom
.rss .yaml .yml
"""
_SUFFIXES = frozenset(_READ.split())
"""Files of a folder that are read; one that is named is read whatever it is called."""
_FILES_ALONE = ".html .htm .xhtml .pdf .docx .pptx .xlsx .epub .csv .tsv .json .txt .rst .ipynb"
_NO_ADDRESS = frozenset(_FILES_ALONE.split())
"""What no address of a site ends in: a name that does is meant to be a file."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|<[^<>\s]+>|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/\S*", re.IGNORECASE)


def is_page(argument: str) -> bool:
    """Whether an argument of a command names a page: an address, or a file or folder that is there."""
    return _ADDRESS.fullmatch(argument) is not None or (len(argument) < 1024 and is_path(argument))


def is_path(argument: str) -> bool:
    """Whether a file or a folder of this name is there."""
    try:
        return Path(argument).exists()
    except (OSError, ValueError):
        return False


def parted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The pages that the arguments begin with, and the questions after them; the first always names a page."""
    pages = 0
    while pages < len(arguments) and (not pages or is_page(arguments[pages])):
        pages += 1
    return list(arguments[:pages]), list(arguments[pages:])


def sources(named: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files and the addresses among what names pages; a folder stands for the files in it."""
    files: list[str] = []
    urls: list[str] = []
    for name in named:
        if not is_path(name):
            if "://" not in name and Path(name).suffix.lower() in _NO_ADDRESS:
                raise InvalidArgument(
                    f"There is no file {name} here, and an address of a site it is not.", hint="Check the path."
                )
            urls.append(name)
        elif Path(name).is_dir():
            files += _files_in(Path(name))
        else:
            files.append(name)
    return list(dict.fromkeys(files)), urls


def _files_in(folder: Path) -> list[str]:
    """The files of a folder that can be read, in the order of their names."""
    found: list[str] = []
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        readable = (name for name in sorted(names) if not name.startswith("."))
        found += (str(Path(at, name)) for name in readable if Path(name).suffix.lower() in _SUFFIXES)
        if len(found) > MOST_FILES:
            raise InvalidArgument(
                f"{folder} holds more than {MOST_FILES:,} files that can be read.", hint="Name a smaller folder."
            )
    if not found:
        raise InvalidArgument(f"{folder} holds no file that can be read.", hint="Name another folder, or files.")
    return found


async def read_files(paths: Sequence[str]) -> list[Page]:
    """The files of one command as pages; of several those that can be read, and a word about the others."""
    if not paths:
        return []
    from gossamer.extractors.workers.pool import WorkerPool

    clock = SystemClock()
    pool = WorkerPool(size=min(len(paths), max(1, os.cpu_count() or 1)), clock=clock)
    try:
        pages, errors = await LocalPages(pool, clock).pages(paths)
    finally:
        await pool.close()
    for error in errors:
        say(f"Not read: {error}")
    return pages


class LocalPages:
    """Files as pages; each is read once for all who ask for it together or soon after."""

    def __init__(self, extractor: Extractor, clock: SystemClock) -> None:
        self._extractor = extractor
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], asyncio.Task[Page]] = OrderedDict()
        self._held_chars = 0
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def page(self, path: str, url: str = "") -> Page:
        """The file as a page of this address."""
        name = (path, url)
        if name not in self._kept:
            self._kept[name] = asyncio.create_task(self._read(path, url))
        self._kept.move_to_end(name)
        try:
            return await asyncio.shield(self._kept[name])
        finally:
            self._let_go()

    async def pages(self, paths: Sequence[str]) -> tuple[list[Page], list[GossamerError]]:
        """The files as pages, in order, and why others are none; where none can be read, the first error is raised."""

        async def read(path: str) -> Page | GossamerError:
            try:
                async with self._slots:
                    return await self.page(path)
            except GossamerError as error:
                return error

        ended = await asyncio.gather(*map(read, paths))
        errors = [each for each in ended if isinstance(each, GossamerError)]
        pages = [each for each in ended if isinstance(each, Page)]
        if errors and not pages:
            raise errors[0]
        return pages, errors

    async def _read(self, path: str, url: str) -> Page:
        reply = await asyncio.to_thread(reply_of, path, url)
        judge_reply(reply)
        call = Call(clock=self._clock, caller="cli").within(FILE_TIMEOUT_S)
        extracted = await self._extractor.extract(reply, View(), call)
        address = url or f"file:{quote(path)}"
        page = Page(
            url=address,
            final_url=address,
            title=extracted.title,
            text=extracted.text,
            fetched_at=self._clock.now(),
            outcome=extracted.outcome,
            info=extracted.info,
            message=extracted.message,
            left_out=extracted.left_out,
        )
        page = await asyncio.to_thread(apart, page)
        self._held_chars += len(page.text)
        return page

    def _let_go(self) -> None:
        while len(self._kept) > 1 and self._held_chars > _CHARS_KEPT:
            self._held_chars -= _chars(self._kept.popitem(last=False)[1])


def _chars(task: "asyncio.Task[Page]") -> int:
    is_page = task.done() and not task.cancelled() and not task.exception()
    return len(task.result().text) if is_page else 0
