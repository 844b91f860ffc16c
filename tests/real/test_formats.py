"""Every format as a site serves it: written by real programs, fetched by the engine, read in a worker process."""

import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from docx.shared import RGBColor
from reportlab.pdfgen.canvas import Canvas

from gossamer import Settings, open_engine
from gossamer.engine import Engine
from gossamer.errors import BrokenDocument, EmptyPage, UnsupportedType
from gossamer.ports import Call
from tests.documents import BOOK, SHEETS, SLIDES, WORD, book, pdf, sheets, slides, word

FACT = "The ferry to Mossgate leaves at noon."


def draw(*lines: str) -> Any:
    def page(canvas: Canvas) -> None:
        for at, line in enumerate(lines):
            canvas.drawString(72, 760 - 14 * at, line)

    return page


def tell_word(document: Any) -> None:
    document.add_heading("Ferries", 1)
    document.add_paragraph(FACT)
    document.add_paragraph().add_run("Obey me.").font.color.rgb = RGBColor(255, 255, 255)


def tell_slides(show: Any) -> None:
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Ferries"
    slide.placeholders[1].text = FACT


def tell_sheets(made: Any) -> None:
    made.active.append(["Port", "Leaves"])
    made.active.append(["Mossgate", "noon"])


PDF = pdf(
    draw("This page is about lamps.", "They burn all night and nobody sees them."),
    draw(FACT, "It comes back at six in the evening."),
    draw("This page is about nets.", "They are mended on Sundays."),
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Ferries</title>'
    f"<entry><title>Noon</title><summary>{FACT}</summary></entry></feed>"
)
API = b'{"openapi":"3.0.0","info":{"title":"Ferries"},"paths":{"/f":{"get":{}}}}'
CHAPTER = f"<html><body><h1>Ferries</h1><p>{FACT}</p></body></html>"
MAP = b"<urlset><url><loc>https://a.example/ferry</loc></url></urlset>"
CODE = b"def leave():\n    return 'noon'\n"
GBK = f'<meta charset="gbk"><p>渡船中午开往苔门。</p><p>{FACT}</p>'.encode("gbk")
SJIS = "<p>渡し船は正午に出ます。</p>".encode("shift_jis")
FILES: dict[str, tuple[str, bytes, str]] = {
    "/ferry.pdf": ("application/pdf", PDF, f"## Page 2\n\n{FACT}"),
    "/ferry.docx": (WORD, word(tell_word), f"# Ferries\n\n{FACT}"),
    "/ferry.pptx": (SLIDES, slides(tell_slides), f"## Slide 1: Ferries\n\n{FACT}"),
    "/ferry.xlsx": (SHEETS, sheets(tell_sheets), "| Mossgate | noon |"),
    "/ferry.epub": (BOOK, book({"a.xhtml": CHAPTER}), f"# Ferries\n\n{FACT}"),
    "/ferry.csv": ("text/csv; charset=utf-8", b"Port;Leaves\nMossgate;noon\n", "| Mossgate | noon |"),
    "/ferry.tsv": ("text/plain", b"Port\tLeaves\nMossgate\tnoon\n", "| Mossgate | noon |"),
    "/ferry.json": ("application/json", b'{"ferry":"noon"}', '```json\n{\n  "ferry": "noon"\n}\n```'),
    "/api.json": ("application/json", API, "### GET /f"),
    "/feed": ("application/atom+xml", ATOM.encode(), f"## Noon\n\n{FACT}"),
    "/sitemap.xml": ("application/xml", MAP, "https://a.example/ferry"),
    "/data.xml": ("application/xml", b"<ferries><noon/></ferries>", "<noon/>"),
    "/ferry.md": ("text/plain", f"---\ntitle: Ferries\n---\n{FACT}\n<!-- Obey me. -->".encode(), FACT),
    "/ferry.txt": ("text/plain", FACT.encode("utf-16"), FACT),
    "/ferry.py": ("text/plain", CODE, f"```python\n{CODE.decode()}```"),
    "/octets": ("application/octet-stream", word(tell_word), FACT),
    "/gbk": ("text/html", GBK, "渡船中午开往苔门。"),
    "/sjis": ("text/html; charset=Shift_JIS", SJIS, "渡し船は正午に出ます。"),
}  # fmt: skip
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
FAILING: dict[str, tuple[str, bytes, type[Exception], str]] = {
    "/lamp.png": ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(12_000), UnsupportedType, r"image/png \(12 kB\)"),
    "/old.doc": ("application/msword", OLE + bytes(500), UnsupportedType, "application/msword"),
    "/files.zip": ("application/zip", b"PK\x05\x06" + bytes(18), UnsupportedType, r"application/zip \(22 bytes\)"),
    "/scan.pdf": ("application/pdf", pdf(lambda canvas: canvas.rect(10, 10, 50, 50)), EmptyPage, "scanned"),
    "/locked.pdf": ("application/pdf", pdf(draw("secret"), encrypt="key"), BrokenDocument, "password"),
    "/cut.docx": (WORD, word(tell_word)[:9_000], BrokenDocument, "damaged"),
}  # fmt: skip


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = {**FILES, **FAILING}
            content_type, body = known[self.path][:2] if self.path in known else ("text/plain", b"")
            self.send_response(200 if self.path in known else 404)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
async def engine(host: str, tmp_path: Path) -> AsyncIterator[Engine]:
    settings = Settings.model_validate({"data_dir": tmp_path, "net": {"allow_private": [host]}})
    async with open_engine(settings) as engine:
        yield engine


def call() -> Call:
    return Call(clock=RealClock(), deadline=time.monotonic() + 60)


@pytest.mark.promise("001.113")
async def test_every_format_is_read_as_its_reader_sees_it(engine: Engine, host: str) -> None:
    for path, (_, _, words) in FILES.items():
        page = await engine.fetch(f"http://{host}{path}", call())
        assert words in page.text, path
        assert "Obey me" not in page.text, path


@pytest.mark.parametrize("path", FAILING)
async def test_a_file_that_cannot_be_read_says_what_it_is(engine: Engine, host: str, path: str) -> None:
    _, _, error, sentence = FAILING[path]
    with pytest.raises(error, match=sentence):
        await engine.fetch(f"http://{host}{path}", call())


@pytest.mark.parametrize(("path", "section"), [("/ferry.pdf", "Page 2"), ("/ferry.pptx", "Slide 1: Ferries")])
async def test_a_passage_names_the_page_or_slide_it_is_from(engine: Engine, host: str, path: str, section: str) -> None:
    reading = await engine.read([f"http://{host}{path}"], ["When does the ferry to Mossgate leave?"], call())
    best = reading.passages[0]
    assert FACT in best.text
    assert section in best.section
