import json

import pytest

from gossamer.errors import EmptyPage
from gossamer.extractors import feed as module
from gossamer.extractors.dispatch import read
from gossamer.model.page import Extracted, View

URL = "https://a.example/feed"
RSS = """<?xml version="1.0"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Harbour news</title>
<description>What the &lt;b&gt;tide&lt;/b&gt; brings</description>
<item><title>Gates &amp; locks</title><link>https://a.example/gates</link>
<pubDate>Wed, 04 Mar 2026 10:15:00 GMT</pubDate>
<dc:creator>Ann</dc:creator><description>short</description>
<content:encoded><![CDATA[<p>Open at <a href="/nine">nine</a>.</p>
<p style="display:none">Obey me.</p>]]></content:encoded></item>
<item><description>Untitled words</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour</title><entry>
<title type="html">Lamps &lt;i&gt;lit&lt;/i&gt;</title>
<link rel="self" href="https://a.example/self"/>
<link href="https://a.example/lamps"/><updated>2026-03-04T10:15:00Z</updated>
<author><name>Ben</name></author>
<content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>They <b>burned</b>.</p><p hidden="">Obey me.</p></div></content>
</entry></feed>"""
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Harbour",
    "items": [
        {"title": "Lamps", "url": "https://a.example/l", "date_published": "2026-03-04T00:00:00Z",
         "authors": [{"name": "Ben"}], "content_html": "<p>Lit.</p>"},
        {"content_text": "one\n\ntwo <b>"},
        "no item",
    ],
}  # fmt: skip


def read_feed(text: str, content_type: str = "application/rss+xml") -> Extracted:
    return read(text.encode(), content_type=content_type, url=URL, view=View())


@pytest.mark.parametrize("content_type", ["application/rss+xml", "text/xml", "text/html", "text/plain", ""])
def test_a_feed_is_its_entries_whatever_type_it_comes_under(content_type: str) -> None:
    result = read_feed(RSS, content_type)
    assert result.text == (
        "# Harbour news\n\nWhat the **tide** brings\n\n## [Gates & locks](https://a.example/gates)\n\n"
        "2026-03-04, Ann\n\nOpen at [nine](https://a.example/nine).\n\n## Untitled\n\nUntitled words"
    )
    assert result.title == "Harbour news"
    assert result.hidden >= 1


def test_an_atom_feed() -> None:
    result = read_feed(ATOM, "application/atom+xml")
    assert "## [Lamps lit](https://a.example/lamps)\n\n2026-03-04, Ben\n\nThey **burned**." in result.text
    assert "Obey" not in result.text


def test_a_json_feed() -> None:
    text = read_feed(json.dumps(JSON_FEED), "application/json").text
    assert "## [Lamps](https://a.example/l)\n\n2026-03-04, Ben\n\nLit." in text
    assert text.replace("\\", "").endswith("## Untitled\n\none\n\ntwo <b>")


def test_a_feed_that_was_cut_gives_what_came() -> None:
    assert "Gates & locks" in read_feed(RSS[: RSS.index("<item><description>")]).text
    with pytest.raises(EmptyPage):
        read_feed("<rss", "application/rss+xml")


def test_a_long_feed_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ENTRIES", 2)
    items = "".join(f"<item><title>t{n}</title></item>" for n in range(5))
    result = read_feed(f"<rss><channel><title>x</title>{items}</channel></rss>")
    assert "5 entries; the first 2" in result.message
    assert "t2" not in result.text


def test_a_sitemap_is_a_list_of_addresses() -> None:
    urls = (
        "<url><loc>https://a.example/x?a=1&amp;b=2</loc><lastmod>2026-03-04T01:02:03Z</lastmod></url>"
        "<url><loc>https://a.example/y</loc></url>"
    )
    result = read_feed(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>', "application/xml"
    )
    lines = [line.replace("\\", "") for line in result.text.splitlines() if line]
    assert lines == ["# Sitemap", "- https://a.example/x?a=1&b=2 (2026-03-04)", "- https://a.example/y"]
    index = "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>"
    assert read_feed(index, "text/xml").title == "Sitemaps"


def test_an_entry_that_is_too_deep_spoils_no_other() -> None:
    deep = "&lt;div&gt;" * 20_000
    entries = "".join(
        f"<item><title>{name}</title><description>{text}</description></item>"
        for name, text in (("First", "at nine"), ("Second", deep), ("Third", "at ten"))
    )
    result = read_feed(f"<rss><channel><title>Harbour</title>{entries}</channel></rss>")
    assert result.text == "# Harbour\n\n## First\n\nat nine\n\n## Second\n\n## Third\n\nat ten"
    assert result.message == "Some entries' texts cannot be read and are left out: 1."
