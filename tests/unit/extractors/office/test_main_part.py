"""What stands outside a page's one main part goes; terms stay with their meanings."""

from gossamer.extractors.dispatch import read
from gossamer.model.page import View

PROSE = "<p>The harbour light was built in stone by the fishermen of the town, who carried every block up the hill.</p>"


def text_of(body: str, view: View | None = None) -> str:
    page = f"<html><head><title>Harbour</title></head><body>{body}</body></html>".encode()
    return read(page, content_type="text/html", url="http://x.test/", view=view or View()).text


def test_a_breadcrumb_above_the_main_part_is_left_out() -> None:
    crumbs = (
        '<ul class="trail"><li><a href="/">Docs</a></li><li>Harbour</li><li><a href="/e">Edit this page</a></li></ul>'
    )
    text = text_of(f'{crumbs}<div role="main"><h1>Harbour</h1>{PROSE * 4}</div>')
    assert "Edit this page" not in text
    assert "fishermen of the town" in text


def test_a_page_whose_text_stands_outside_its_main_part_keeps_it() -> None:
    text = text_of(f"<h1>Harbour</h1>{PROSE * 4}<main><p>A short box about nothing much at all.</p></main>")
    assert "fishermen of the town" in text


GLOSSARY = (
    "<main><h1>Words</h1><p>These words are heard on the quay every day of the year by everyone who waits there.</p>"
    "<dl><dt>brim</dt><dd>The moment when the tide <em>neither</em> rises nor falls.</dd>"
    "<dt><code>glim</code></dt><dd><p>A small lamp carried at night.</p><p>Also a star.</p></dd></dl></main>"
)


def test_a_term_stands_in_one_paragraph_with_its_meaning() -> None:
    text = text_of(GLOSSARY)
    assert "**brim**: The moment when the tide *neither* rises nor falls." in text
    assert text.index("glim") < text.index("A small lamp") < text.index("Also a star")


def test_html_keeps_the_definition_list() -> None:
    assert "<dt>brim</dt>" in text_of(GLOSSARY, View(format="html"))
