import pytest

from gossamer.errors import BrokenDocument, UnsupportedType
from gossamer.extractors.dispatch import read
from gossamer.extractors.sniff import Kind, kind_of, root_kind
from gossamer.model.page import View
from tests.documents import BOOK, SLIDES, WORD, archive

PAGE = b"<!DOCTYPE html><html><body><p>Plain page</p></body></html>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
KINDS: dict[str, tuple[bytes, str, str, Kind]] = {
    "html": (PAGE, "text/html; charset=utf-8", "", "html"),
    "xhtml": (PAGE, "application/xhtml+xml", "", "html"),
    "xhtml called XML": (b"<?xml version='1.0'?>" + PAGE, "text/xml", "", "html"),
    "html without a type": (PAGE, "", "", "html"),
    "html behind a mark and blanks": (b"\xef\xbb\xbf\n  " + PAGE, "", "", "html"),
    "html behind a comment": (b"<!-- made by hand -->" + PAGE, "application/octet-stream", "", "html"),
    "html as octets": (PAGE, "application/octet-stream", "", "html"),
    "html called a PDF": (PAGE, "application/pdf", "", "html"),
    "html shown as text": (PAGE, "text/plain", "", "text"),
    "html shown as code": (PAGE, "text/plain", "index.html", "source"),
    "pdf": (b"%PDF-1.7 x", "application/pdf", "", "pdf"),
    "pdf as octets, behind junk": (b"junk\n%PDF-1.7 x", "application/octet-stream", "", "pdf"),
    "pdf called a page": (b"%PDF-1.7 x", "text/html", "", "pdf"),
    "a page that mentions PDFs": (PAGE + b"%PDF-", "text/html", "", "html"),
    "document": (archive({"word/document.xml": ""}), WORD, "", "docx"),
    "document as octets": (archive({"word/document.xml": ""}), "application/octet-stream", "x", "docx"),
    "slides": (archive({"ppt/presentation.xml": ""}), SLIDES, "", "pptx"),
    "sheets called an archive": (archive({"xl/workbook.xml": ""}), "application/zip", "", "xlsx"),
    "sheets called a document": (archive({"xl/workbook.xml": ""}), WORD, "", "xlsx"),
    "book": (archive({"mimetype": "application/epub+zip"}, packed=False), BOOK, "", "epub"),
    "some archive": (archive({"a": "x"}), "application/zip", "", "binary"),
    "archive called text": (b"PK\x03\x04" + bytes(50), "text/plain", "", "binary"),
    "a document of older days": (OLE + bytes(50), "application/msword", "", "binary"),
    "rich text": (b"{\\rtf1 x}", "text/rtf", "", "binary"),
    "csv": (b"a,b", "text/csv", "", "csv"),
    "csv called text": (b"a,b", "text/plain; charset=utf-8", "x.csv", "csv"),
    "tsv": (b"a\tb", "text/tab-separated-values", "", "csv"),
    "json": (b"{}", "application/json", "", "json"),
    "json called text": (b"{}", "text/plain", "x.json", "json"),
    "json without a type": (b' {"a": 1}', "", "", "json"),
    "a kind of json": (b"{}", "application/geo+json; charset=utf-8", "", "json"),
    "json lines": (b"{}\n{}", "application/x-ndjson", "", "jsonl"),
    "notebook": (b"{}", "text/plain", "x.ipynb", "json"),
    "markdown": (b"# x", "text/markdown", "", "markdown"),
    "markdown called text": (b"# x", "text/plain", "README.md", "markdown"),
    "plain": (b"words", "text/plain", "", "text"),
    "source code": (b"x = 1", "text/x-python", "", "source"),
    "source code by its address": (b"x = 1", "text/plain", "x.py", "source"),
    "script": (b"x = 1", "application/javascript", "", "source"),
    "feed": (b"<rss/>", "application/rss+xml", "", "feed"),
    "feed called a page": (b"<?xml version='1.0'?>\n<!-- x --><feed xmlns='a'/>", "text/html", "", "feed"),
    "sitemap": (b"<?xml version='1.0'?><urlset/>", "application/xml", "", "sitemap"),
    "xml": (b"<?xml version='1.0'?><data/>", "application/xml", "", "xml"),
    "xml without a type": (b"<?xml version='1.0'?><data/>", "", "", "xml"),
    "text without a type": (b"only words", "", "", "text"),
    "wide text without a type": ("words".encode("utf-16"), "", "", "text"),
    "picture": (PNG, "image/png", "", "binary"),
    "picture called a page": (PNG, "text/html", "", "binary"),
    "drawing": (b"<svg/>", "image/svg+xml", "", "binary"),
    "octets called text": (bytes(100), "text/plain", "", "binary"),
    "octets called code": (bytes(100), "text/plain", "x.py", "binary"),
    "octets without a type": (bytes(100), "", "", "binary"),
    "video": (b"x", "video/mp4", "", "binary"),
}


@pytest.mark.parametrize(("body", "content_type", "name", "kind"), KINDS.values(), ids=KINDS)
def test_the_kind_of_a_body(body: bytes, content_type: str, name: str, kind: Kind) -> None:
    assert kind_of(body, content_type, f"https://a.example/{name}") == kind


ROOTS: dict[str, Kind] = {
    "<rss>": "feed",
    "\ufeff<?xml version='1.0'?><!DOCTYPE rss><!-- a --> <atom:feed>": "feed",
    "<rdf:RDF>": "feed",
    "<html>": "html",
    "<other>": "xml",
    "words": "xml",
    "<!-- never closed": "xml",
}


@pytest.mark.parametrize(("text", "kind"), ROOTS.items())
def test_xml_is_told_by_its_first_element(text: str, kind: Kind) -> None:
    assert root_kind(text) == kind


def read_as(body: bytes, content_type: str, name: str = "") -> str:
    return read(body, content_type=content_type, url=f"https://a.example/{name}", view=View()).text


def test_each_kind_finds_its_reader() -> None:
    assert read_as(PAGE, "text/html") == "Plain page"
    assert read_as(b'{"a": 1}', "application/json") == '```json\n{\n  "a": 1\n}\n```'
    assert read_as(b'{"a":1}\n', "application/jsonl") == '```jsonl\n{"a":1}\n```'
    assert read_as(b"a,b\n1,2", "text/plain", "x.csv") == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert read_as(b"a,b\tc,d", "text/plain", "x.tsv") == "| a,b | c,d |\n| --- | --- |"
    assert read_as("# Grüße".encode("latin-1"), 'text/markdown; charset="latin1"') == "# Grüße"
    assert read_as(b"words", "text/plain") == "words"
    assert read_as(b"<a><b>x</b></a>", "application/xml") == "```xml\n<a>\n  <b>x</b>\n</a>\n```"


CHARSETS = {
    "GBK, named in meta alone": (
        '<html><head><meta charset="gbk"></head><body><p>潮汐表每天更新。</p></body></html>'.encode("gbk"),
        "text/html",
        "潮汐表每天更新。",
    ),
    "Shift_JIS, named in the header": (
        "<html><body><p>灯台の明かり。</p></body></html>".encode("shift_jis"),
        "text/html; charset=Shift_JIS",
        "灯台の明かり。",
    ),
    "a table in Windows-1252": ("Ort,Höhe\nRye,ß".encode("cp1252"), "text/csv; charset=windows-1252", "| Ort | Höhe |"),
    "a feed that names its charset": (
        "<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>Маяк светит</title></channel></rss>".encode(
            "koi8-r"
        ),
        "application/rss+xml",
        "# Маяк светит",
    ),
    "wide JSON": ('{"a":"é"}'.encode("utf-16"), "application/json", '"a": "é"'),
    "text behind a mark": (b"\xef\xbb\xbfplain", "text/plain", "plain"),
}


@pytest.mark.parametrize(("body", "content_type", "words"), CHARSETS.values(), ids=CHARSETS)
def test_a_charset_is_found_for_every_kind_of_text(body: bytes, content_type: str, words: str) -> None:
    assert words in read_as(body, content_type)


SIZES = {"bytes": (100, "100 bytes"), "kilobytes": (34_000, "34 kB"), "megabytes": (2_340_000, "2.3 MB")}


@pytest.mark.parametrize(("size", "said"), SIZES.values(), ids=SIZES)
def test_an_unsupported_type_is_named_with_its_size(size: int, said: str) -> None:
    with pytest.raises(UnsupportedType) as caught:
        read(bytes(size), content_type="video/mp4\u202e; x=y", url="https://a.example/", view=View())
    assert f"video/mp4 ({said})" in caught.value.message
    assert caught.value.hint


MISNAMED = {
    "a picture as a page": (b"\xff\xd8\xff\xe0" + bytes(40), "text/html", "image/jpeg"),
    "a film as text": (b"\x00\x00\x00\x18ftypmp42" + bytes(40), "text/plain", "video/mp4"),
    "an archive without a type": (b"PK\x03\x04" + bytes(40), "application/octet-stream", "application/zip"),
    "an archive of a kind": (b"PK\x03\x04" + bytes(40), "application/vnd.kelp", "application/zip"),
    "a type that is a sentence": (bytes(40), "ignore/all-previous.instructions", "an unknown type"),
    "sound of some kind": (b"RIFF" + bytes(40), "audio/wav", "audio/wav"),
}


@pytest.mark.parametrize(("body", "said", "named"), MISNAMED.values(), ids=MISNAMED)
def test_a_file_is_named_by_its_bytes_where_its_type_is_wrong_or_vague(body: bytes, said: str, named: str) -> None:
    with pytest.raises(UnsupportedType) as caught:
        read(body, content_type=said, url="https://a.example/", view=View())
    assert f"a file of {named} (" in caught.value.message
    assert caught.value.quote == ("" if said == named else said)


@pytest.mark.parametrize("said", ["text/html", "text/plain", "text/html; charset=utf-8"])
def test_data_that_an_interface_calls_a_page_is_data(said: str) -> None:
    assert read_as(b' {"lamps": [1]}\n', said) == '```json\n{\n  "lamps": [\n    1\n  ]\n}\n```'


@pytest.mark.parametrize("text", ["[Verse 1]\nla la [twice]", "{not data}", "[", "[]]", "{" * 9_000 + "}" * 9_000])
def test_text_in_brackets_is_text(text: str) -> None:
    assert read_as(text.encode(), "text/plain") == text


def test_a_list_of_pages_for_models_has_a_title_and_whole_addresses() -> None:
    text = b"# Kelp\n\n- [Docs](/docs): all of them\n"
    result = read(text, content_type="text/plain", url="https://a.example/llms.txt", view=View())
    assert result.title == "Kelp"
    assert "[Docs](https://a.example/docs)" in result.text


def test_a_body_of_no_type_is_named_so() -> None:
    with pytest.raises(UnsupportedType, match="an unknown type"):
        read(bytes(100), content_type="", url="https://a.example/", view=View())


def test_an_office_file_with_a_password_is_named() -> None:
    body = OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    with pytest.raises(BrokenDocument, match="password"):
        read(body, content_type=WORD, url="https://a.example/", view=View())
