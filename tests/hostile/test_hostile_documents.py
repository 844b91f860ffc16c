"""Documents built to hang, crash or fill the process that reads them; each ends as text or as an error of ours."""

import asyncio
import struct
import time
import zlib
from collections.abc import AsyncIterator, Callable

import pytest

from gossamer.errors import BrokenDocument, ContentError, TooComplex, TooLarge
from gossamer.extractors.workers.pool import WorkerPool
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import Call
from tests.documents import BOOK, SHEETS, SLIDES, WORD, archive, book

MIB = 1024 * 1024
DEADLINE_S = 240.0
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LAUGHS = "<!ENTITY a 'ha'>" + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))

LAUGHING_FEED = f"<!DOCTYPE rss [{LAUGHS}]><rss><channel><title>&j;</title></channel></rss>".encode()


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def call() -> Call:
    return Call(clock=RealClock(), deadline=time.monotonic() + DEADLINE_S)


def reply(body: bytes, content_type: str) -> HttpReply:
    assert len(body) <= 10 * MIB
    return HttpReply(status=200, url="https://a.example/x", headers={"content-type": content_type}, body=body)


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(clock=RealClock(), cpu_s=40)
    yield pool
    await pool.close()


def word(body: str, doctype: str = "") -> bytes:
    return archive({"word/document.xml": f"{doctype}<w:document {W}><w:body>{body}</w:body></w:document>"})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def sheet(rows: str, *, after: str = "", strings: str = "") -> bytes:
    links = (
        f'<Relationship Id="r1" Type="{KIND}/worksheet" Target="sheet.xml"/>'
        f'<Relationship Id="r2" Type="{KIND}/sharedStrings" Target="strings.xml"/>'
    )
    return archive(
        {
            "xl/workbook.xml": f'<workbook {S} {R}><sheets><sheet name="x" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f"<Relationships>{links}</Relationships>",
            "xl/sheet.xml": f"<worksheet {S}><sheetData>{rows}</sheetData>{after}</worksheet>",
            "xl/strings.xml": f"<sst {S}>{strings}</sst>",
        }
    )


def show(count: int, shapes: str) -> bytes:
    ids = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(count))
    links = "".join(f'<Relationship Id="r{n}" Type="{KIND}/slide" Target="one.xml"/>' for n in range(count))
    return archive(
        {
            "ppt/presentation.xml": f'<p:presentation xmlns:p="p" {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": f"<Relationships>{links}</Relationships>",
            "ppt/one.xml": f'<p:sld xmlns:p="p"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>',
        }
    )


def pdf(content: bytes, *, extra: str = "", resources: str = "/Font<</F1 5 0 R>>") -> bytes:
    """One page with this content, packed."""
    data = zlib.compress(content)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<{resources}>>>>".encode(),
        b"<</Length %d/Filter/FlateDecode>>stream\n" % len(data) + data + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        extra.encode(),
    ]
    body = b"%PDF-1.7\n"
    for number, one in enumerate(objects, 1):
        body += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    return body + b"trailer<</Size 7/Root 1 0 R>>\n%%EOF"


def scattered(count: int) -> bytes:
    """As many words, each at a place of its own."""
    words = (b"1 0 0 1 %d %d Tm (w%d) Tj" % (n * 7919 % 600, n * 104729 % 780, n) for n in range(count))
    return b"BT /F1 4 Tf " + b"\n".join(words) + b" ET"


def overlapping(count: int) -> bytes:
    """An archive whose entries all mean the same bytes."""
    plain = archive({"word/document.xml": word("") + bytes(5 * MIB)})
    at = plain.find(b"PK\x01\x02")
    end = plain.rfind(b"PK\x05\x06")
    entries = plain[at:end] + b"".join(
        plain[at:end].replace(b"word/document.xml", b"word/%08d.xml" % n) for n in range(count)
    )
    tail = bytearray(plain[end:])
    struct.pack_into("<HHI", tail, 8, count + 1, count + 1, len(entries))
    return plain[:at] + entries + bytes(tail)


CELL = f"<w:tc>{paragraph('x')}</w:tc>"
WIDE_CELL = '<w:tc><w:tcPr><w:gridSpan w:val="999"/></w:tcPr></w:tc>'
MERGED = '<mergeCell ref="A1:XFD1048576"/>'
FORM = (
    "<</Type/XObject/Subtype/Form/BBox[0 0 600 700]/Resources<</XObject<</X 6 0 R>>>>/Length 6>>"
    "stream\n/X Do \nendstream"
)
STYLE = '<w:style w:styleId="s{}"><w:basedOn w:val="s{}"/></w:style>'
DEEP_ENTRY = b"<item><description>" + b"&lt;div&gt;" * 500_000 + b"</description></item>"
DEEP_SCHEMA = b'{"allOf":[' * 900 + b"{}" + b"]}" * 900
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a document that unpacks to 120 MB": (lambda: archive({"word/document.xml": bytes(120 * MIB)}), WORD),
    "a document of blanks alone": (
        lambda: archive({"word/document.xml": b"<w:document><w:body>" + b" " * (120 * MIB)}),
        WORD,
    ),
    "styles that unpack to 120 MB": (
        lambda: archive({"word/document.xml": b"<a/>", "word/styles.xml": bytes(120 * MIB)}),
        WORD,
    ),
    "a sheet that unpacks to 120 MB": (lambda: sheet("<row><c><v>1</v></c></row>" + " " * (120 * MIB)), SHEETS),
    "texts that unpack to 120 MB": (lambda: sheet("", strings="<si><t>" + "x" * (120 * MIB)), SHEETS),
    "deep elements": (lambda: word("<w:sdt><w:sdtContent>" * 100_000), WORD),
    "a part that is cut": (lambda: word("<w:p>")[:-40], WORD),
    "a list of chapters that unpacks to 120 MB": (
        lambda: archive({"META-INF/container.xml": "<c><rootfile full-path='o'/></c>", "o": bytes(120 * MIB)}),
        BOOK,
    ),
}
SURVIVED: dict[str, tuple[Callable[[], bytes], str]] = {
    "entities that multiply in a document": (lambda: word(paragraph("&j;"), f"<!DOCTYPE x [{LAUGHS}]>"), WORD),
    "entities that multiply in a feed": (
        lambda: LAUGHING_FEED,
        "application/rss+xml",
    ),
    "a hundred thousand paragraphs": (lambda: word(paragraph("x") * 100_000), WORD),
    "one paragraph of many runs": (lambda: word("<w:p>" + "<w:r><w:t>x</w:t></w:r>" * 200_000 + "</w:p>"), WORD),
    "a table of three hundred thousand cells": (
        lambda: word("<w:tbl>" + f"<w:tr>{CELL * 30}</w:tr>" * 10_000 + "</w:tbl>"),
        WORD,
    ),
    "tables within tables": (
        lambda: word("<w:tbl><w:tr><w:tc>" * 60 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 60),
        WORD,
    ),
    "cells as wide as can be": (
        lambda: word("<w:tbl>" + f"<w:tr>{WIDE_CELL * 60}</w:tr>" * 999 + "</w:tbl>"),
        WORD,
    ),
    "styles that are based on one another": (
        lambda: archive(
            {
                "word/document.xml": f"<w:document {W}><w:body>{paragraph('x')}</w:body></w:document>",
                "word/styles.xml": f"<w:styles {W}>"
                + "".join(STYLE.format(n, (n + 1) % 50_000) for n in range(50_000))
                + "</w:styles>",
            }
        ),
        WORD,
    ),
    "a million cells": (lambda: sheet(f"<row>{'<c><v>1</v></c>' * 100}</row>" * 10_000), SHEETS),
    "half a million rows": (lambda: sheet('<row><c t="str"><v>x</v></c></row>' * 500_000), SHEETS),
    "cells at the far corner": (
        lambda: sheet("".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 3_000))),
        SHEETS,
    ),
    "fields merged over everything": (
        lambda: sheet(
            "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c><c r="AB{n}"><v>1</v></c></row>' for n in range(1, 10_000)),
            after=f"<mergeCells>{MERGED * 50_000}</mergeCells>",
        ),
        SHEETS,
    ),
    "one slide ten thousand times": (
        lambda: show(10_000, "<p:sp/>" * 1000),
        SLIDES,
    ),
    "groups within groups": (
        lambda: show(1, "<p:grpSp>" * 200 + "</p:grpSp>" * 200),
        SLIDES,
    ),
    "two thousand chapters": (lambda: book({f"{n}.xhtml": f"<p>Chapter {n}.</p>" for n in range(2_000)}), BOOK),
    "entries that overlap": (lambda: overlapping(9_000), WORD),
    "a PDF of scattered words": (lambda: pdf(scattered(60_000)), "application/pdf"),
    "a PDF of one word": (lambda: pdf(b"BT /F1 4 Tf (" + b"x" * (4 * MIB) + b") Tj ET"), "application/pdf"),
    "a PDF that draws itself": (
        lambda: pdf(b"BT /F1 12 Tf (x) Tj ET /X Do", extra=FORM, resources="/Font<</F1 5 0 R>>/XObject<</X 6 0 R>>"),
        "application/pdf",
    ),
    "a PDF whose tables of places go in a circle": (
        lambda: b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF",
        "application/pdf",
    ),
    "a table of quotes": (lambda: b'"' * (10 * MIB), "text/csv"),
    "a table of commas": (lambda: b"," * (10 * MIB), "text/csv"),
    "a table of a million rows": (lambda: b"a,b,c,d\n" * 1_200_000, "text/csv"),
    "a feed of a hundred thousand entries": (
        lambda: b"<rss><channel>" + b"<item><title>x</title></item>" * 100_000 + b"</channel></rss>",
        "application/rss+xml",
    ),
    "a feed of deep entries": (
        lambda: b"<rss><channel>" + DEEP_ENTRY + b"</channel></rss>",
        "application/rss+xml",
    ),
    "a sitemap of a hundred thousand addresses": (
        lambda: b"<urlset>" + b"<url><loc>https://a.example/xxxxxxxxx</loc></url>" * 100_000 + b"</urlset>",
        "application/xml",
    ),
    "XML of a million elements": (lambda: b"<a>" + b"<b/>" * 700_000 + b"</a>", "application/xml"),
    "deep XML": (lambda: b"<a>" * 700_000, "application/xml"),
    "JSON of a million numbers": (lambda: b"[" + b"1," * 1_400_000 + b"1]", "application/json"),
    "an interface of deep schemas": (
        lambda: b'{"openapi":"3","paths":{},"components":{"schemas":{"x":' + DEEP_SCHEMA + b"}}}",
        "application/json",
    ),
    "an interface of many paths": (
        lambda: b'{"openapi":"3","paths":{' + b",".join(b'"/%d":{"get":{}}' % n for n in range(100_000)) + b"}}",
        "application/json",
    ),
    "comments without end": (lambda: b"<!--" * (2 * MIB), "text/markdown"),
    "fences without end": (lambda: b"```\n<!--\n" * MIB, "text/markdown"),
    "code of backticks": (lambda: b"`" * (10 * MIB), "text/x-python"),
}  # fmt: skip


async def still_reads(pool: WorkerPool) -> bool:
    result = await pool.extract(reply(b"The lamps burned.", "text/plain"), View(), call())
    return result.text == "The lamps burned."


@pytest.mark.parametrize(("make", "content_type"), REFUSED.values(), ids=REFUSED)
async def test_a_document_that_takes_more_than_it_may_is_refused(
    pool: WorkerPool, make: Callable[[], bytes], content_type: str
) -> None:
    with pytest.raises((TooComplex, TooLarge, BrokenDocument)) as caught:
        await pool.extract(reply(make(), content_type), View(), call())
    assert caught.value.hint
    assert await still_reads(pool)


@pytest.mark.parametrize(("make", "content_type"), SURVIVED.values(), ids=SURVIVED)
async def test_an_odd_document_ends_in_text_or_in_an_error_of_ours(
    pool: WorkerPool, make: Callable[[], bytes], content_type: str
) -> None:
    (result,) = await asyncio.gather(pool.extract(reply(make(), content_type), View(), call()), return_exceptions=True)
    if isinstance(result, Extracted):
        result.text.encode()
        assert len(result.text.encode()) <= 10 * MIB
    else:
        assert isinstance(result, ContentError)
        assert result.hint
    assert await still_reads(pool)
