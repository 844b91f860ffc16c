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
        if self.store is None or not call.is_owner:
            return ()
        return await self.store.pages(count=count)

    async def page(self, url: str, call: Call) -> Page | None:
        """The page as it was last read, however old; nobody is asked for it."""
        if self.store is None or not call.is_owner:
            return None
        return await self.store.page(url)

    async def find(self, text: str, call: Call, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Pages that hold the words, best first."""
        if self.store is None or not call.is_owner:
            return ()
        return await self.store.find(text, count=count, site=site)

    async def remove(self, url: str, call: Call) -> bool:
        """Forget a page in every version; False where there was none."""
        if self.store is None or not call.is_owner:
            return False
        return await self.store.remove(url)
