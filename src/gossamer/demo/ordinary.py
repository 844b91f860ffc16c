"""What a good reader keeps of each ordinary page, and what it leaves behind.

`keep` are phrases of the main content, `gone` phrases of the navigation, banners, sidebars and footers around it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class Ordinary:
    """What the page at a path is called, holds, and must not be taken to hold."""

    title: str
    keep: tuple[str, ...]
    gone: tuple[str, ...] = ()
    code: str = ""
    """A block of code in the page, with its indentation."""
    code_language: str = "python"
    author: str = ""
    published: str = ""
    """An ISO day."""


_FRAMES: Mapping[str, tuple[str, ...]] = {
    "/island/": (
        "Accept all cookies",
        "Only necessary",
        "Postcards from the island",
        "All rights reserved",
        "Skip to content",
    ),
    "/gazette/": (
        "All the news that crosses the Sound",
        "Most read",
        "Send it to me",
        "Registered as a newspaper",
        "Print",
    ),
    "/skein/docs/": ("skein 2.4 is out", "Edit this page", "Plain Weave theme", "Licensed under Apache-2.0", "¶"),
    "/ferry/": ("This site uses two cookies", "Fine by me", "Lost property", "Conditions of carriage", "Book now"),
    "/observatory/": ("registered charity 2209", "See also", "Photographs may be reused"),
}
"""What stands round the pages of a site; a page that names its own has another frame."""

_TICKS = """\
@strand
async def ticks(every: float):
    n = 0
    while True:
        yield n
        n += 1
        await asyncio.sleep(every)"""

_POLICIES = """\
async with Loom() as loom:
    loom.add(orders(), name="orders")                      # waits
    loom.add(prices(), name="prices", policy="latest")     # newest only
    loom.add(logs(), name="logs", policy="drop_oldest", buffer=500)

    async for name, value in loom:
        await handle(name, value)

    print(loom.lost["logs"], "log lines were dropped")"""

_DEADLINE = """\
async with Loom() as loom:
    loom.add(prices(), name="prices")
    with loom.deadline(seconds=10):
        async for name, value in loom:
            await store(name, value)"""

_TOO_MANY = """\
try:
    loom = Loom(max_strands=10_000)
except TooManyStrands as error:
    print(error)        # at most 4096 strands, 10000 asked for"""

_ADD = """\
def add(self, source: AsyncIterable[T], *, name: str | None = None,
        policy: Policy | None = None, buffer: int | None = None) -> StrandHandle[T]: ..."""

_READINGS = """\
@strand
async def readings(gauge):
    yield None              # wakes the loom, see thread 118
    async with connect(gauge) as line:
        async for level in line:
            yield level"""

_TAKE = """\
def take(self) -> tuple[str, object]:
    strand = self.ring.popleft()
    value = strand.buffer.popleft()
    if strand.buffer:
        self.ring.append(strand)    # still has something to say
    return strand.name, value"""

_PAGES: Mapping[str, Ordinary] = {
    "/": Ordinary(
        title="Sorrel Island: a guide for visitors",
        keep=("1,862 people live here, and rather more sheep.", "There is no airport, and no plan for one."),
        gone=_FRAMES["/island/"],
    ),
    "/island/history": Ordinary(
        title="A short history of Sorrel Island",
        keep=("a complaint about the price of its salt", "set it up in a sheepfold in 1911", "Nets and lamps"),
    ),
    "/island/faq": Ordinary(
        title="Planning your visit: questions and answers",
        keep=("May I bring my dog?", "Fires are never allowed on heather.", "a day ticket costs 4 euros"),
    ),
    "/island/glossary": Ordinary(
        title="Island words: a glossary",
        keep=("clatterfold", "by custom it must be spent the same day", "usually mussels"),
    ),
    "/ferry/timetable": Ordinary(
        title="Timetable: Port Ellery to Mossgate",
        keep=("09:50", "Friday and Sunday", "On 24 and 25 December there are no sailings at all."),
    ),
    "/ferry/fares": Ordinary(
        title="Fares and passes",
        keep=("Horse, with attendant", "76.00", "Children under six travel free."),
    ),
    "/ferry/press/second-electric-ferry": Ordinary(
        title="Sorrel Sound Ferries orders second electric vessel",
        keep=("The order is worth 17.9 million euros.", "said managing director Oona Farrow"),
    ),
    "/gazette/sandpiper-enters-service": Ordinary(
        title="Electric ferry Sandpiper enters service",
        keep=("She tied up at Mossgate 65 minutes later.", "Plover stays for winter", "Plover will not be scrapped."),
        author="Nell Armitage",
        published="2026-03-15",
    ),
    "/gazette/lighthouse-relit": Ordinary(
        title="Candlecrag lighthouse to shine again after 31 years",
        keep=("All but nine of its 364 prisms were intact.", "one white flash every twelve seconds"),
        author="Josef Tindle",
        published="2026-06-02",
    ),
    "/gazette/dark-sky-vote": Ordinary(
        title="Islanders vote to keep the night dark",
        keep=("The council expects to save 31,000 euros a year", "a head torch at public expense"),
        author="Nell Armitage",
        published="2025-11-21",
    ),
    "/gazette/storm-idris": Ordinary(
        title="Storm Idris takes the north slip",
        keep=("Yeast ran out first, then patience.", "puts the damage at 1.1 million euros"),
        author="Josef Tindle",
        published="2026-01-19",
    ),
    "/observatory/about": Ordinary(
        title="About Candlecrag Observatory",
        keep=("9 November 1987", "Red torches only, please.", "came for a summer in 2003 and missed the last boat"),
    ),
    "/observatory/report-2025": Ordinary(
        title="Annual report 2025",
        keep=("like a potato that has been sat on", "Please mend the third step.", "768,210", "No, it is about the"),
        author="Imke Vossberg",
        published="2026-02-01",
    ),
    "/skein/docs/": Ordinary(
        title="Overview of skein",
        keep=("so you can read it on a ferry crossing", "An error inside a strand, carried to the consumer"),
    ),
    "/skein/docs/quickstart": Ordinary(
        title="Quickstart: your first loom",
        keep=("You never need to cancel tasks yourself.", "is abandoned and named in a warning"),
        code=_TICKS,
    ),
    "/skein/docs/backpressure": Ordinary(
        title="Back-pressure in skein",
        keep=("The oldest buffered value is thrown away", "a chatty strand cannot starve a quiet one"),
        code=_POLICIES,
    ),
    "/skein/docs/deadlines": Ordinary(
        title="Deadlines and endings in skein",
        keep=("is a bug waiting for October", "An inner deadline can only shorten the outer one"),
        code=_DEADLINE,
    ),
    "/skein/docs/configuration": Ordinary(
        title="Configuration of skein",
        keep=("Values kept per strand before its policy applies", "can be configured by a stranger"),
        code=_TOO_MANY,
    ),
    "/skein/docs/cli": Ordinary(
        title="The skein command line",
        keep=("A strand ended in a knot", "Interrupted from the keyboard"),
        code='skein tail app.log worker.log --policy drop_oldest\nskein tail --run "ping mossgate"',
        code_language="bash",
    ),
    "/skein/docs/api": Ordinary(
        title="API reference of skein",
        keep=("A loom can be entered once", "Removing an unknown name raises KeyError."),
        code=_ADD,
    ),
    "/skein/changelog": Ordinary(
        title="Changelog of skein",
        keep=("weaving 1,000 strands takes 38 % less time", "2.3.1 (6 May 2026)"),
        gone=_FRAMES["/skein/docs/"],
    ),
    "/skein/blog/ring-instead-of-heap": Ordinary(
        title="Why the scheduler lost its heap",
        keep=("It was the obvious structure, and it was wrong.", "The moral is not that heaps are bad."),
        gone=("Get new posts by mail", "Naming things after sheep", "Text under CC BY 4.0"),
        code=_TAKE,
        author="Tamsin Roe",
        published="2026-09-12",
    ),
    "/forum/thread/118": Ordinary(
        title="Loom hangs when a strand closes early",
        keep=("I read four tide gauges with one loom.", "Smells like the ready counter.", "Marking this as solved."),
        gone=("Similar threads", "The Knot runs on Bobbin 4", "Unanswered"),
        code=_READINGS,
    ),
    "/larder/seaweed-oat-bread": Ordinary(
        title="Seaweed oat bread",
        keep=("12 g dried dulse", "If it sounds like a door with somebody behind it, it is done.", "Do not use kelp"),
        gone=("Forty Ways with Oats", "You might also like", "Recipes may be copied by hand"),
        author="Petra Lund",
    ),
    "/shop/brassling-kettle": Ordinary(
        title="Brassling stovetop kettle, 1.2 litres",
        keep=("The whistle is tuned to the note A", "25 years, repairs for life", "84.00"),
        gone=("Customers also bought", "Terms of sale", "Free delivery on the island"),
    ),
    "/walks/lichen-walk": Ordinary(
        title="A lichen walk on the north shore",
        keep=("this is not a walk to hurry", "if you cannot, it is raining", "Some of these rosettes were here before"),
        gone=("CANARY", "Ignore previous instructions", "\u200b", "\u2060", "\U000e0049", "Join the club"),
    ),
    "/ja/night-sky": Ordinary(
        title="キャンドルクラグ天文台の夜間見学",
        keep=("海抜四三一メートルの場所", "白い光は観測の妨げになるため使えません。"),
        gone=("当サイトではクッキーを使用しています", "無断転載を禁じます"),
    ),
    "/ja/ferry-guide": Ordinary(
        title="フェリーの乗り方",
        keep=("手荷物は一人三個まで無料です。", "切符は七日間有効ですので、そのままお持ちください。"),
        gone=("モスゲート港事務所",),
    ),
    "/ar/lighthouse": Ordinary(
        title="منارة كاندلكراغ تضيء من جديد",
        keep=("وقد صنع معمل زجاج في البر الرئيسي القطع التسع الناقصة",),
        gone=("جميع الحقوق محفوظة", "نستخدم ملفات تعريف الارتباط"),
    ),
    "/zh/mist-tea": Ordinary(
        title="索雷尔岛的雾茶",
        keep=("活下来的四十一株成了今天所有茶树的母株", "鲜叶在面包房的余温里慢慢烘干"),
        gone=("版权所有", "联系我们"),
    ),
    "/de/klippenweg": Ordinary(
        title="Der Klippenweg: Wandern auf Sorrel",
        keep=("Insgesamt sind 620 Höhenmeter zu überwinden.", "wenn der Sauerklee blüht und die Brachvögel rufen"),
        gone=("Einverstanden", "Netzstraße 2", "Impressum"),
    ),
}


def _frame(path: str) -> tuple[str, ...]:
    return next((frame for site, frame in _FRAMES.items() if path.startswith(site)), ())


ORDINARY: Mapping[str, Ordinary] = {
    path: replace(page, gone=page.gone or _frame(path)) for path, page in _PAGES.items()
}
