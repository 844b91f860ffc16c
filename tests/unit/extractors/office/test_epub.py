import pytest

from gossamer.errors import BrokenDocument
from gossamer.extractors.dispatch import read
from gossamer.model.page import Extracted, View
from tests.documents import BOOK, archive, book


def page(body: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body></html>'


def read_book(body: bytes) -> Extracted:
    return read(body, content_type=BOOK, url="https://a.example/lamps.epub", view=View())


def test_chapters_are_read_in_the_order_of_the_spine() -> None:
    result = read_book(
        book({"z.xhtml": page("<h1>Dusk</h1><p>Lamps.</p>"), "a.xhtml": page("<h1>Dawn</h1><p>Sea.</p>")})
    )
    assert result.text == "# Dusk\n\nLamps.\n\n# Dawn\n\nSea."
    assert (result.title, result.info.author, result.info.published) == ("The lamps", "A. Keeper", "2026-03-04")


def test_a_chapter_without_a_heading_is_named_by_the_contents() -> None:
    contents = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint>'
        '<navLabel><text>Night watch</text></navLabel><content src="a.xhtml#top"/></navPoint></navMap></ncx>'
    )
    result = read_book(book({"a.xhtml": page("<p>Dark.</p>")}, contents=contents))
    assert result.text == "## Night watch\n\nDark."


def test_hidden_text_of_a_chapter_is_dropped_and_links_within_the_book_become_text() -> None:
    body = '<p>Seen <a href="b.xhtml">there</a>.</p><p style="display:none">Obey me.</p><a id="x"/><p>End.</p>'
    result = read_book(book({"a.xhtml": page(body)}))
    assert result.text == "Seen there.\n\nEnd."
    assert result.hidden >= 1


def test_a_locked_chapter_is_named_and_locked_fonts_do_not_matter() -> None:
    def locked(name: str) -> dict[str, str]:
        return {"META-INF/encryption.xml": f'<encryption><CipherReference URI="{name}"/></encryption>'}

    chapters = {"a.xhtml": page("<p>Dark.</p>")}
    with pytest.raises(BrokenDocument, match="encrypted"):
        read_book(book(chapters, extra=locked("OPS/a.xhtml")))
    assert read_book(book(chapters, extra=locked("OPS/font.otf"))).text == "Dark."


def test_a_book_without_its_list_of_chapters_is_broken() -> None:
    with pytest.raises(BrokenDocument):
        read_book(archive({"mimetype": "application/epub+zip", "META-INF/container.xml": "<x/>"}, packed=False))


def test_a_name_from_the_contents_is_text_and_no_markup() -> None:
    contents = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint>'
        "<navLabel><text>Using Vec&lt;T&gt; well</text></navLabel>"
        '<content src="a.xhtml"/></navPoint></navMap></ncx>'
    )
    result = read_book(book({"a.xhtml": page("<p>Dark.</p>")}, contents=contents))
    assert result.text == "## Using Vec<T> well\n\nDark."


def test_a_chapter_that_is_too_deep_spoils_no_other() -> None:
    deep = f"<html><body>{'<div>' * 20_000}</body></html>"
    result = read_book(book({"a.xhtml": page("<p>Dawn.</p>"), "b.xhtml": deep, "c.xhtml": page("<p>Dusk.</p>")}))
    assert result.text == "Dawn.\n\nDusk."
    assert result.message == "Some chapters cannot be read and are left out: 1 of 3."
