"""ZIP package of an office file or a book, with its properties and main part.

It is opened warily, since one of a few kilobytes can unpack to anything (a zip bomb).
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO
from urllib.parse import unquote

from gossamer.errors import BrokenDocument, TooLarge
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.html.tree import Element
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.office.safe_xml import local, parse_xml
from gossamer.model.page import PageInfo

MAX_LISTING_BYTES = 1024 * 1024
"""The archive's list of parts: ten thousand of them, more than any honest document has."""
MAX_PART_BYTES = 12 * 1024 * 1024
"""A part that is built into a tree, which takes some ten times as much memory."""
MAX_STREAM_BYTES = 96 * 1024 * 1024
"""All that is unpacked of one document."""
_STEP = 64 * 1024
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"
_ENCRYPTED = 0x1
_FAULTS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError)


class Package:
    """The parts of an archive by name; what is read of all of them together is bounded."""

    def __init__(self, body: bytes) -> None:
        _check_listing(body)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(body))
        except _FAULTS as error:
            raise broken("archive") from error
        self._left = MAX_STREAM_BYTES
        self.names = frozenset(self._archive.namelist())

    def open(self, name: str) -> "PackagePart":
        """A part to be read piece by piece."""
        try:
            info = self._archive.getinfo(name)
            if info.flag_bits & _ENCRYPTED:
                raise BrokenDocument("The document is encrypted.", hint="Look for an open version of it.")
            if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise broken("archive")
            return PackagePart(self, self._archive.open(info))
        except KeyError as error:
            raise broken("document") from error
        except _FAULTS as error:
            raise broken("archive") from error

    def read(self, name: str) -> bytes:
        """A whole part; empty when there is none of this name."""
        if name not in self.names:
            return b""
        part, pieces, size = self.open(name), list[bytes](), 0
        while piece := part.read(_STEP):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_PART_BYTES:
                raise _too_large()
        return b"".join(pieces)

    def tree(self, name: str) -> Element | None:
        """A part as a tree; None when there is none of this name."""
        data = self.read(name)
        return parse_xml(data) if data else None

    def related(self, name: str) -> "dict[str, Relation]":
        """What a part refers to, by id."""
        folder, file = posixpath.split(name)
        root = self.tree(posixpath.join(folder, "_rels", f"{file}.rels"))
        return {} if root is None else dict(_relations(root, folder))

    def spend(self, size: int) -> None:
        """Count what was unpacked."""
        self._left -= size
        if self._left < 0:
            raise _too_large()


class Relation:
    """Where a reference leads: a part of the archive, or an address outside, which is only ever shown."""

    def __init__(self, kind: str, target: str, *, is_outside: bool) -> None:
        self.kind = kind
        self.target = target
        self.is_outside = is_outside


class PackagePart:
    """One part, unpacked as it is read; what goes over the bounds ends the reading."""

    def __init__(self, package: Package, source: IO[bytes]) -> None:
        self._package = package
        self._source = source

    def read(self, size: int = _STEP) -> bytes:
        """The next piece, of at most 64 KB."""
        try:
            piece = self._source.read(min(size, _STEP) if size > 0 else _STEP)
        except _FAULTS as error:
            raise broken("archive") from error
        self._package.spend(len(piece))
        return piece


def resolved(folder: str, target: str) -> str:
    """The name of the part that a reference from within `folder` means."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path))


def broken(what: str) -> BrokenDocument:
    """The error for a document that breaks its own format's rules."""
    return BrokenDocument(
        f"The {what} is damaged and cannot be opened.", hint="Look for another version of the document."
    )


def _relations(root: Element, folder: str) -> Iterator[tuple[str, Relation]]:
    for el in root.iter("*"):
        if local(el) == "Relationship":
            target, is_outside = el.get("Target") or "", el.get("TargetMode") == "External"
            kind = (el.get("Type") or "").rpartition("/")[2]
            name = target if is_outside else resolved(folder, target)
            yield el.get("Id") or "", Relation(kind, name, is_outside=is_outside)


def _check_listing(body: bytes) -> None:
    """Check the size of the list of parts before it is built."""
    at = body.rfind(_END, max(0, len(body) - 66_000))
    if at < 0 or len(body) < at + 22:
        raise broken("archive")
    (size,) = struct.unpack_from("<I", body, at + 12)
    wide = body.rfind(_END_64, max(0, at - 200), at)
    if wide >= 0 and at - wide >= 56:
        size = max(size if size != 0xFFFFFFFF else 0, struct.unpack_from("<Q", body, wide + 40)[0])
    if size > MAX_LISTING_BYTES:
        raise TooLarge("The archive has more parts than a document may.", hint="Look for another source.")


def _too_large() -> TooLarge:
    return TooLarge("The document unpacks to more than we read.", hint="Look for a smaller version of it.")


def document_properties(package: Package) -> tuple[str, PageInfo]:
    """Title, author, description and day; all of it may be missing."""
    root = package.tree("docProps/core.xml")
    fields = {local(el): el.text or "" for el in root} if root is not None else {}
    info = PageInfo(
        author=clean_line(fields.get("creator", ""), limit=200),
        description=clean_line(fields.get("description", ""), limit=1000),
        published=iso_date(fields.get("created", "") or fields.get("modified", "")),
    )
    return clean_line(fields.get("title", ""), limit=300), info


def main_part(package: Package, kind: str, usual: str) -> str:
    """The part that holds the document, as the archive says or where it usually is."""
    for relation in package.related("").values():
        if relation.kind == kind and relation.target in package.names:
            return relation.target
    if usual in package.names:
        return usual
    raise broken("document")
