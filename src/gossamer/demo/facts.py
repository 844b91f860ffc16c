"""What the pages of the mini web really say: the key against which the demo and the tests are marked.

An `answer` stands in its page word for word, free of links and emphasis, so it must come back unchanged from
fetching, reading and answering; only line breaks and the marks of a Markdown table may differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gossamer.errors import Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A question, the page that answers it, and the words that do."""

    path: str
    question: str
    answer: str
    also: tuple[str, ...] = ()
    """What else the page must say for the answer to make sense: the rest of a table row, for example."""


_REPORT = "/observatory/report-2025"

FACTS: tuple[Fact, ...] = (
    Fact(
        path="/gazette/sandpiper-enters-service",
        question="How long does the electric ferry Sandpiper take to charge at Mossgate?",
        answer="an arm on the quay plugs itself in and fills them in 28 minutes",
    ),
    Fact(
        path="/gazette/lighthouse-relit",
        question="Where was the lost lens of the Candlecrag lighthouse found?",
        answer="It was found in 2023 under a horse blanket in the cellar of the observatory",
    ),
    Fact(
        path="/gazette/dark-sky-vote",
        question="When are street lamps switched off under the dark sky ordinance?",
        answer="From 1 January lamps are switched off between 23:00 and 05:00",
    ),
    Fact(
        path="/gazette/storm-idris",
        question="What was the strongest gust during Storm Idris?",
        answer="recorded a gust of 148 kilometres an hour at 02:17",
    ),
    Fact(
        path="/ferry/press/second-electric-ferry",
        question="When will the second electric ferry Turnstone be delivered?",
        answer="The ship, to be named Turnstone, will be delivered in spring 2028",
    ),
    Fact(
        path="/ferry/timetable",
        question="When does sailing 110 of the Plover leave Mossgate on Sunday?",
        answer="22:10",
        also=("110", "Sunday only"),
    ),
    Fact(
        path="/ferry/fares",
        question="How much does the ten-trip ferry pass cost?",
        answer="The ten-trip pass costs 98 euros and may be shared.",
    ),
    Fact(
        path="/island/faq",
        question="May I camp wild on Sorrel Island, and for how long?",
        answer="Wild camping is allowed for two nights in one place",
    ),
    Fact(
        path="/island/glossary",
        question="What does the island word neap-guest mean?",
        answer="A visitor who misses the last boat and stays the week.",
        also=("neap-guest",),
    ),
    Fact(
        path="/island/history",
        question="In which year was the last salt boiled on Sorrel Island?",
        answer="Salt was boiled here until 1799",
    ),
    Fact(
        path="/skein/docs/deadlines",
        question="How do I stop a skein loom with a deadline of ten seconds?",
        answer="with loom.deadline(seconds=10):",
    ),
    Fact(
        path="/skein/docs/configuration",
        question="What is the default of drain_seconds in the skein configuration?",
        answer="2.5",
        also=("SKEIN_DRAIN_SECONDS", "How long an ending loom waits for its strands"),
    ),
    Fact(
        path="/skein/docs/backpressure",
        question="What is the default back-pressure policy of skein and why?",
        answer="The default policy is wait, because losing data silently is the one surprise nobody forgives.",
    ),
    Fact(
        path="/skein/docs/cli",
        question="What does exit code 3 of the skein doctor command mean?",
        answer="Exit code 3 means that a setting could not be read.",
    ),
    Fact(
        path="/skein/changelog",
        question="Which skein release dropped support for Python 3.10?",
        answer="Breaking: Python 3.10 is no longer supported.",
        also=("2.0.0 (18 January 2025)",),
    ),
    Fact(
        path="/skein/blog/ring-instead-of-heap",
        question="How much faster is the ring than the heap in the skein scheduler?",
        answer="took 2.9 seconds with the heap and takes 1.8 seconds with the ring",
    ),
    Fact(
        path="/forum/thread/118",
        question="What is the workaround when a loom hangs because a strand closes early?",
        answer="yield one dummy value before anything can fail and skip it in the loop",
    ),
    Fact(
        path="/larder/seaweed-oat-bread",
        question="At which temperature is seaweed oat bread baked?",
        answer="Bake at 210 °C for 20 minutes, then lower the oven to 190 °C",
    ),
    Fact(
        path="/shop/brassling-kettle",
        question="How quickly does the Brassling kettle boil one litre?",
        answer="It boils one litre in six minutes on a gas flame",
    ),
    Fact(
        path=_REPORT,
        question="Where was the mirror of the Heron telescope re-aluminised in September?",
        answer="The mirror was re-aluminised on 17 September in a vacuum chamber borrowed from the shipyard at "
        "Port Ellery.",
    ),
    Fact(
        path=_REPORT,
        question="Why did the dome stand still for two nights in February?",
        answer="The dome stood still for two nights because a field mouse had built its nest in the limit switch.",
    ),
    Fact(
        path=_REPORT,
        question="What was the darkest reading of the sky at the observatory in 2025?",
        answer="The darkest reading of the year, 21.93 magnitudes per square arcsecond, was taken at 02:40 on "
        "23 November.",
    ),
    Fact(
        path=_REPORT,
        question="Why was the clock of the Wren telescope wrong by one second?",
        answer="The error was traced to a leap-second table that nobody had updated since 2017.",
    ),
    Fact(
        path=_REPORT,
        question="How large is the asteroid of the October occultation?",
        answer="the asteroid is 47 kilometres long and 31 kilometres wide",
    ),
    Fact(
        path=_REPORT,
        question="How many glass plates does the archive of the observatory hold?",
        answer="The archive holds 23,417 plates in wooden drawers",
    ),
    Fact(
        path="/observatory/summary-2025.pdf",
        question="Which decisions are asked of the trustees about the library roof?",
        answer="Approve 64,000 euros for the library roof before the end of March 2026.",
    ),
    Fact(
        path="/files/tides.txt",
        question="When is the highest tide of the year expected at Mossgate?",
        answer="The highest tide of the year, 5.3 metres, is expected on 28 September.",
    ),
    Fact(
        path="/files/mill-notes.md",
        question="What does the amber light of the tidal mill mean?",
        answer="eels in the screen",
        also=("amber",),
    ),
    Fact(
        path="/ja/night-sky",
        question="キャンドルクラグ天文台の夜間見学の定員は何名ですか",
        answer="定員は二十四名で、料金は大人十二ユーロ、子ども五ユーロです。",
    ),
    Fact(
        path="/ja/ferry-guide",
        question="サンドパイパー号は何分で到着しますか",
        answer="電気フェリー「サンドパイパー号」なら六十五分で到着します。",
    ),
    Fact(
        path="/zh/mist-tea",
        question="雾茶用多少度的水冲泡最合适",
        answer="水温八十度最合适，水太烫会发苦。",
    ),
    Fact(
        path="/ar/lighthouse",
        question="متى بُنيت منارة كاندلكراغ؟",
        answer="بُنيت المنارة عام 1868 بعد غرق السفينة أوفيميا",
    ),
    Fact(
        path="/de/klippenweg",
        question="Wie viele Stufen hat die Jakobsleiter auf dem Klippenweg?",
        answer="Das steilste Stück, die Jakobsleiter, hat 214 in den Fels gehauene Stufen",
    ),
    Fact(
        path="/walks/lichen-walk",
        question="How wide is the patch of golden hair lichen on the north shore?",
        answer="61 centimetres wide when the club measured it in April",
    ),
)

OUTCOMES: Mapping[str, Outcome] = {
    "/webcam/harbour": Outcome.CAPTCHA,
    "/walls/moment": Outcome.CAPTCHA,
    "/walls/consent": Outcome.BLOCKED,
    "/walls/blocked": Outcome.BLOCKED,
    "/members/logbook": Outcome.DENIED,
    "/gazette/tidal-mill-accounts": Outcome.PAYWALL,
    "/apps/tide-clock": Outcome.JS_REQUIRED,
    "/empty": Outcome.EMPTY,
    "/private/captains-notes": Outcome.ROBOTS,
    "/private/ledger": Outcome.ROBOTS,
    "/island/harbour-swimming-pool": Outcome.NOT_FOUND,
    "/nowhere": Outcome.NOT_FOUND,
    "/status/401": Outcome.DENIED,
    "/status/403": Outcome.DENIED,
    "/status/404": Outcome.NOT_FOUND,
    "/status/410": Outcome.NOT_FOUND,
    "/status/429": Outcome.RATE_LIMITED,
    "/status/500": Outcome.UNREACHABLE,
    "/status/503": Outcome.UNREACHABLE,
    "/old/timetable.html": Outcome.OK,
    "/go/kettle": Outcome.OK,
    "/chain/1": Outcome.OK,
    "/loop/a": Outcome.ERROR,
    "/long/1": Outcome.ERROR,
    "/go/metadata": Outcome.REFUSED,
    "/go/file": Outcome.REFUSED,
    "/img/lantern.png": Outcome.UNSUPPORTED,
    "/files/gauge.bin": Outcome.UNSUPPORTED,
    "/files/torn.pdf": Outcome.ERROR,
    "/files/cut": Outcome.ERROR,
    "/files/thaw": Outcome.TOO_LARGE,
    "/slow": Outcome.TIMEOUT,
    "/slow/silent": Outcome.TIMEOUT,
    "/live/counter": Outcome.OK,
    "/live/bulletin": Outcome.OK,
    "/live/tides": Outcome.OK,
}
"""How fetching each special page must end. `/status/429` closes its host for seven seconds, `/slow` and
`/slow/silent` last until the reader's own deadline: fetch them last, and alone."""
