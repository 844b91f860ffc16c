"""What every store promises about the replies that pages were made of."""

from dataclasses import replace

from gossamer.model.page import Page
from gossamer.model.records import Kept, KeptReply
from gossamer.ports import Store
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import URL, keep, page_of

_OTHER = "https://example.com/other"
_DAY = 86_400.0
_NOW = SetClock().now()


def reply_of(page: Page, body: bytes = b"<p>\x00\xff", *, identity: str = "") -> KeptReply:
    """The reply that a page was made of, with something in every field."""
    return KeptReply(
        final_url=f"{page.url}?final=\udc80",
        content_type="text/html; charset=utf-8",
        body=body,
        body_hash=page.body_hash,
        fetched_at=page.fetched_at,
        fresh_until=page.fresh_until,
        identity=identity,
        serves=("text", "part"),
        is_cut=True,
        message="Cut.",
        etag='W/"1"',
        last_modified="Tue, 01 Jan 2026 00:00:00 GMT",
    )


def made_of(hash_of_body: str, *, at: float = _NOW, url: str = URL, view: str = "", text: str = "Text.") -> Page:
    """A page that was made of bytes of this name, and is fresh for an hour."""
    return replace(page_of(text, url=url, at=at), body_hash=hash_of_body, fresh_until=at + 3600, view=view)


class RepliesContract:
    """Promises about `reply`, and about what `save` and `trim` do to replies."""

    async def test_a_reply_comes_back_byte_for_byte(self, store: Store) -> None:
        page = made_of("one")
        assert await store.reply(URL) is None
        await store.save(page, (), reply_of(page))
        assert await store.reply(URL) == reply_of(page)
        assert await store.page(URL) == page
        assert await store.reply(_OTHER) is None
        empty = made_of("none", url=_OTHER)
        await store.save(empty, (), reply_of(empty, b""))
        assert await store.reply(_OTHER) == reply_of(empty, b"")

    async def test_an_address_has_one_reply_for_each_identity_whatever_view_it_was_for(self, store: Store) -> None:
        whole, part = made_of("one"), made_of("two", at=_NOW + 1, view="part")
        named = made_of("three", at=_NOW + 2, view="named")
        await store.save(whole, (), reply_of(whole))
        await store.save(named, (), reply_of(named, identity="me"))
        await store.save(part, (), reply_of(part))
        assert await store.reply(URL) == reply_of(part)
        assert await store.reply(URL, "me") == reply_of(named, identity="me")
        assert await store.reply(URL, "you") is None
        await store.save(replace(whole, fetched_at=_NOW + 3), (), reply_of(whole, b"again"))
        assert await store.reply(URL) == reply_of(whole, b"again")

    async def test_a_page_of_the_same_bytes_renews_the_dates_of_its_reply(self, store: Store) -> None:
        page = made_of("one")
        await store.save(page, (), reply_of(page))
        for at, view in ((_NOW + 1000, ""), (_NOW + 2000, "part")):
            again = made_of("one", at=at, view=view)
            await store.save(again, ())
            assert await store.reply(URL) == replace(reply_of(page), fetched_at=at, fresh_until=at + 3600)
        await store.save(made_of("two", at=_NOW + 3000), ())
        await store.save(made_of("", at=_NOW + 4000, view="html"), ())
        await store.save(made_of("one", at=_NOW + 1500, view="late"), ())
        assert await store.reply(URL) == replace(reply_of(page), fetched_at=_NOW + 2000, fresh_until=_NOW + 5600)

    async def test_an_older_fetch_brings_no_reply(self, store: Store) -> None:
        page, older = made_of("one"), made_of("zero", at=_NOW - 100)
        await store.save(page, (), reply_of(page))
        await store.save(older, (), reply_of(older))
        assert await store.reply(URL) == reply_of(page)

    async def test_a_reply_goes_with_its_page(self, store: Store) -> None:
        page, other = made_of("one"), made_of("two", url=_OTHER)
        await store.save(page, (), reply_of(page))
        await store.save(other, (), reply_of(other))
        await store.remove(URL)
        assert await store.reply(URL) is None
        assert await store.reply(_OTHER) == reply_of(other)
        await store.save(page, ())
        assert await store.reply(URL) is None

    async def test_a_page_of_an_export_takes_the_place_of_a_page_and_its_reply(self, store: Store) -> None:
        page = made_of("one")
        await store.save(page, (), reply_of(page))
        records = [record async for record in store.export() if isinstance(record, Kept)]
        assert [record.page for record in records] == [page]
        assert await store.restore(Kept(page=made_of("two", at=_NOW + 1000, text="Another.")))
        assert await store.reply(URL) is None

    async def test_replies_go_before_any_text(self, store: Store, clock: SetClock) -> None:
        urls = [f"https://example.com/{n}" for n in range(60)]
        for n, url in enumerate(urls):
            page = made_of(str(n), url=url, at=clock.now())
            await keep(store, page_of("An earlier text.", url=url, at=clock.now() - 1))
            await store.save(page, (), reply_of(page, b"".join(bytes([n, m % 251, m // 251]) for m in range(9_000))))
            clock.advance(1)
        full = await store.stats()
        assert await store.trim(most_bytes=full.size_bytes * 3 // 4) == 0
        left = await store.stats()
        assert (left.pages, left.versions) == (60, 60)
        assert left.size_bytes <= full.size_bytes * 3 // 4
        has_reply = [await store.reply(url) is not None for url in urls]
        assert has_reply == sorted(has_reply)
        assert 0 < sum(has_reply) < 60

    async def test_a_reply_is_let_go_a_day_after_it_was_fresh(self, store: Store, clock: SetClock) -> None:
        page = made_of("one", at=clock.now())
        await store.save(page, (), reply_of(page))
        clock.advance(3600 + _DAY - 1)
        assert await store.trim(most_bytes=10**12) == 0
        assert await store.reply(URL) == reply_of(page)
        clock.advance(2)
        assert await store.trim(most_bytes=10**12) == 0
        assert await store.reply(URL) is None
        assert await store.page(URL) == page
