import io
import struct
import zipfile

import pytest

from gossamer.errors import BrokenDocument, TooLarge
from gossamer.extractors.office import zip_package as module
from gossamer.extractors.office.safe_xml import all_text, parse_xml
from gossamer.extractors.office.zip_package import Package, resolved
from tests.documents import archive

NAMES = {
    "beside": ("word", "styles.xml", "word/styles.xml"),
    "above": ("ppt/slides", "../notes/n1.xml", "ppt/notes/n1.xml"),
    "from the top": ("xl", "/xl/sheet.xml", "xl/sheet.xml"),
    "with a fragment and an escape": ("OPS", "a%20b.xhtml#c", "OPS/a b.xhtml"),
    "out of the archive": ("", "../../etc/passwd", "../../etc/passwd"),
}


@pytest.mark.parametrize(("folder", "target", "name"), NAMES.values(), ids=NAMES)
def test_a_reference_means_a_part(folder: str, target: str, name: str) -> None:
    assert resolved(folder, target) == name


def test_a_part_that_is_not_there_is_empty() -> None:
    assert Package(archive({"a": "x"})).read("b") == b""
    assert Package(archive({"a": "x"})).tree("../../etc/passwd") is None


def test_what_is_unpacked_of_all_parts_together_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    package = Package(archive({f"p{n}": bytes(400_000) for n in range(4)}))
    monkeypatch.setattr(package, "_left", 1_000_000)
    assert len(package.read("p0") + package.read("p1")) == 800_000
    with pytest.raises(TooLarge):
        package.read("p2")


def test_one_part_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PART_BYTES", 100_000)
    with pytest.raises(TooLarge):
        Package(archive({"a": bytes(100_001)})).read("a")


def test_a_long_list_of_parts_is_refused_before_it_is_built() -> None:
    with pytest.raises(TooLarge):
        Package(archive({f"{n:0>80}": "" for n in range(10_000)}))


def patched(body: bytes, offset: int, form: str, number: int) -> bytes:
    """The archive with a field of its first part's entry in the listing changed."""
    changed = bytearray(body)
    struct.pack_into(form, changed, changed.find(b"PK\x01\x02") + offset, number)
    return bytes(changed)


BROKEN = {
    "no archive": b"PK\x03\x04 nothing",
    "cut": archive({"a": "x" * 5000})[:-30],
    "encrypted": patched(archive({"a": "x"}), 8, "<H", 1),
    "packed in a way that documents do not use": patched(archive({"a": "x"}), 10, "<H", 14),
    "a part that lies about its place": patched(archive({"a": "x"}), 42, "<I", 5),
    "a part that lies about its sum": patched(archive({"a": "x"}), 16, "<I", 5),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_a_damaged_archive_is_a_broken_document(body: bytes) -> None:
    with pytest.raises(BrokenDocument) as caught:
        Package(body).read("a")
    assert caught.value.hint


def test_an_archive_of_the_wide_kind_is_read() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made, made.open("a", "w", force_zip64=True) as part:
        part.write(b"x")
    assert Package(file.getvalue()).read("a") == b"x"


BOMB = "<!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><r>x&b;<s>y</s></r>"
OUTSIDE = "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><r>x&a;</r>"


@pytest.mark.parametrize("text", [BOMB, OUTSIDE])
def test_entities_are_never_expanded(text: str) -> None:
    assert all_text(parse_xml(text)) in {"xy", "x", "x&b;y", "x&a;"}


def test_damaged_xml_is_broken_unless_forgiven() -> None:
    with pytest.raises(BrokenDocument):
        parse_xml("<a><b>x</a>")
    assert all_text(parse_xml("<a><b>x</a>", forgives=True)) == "x"
    with pytest.raises(BrokenDocument):
        parse_xml("", forgives=True)
