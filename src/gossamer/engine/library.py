"""Library access: the pages already read, for the one who read them."""

from dataclasses import dataclass

from gossamer.model.page import Listed, Page
from gossamer.model.search import Hit
from gossamer.ports import Call, Store


@dataclass(frozen=True, kw_only=True, slots=True)
class LibraryAccess:
    """The kept pages by date and by address; to anybody but their owner it is empty."""

    store: Store | None
    """None: nothing was ever kept."""

    async def look(self) -> None:
        """See whether pages can be read where they are kept; raises when they cannot."""
        if self.store is not None:
            await self.store.models()

    async def newest(self, call: Call, *, count: int) -> tuple[Listed, ...]:
        """At most `count` pages, the newest first."""
        return await store.pages(count=count) if (store := self._of(call)) else ()

    async def page(self, url: str, call: Call) -> Page | None:
        """The page as it was last read, however old; no site is asked."""
        return await store.page(url) if (store := self._of(call)) else None

    async def find(self, text: str, call: Call, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Pages that hold the words, best first."""
        return await store.find(text, count=count, site=site) if (store := self._of(call)) else ()

    async def remove(self, url: str, call: Call) -> bool:
        """Forget a page in every version; False where there was none."""
        return await store.remove(url) if (store := self._of(call)) else False

    def _of(self, call: Call) -> Store | None:
        return self.store if call.is_owner else None
