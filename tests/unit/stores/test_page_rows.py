import json
from dataclasses import replace

from gossamer.model.page import Link, Page, PageInfo
from gossamer.stores.shared.page_rows import decode_page, encode

PAGE = Page(
    url="https://a.test/",
    final_url="https://a.test/x",
    title="Lamps",
    text="Words.",
    fetched_at=5.0,
    info=PageInfo(author="Ada", modified="2026-03-04", structured='{"items":[{"@type":"Ding","name":"ö"}]}'),
    links=(Link(text="Öl", url="https://a.test/oil"), Link(text="Wick", url="https://a.test/wick")),
    has_comments=True,
)


def again(page: Page, details: str = "") -> Page:
    rows = encode(page, ())
    columns = (page.title, page.fetched_at, page.version, rows.content_hash, details or rows.details, rows.body)
    return decode_page(page.url, page.view, columns)


def test_all_that_is_known_of_a_page_is_kept_with_it() -> None:
    assert again(PAGE) == PAGE


def test_what_a_page_lacks_takes_no_room() -> None:
    bare = replace(PAGE, info=PageInfo(), links=())
    said = json.loads(encode(bare, ()).details)
    assert said["info"] == {"published": ""}
    assert "links" not in said
    assert again(bare) == bare


def test_a_page_kept_before_links_were_is_read() -> None:
    said = json.loads(encode(PAGE, ()).details)
    for name in ("links", "has_comments"):
        del said[name]
    assert again(PAGE, json.dumps(said)) == replace(PAGE, links=(), has_comments=False)
