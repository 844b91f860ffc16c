import pytest

from gossamer.errors import UnsupportedType
from gossamer.extractors.dispatch import Kind, kind_of, read
from gossamer.model.page import View

PAGE = b"<!DOCTYPE html><html><body><p>Plain page</p></body></html>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
KINDS: dict[str, tuple[bytes, str, Kind]] = {
    "html": (PAGE, "text/html; charset=utf-8", "html"),
    "xhtml": (PAGE, "application/xhtml+xml", "html"),
    "html without a type": (PAGE, "", "html"),
    "html behind a mark and blanks": (b"\xef\xbb\xbf\n  " + PAGE, "", "html"),
    "html behind a comment": (b"<!-- made by hand -->" + PAGE, "application/octet-stream", "html"),
    "html as octets": (PAGE, "application/octet-stream", "html"),
    "html called a PDF": (PAGE, "application/pdf", "html"),
    "html shown as text": (PAGE, "text/plain", "text"),
    "pdf": (b"%PDF-1.7 x", "application/pdf", "pdf"),
    "pdf as octets, behind junk": (b"junk\n%PDF-1.7 x", "application/octet-stream", "pdf"),
    "pdf called a page": (b"%PDF-1.7 x", "text/html", "pdf"),
    "a page that mentions PDFs": (PAGE + b"%PDF-", "text/html", "html"),
    "json": (b"{}", "application/json", "json"),
    "a kind of json": (b"{}", "application/geo+json; charset=utf-8", "json"),
    "markdown": (b"# x", "text/markdown", "markdown"),
    "plain": (b"words", "text/plain", "text"),
    "source code": (b"x = 1", "text/x-python", "text"),
    "script": (b"x = 1", "application/javascript", "text"),
    "feed": (b"<rss/>", "application/rss+xml", "text"),
    "text without a type": (b"only words", "", "text"),
    "wide text without a type": ("words".encode("utf-16"), "", "text"),
    "picture": (PNG, "image/png", "binary"),
    "picture called a page": (PNG, "text/html", "binary"),
    "drawing": (b"<svg/>", "image/svg+xml", "binary"),
    "archive called text": (b"PK\x03\x04" + bytes(50), "text/plain", "binary"),
    "octets called text": (bytes(100), "text/plain", "binary"),
    "octets without a type": (bytes(100), "", "binary"),
    "video": (b"x", "video/mp4", "binary"),
}


@pytest.mark.parametrize(("body", "content_type", "kind"), KINDS.values(), ids=KINDS)
def test_the_kind_of_a_body(body: bytes, content_type: str, kind: Kind) -> None:
    assert kind_of(body, content_type) == kind


def test_each_kind_finds_its_reader() -> None:
    def text(body: bytes, content_type: str) -> str:
        return read(body, content_type=content_type, url="https://a.example/", view=View()).text

    assert text(PAGE, "text/html") == "Plain page"
    assert text(b'{"a": 1}', "application/json") == '```json\n{\n  "a": 1\n}\n```'
    assert text("# Grüße".encode("latin-1"), 'text/markdown; charset="latin1"') == "# Grüße"
    assert text(b"words", "text/plain") == "words"


SIZES = {"bytes": (100, "100 bytes"), "kilobytes": (34_000, "34 kB"), "megabytes": (2_340_000, "2.3 MB")}


@pytest.mark.parametrize(("size", "said"), SIZES.values(), ids=SIZES)
def test_an_unsupported_type_is_named_with_its_size(size: int, said: str) -> None:
    with pytest.raises(UnsupportedType) as caught:
        read(bytes(size), content_type="video/mp4\u202e; x=y", url="https://a.example/", view=View())
    assert f"video/mp4 ({said})" in caught.value.message
    assert caught.value.hint


def test_a_body_of_no_type_is_named_so() -> None:
    with pytest.raises(UnsupportedType, match="an unknown type"):
        read(bytes(100), content_type="", url="https://a.example/", view=View())
