"""Every transport, redirect, status, parser, bomb and charset case of the hostile server, by both faces.

Each case says what must hold; what the list `always` of the corpus says is checked after every one.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.faces import EngineFace, Face, Growth, HostileSite, ServerFace, Told
from tests.patience import skip_where_starved

SHARED = Path(__file__).parents[2] / "../shared/security"
SCRIPT = SHARED / "hostile_server.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the hostile server of the corpus is not on this machine")

Case = dict[str, Any]
CASES: list[Case] = json.loads((SHARED / "hostile_cases.json").read_text())["cases"] if SCRIPT.exists() else []

LEFT_OUT = {
    "inject-": "what a reader cannot see or must not obey is a matter of cleaning and marking pages",
    "keep-visible": "that cleaning keeps what a reader sees is proven where pages are cleaned",
}
"""Families by their beginnings, and why they are not run here."""

RUN = [case for case in CASES if not case["family"].startswith(tuple(LEFT_OUT))]
ONLY_WAITING = frozenset({"s-endless-slow-01", "s-drip-01", "s-drip-head-01", "s-silent-01"})
"""Cases that end at a deadline of ours; they run beside the others."""
CLOSE_THE_SITE = frozenset({"s-status-08", "s-retry-date-01"})
"""After these the site is not asked again for minutes, so that each has one for itself."""
ORDINARY = "s-keep-visible-01"
"""An article like any other, of a family that is not run here."""
FACES = {"engine": EngineFace, "server": ServerFace}

DEFAULT_GROWTH_MB = 200
SLACK = 4
"""The corpus counts seconds of a machine of our own; others may use this one. A face gives up after sixty."""
CODES = {
    "ok": (),
    "paywall": ("http_status",),
    "too_large": ("too_large", "too_complex"),
    "timeout": ("timeout",),
    "refused": ("blocked", "bad_url"),
    "unsupported": ("unsupported_type",),
    "empty": ("empty_page",),
    "js_required": ("empty_page",),
    "captcha": ("challenge",),
    "denied": ("http_status",),
    "not_found": ("http_status",),
    "unreachable": ("http_status",),
    "rate_limited": ("http_status",),
}
"""Our outcomes as the corpus names them; `error` is told apart by its sentence."""
SENTENCES = {
    "redirects (?:in a circle|more than)": ("too_many_redirects",),
    "redirects without saying where": ("protocol",),
    "packed in a way we did not ask for": ("unsupported_encoding",),
    "cannot be unpacked|packed reply ends too early": ("decode",),
    "does not speak HTTP properly|says in two ways|which no page has|more framing than content": ("protocol",),
    "broke off before its reply was complete": ("incomplete",),
    "cannot be read|broken|damaged": ("decode",),
}
FLAGS = {
    "paywall": "paywall",
    "login_required": "denied",
    "needs_javascript": "js_required",
    "challenge": "captcha",
    "empty": "empty",
    "soft_404": "not_found",
}
"""The outcome that says what the corpus wants to hear said."""
OURS = re.compile(r'Traceback|File "|site-packages|\.py\b|/(?:tmp|home|root|work|usr)/|127\.0\.0\.2|INTERNAL-SERVICE')


@dataclass(frozen=True, kw_only=True)
class Seen:
    """How a case ended, on both sides."""

    told: Told
    again: Told | None
    growth_mb: float
    hits: dict[str, Any]
    private: list[str]


class Stage:
    """A face, and the sites before it."""

    def __init__(self, name: str, folder: Path) -> None:
        self._make = FACES[name]
        self._folder = folder
        self._pages = 0
        self._opened: list[Face | HostileSite] = []
        self._waiting: dict[str, Future[Seen]] = {}
        self._pool = ThreadPoolExecutor(len(ONLY_WAITING))

    @cached_property
    def sites(self) -> dict[str, HostileSite]:
        """The common one under an empty name, and one for each case that needs its own."""
        sites = {name: HostileSite(SCRIPT) for name in ("", *CLOSE_THE_SITE)}
        self._opened += sites.values()
        return sites

    @cached_property
    def face(self) -> Face:
        return self._face("face")

    def _face(self, name: str) -> Face:
        face = self._make(list(self.sites.values()), self._folder / name)
        self._opened.append(face)
        return face

    def wait_for(self, cases: list[Case]) -> None:
        """Begin with the cases that only wait, in a face of their own."""
        if cases:
            face = self._face("waiting")
            face.fetch(f"{self.sites[''].base}/c/{ORDINARY}?first")
            self._waiting = {case["id"]: self._pool.submit(self._run, case, face) for case in cases}

    def seen(self, case: Case) -> Seen:
        return self._waiting[case["id"]].result() if case["id"] in self._waiting else self._run(case, self.face)

    def ordinary(self) -> Told:
        """An ordinary page that was never asked for before."""
        self._pages += 1
        told = self.face.fetch(f"{self.sites[''].base}/c/{ORDINARY}?{self._pages}")
        if told.outcome == "timeout":
            skip_where_starved()
        return told

    def _run(self, case: Case, face: Face) -> Seen:
        site = self.sites[case["id"] if case["id"] in CLOSE_THE_SITE else ""]
        with Growth(face.pid) as growth:
            told = face.fetch(site.base + case["path"])
            is_again = case["must"].get("repeat") or case["id"] in CLOSE_THE_SITE
            again = face.fetch(f"{site.base}{case['path']}?again") if is_again else None
        counted = site.counted()
        hits = counted["hits"].get(case["path"], {"methods": {}, "bytes_sent": 0, "cookies": [], "authorization": []})
        return Seen(told=told, again=again, growth_mb=growth.mb, hits=hits, private=counted["private"])

    def close(self) -> None:
        self._pool.shutdown()
        for opened in reversed(self._opened):
            opened.close()


@pytest.fixture(scope="module", params=FACES)
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One face at a time, warmed up by an ordinary page."""
    stage = Stage(request.param, tmp_path_factory.mktemp(request.param))
    chosen = "\n".join(item.name for item in request.session.items)
    try:
        stage.wait_for(
            [case for case in RUN if case["id"] in ONLY_WAITING and f"{request.param}-{case['id']}]" in chosen]
        )
        assert stage.ordinary().outcome == "ok"
        yield stage
    finally:
        stage.close()


def test_every_case_is_run_here_or_left_out_for_a_reason() -> None:
    left_out = {case["family"] for case in CASES} - {case["family"] for case in RUN}
    assert all(any(family.startswith(start) for start in LEFT_OUT) for family in left_out)
    assert {case["id"] for case in RUN} >= ONLY_WAITING | CLOSE_THE_SITE
    assert len(RUN) > 90


@pytest.mark.parametrize("case", RUN, ids=[case["id"] for case in RUN])
def test_what_a_case_says_must_hold_holds(stage: Stage, case: Case) -> None:
    must = case["must"]
    seen = stage.seen(case)
    told = seen.told
    print(f"{told.outcome}, {told.seconds:.1f} s, +{seen.growth_mb:.0f} MB: {told.text[:300]!r}")
    is_late = told.seconds > must.get("max_seconds", 12) * SLACK
    if is_late or "timeout" in wrong_outcome(must, told):
        skip_where_starved()
    assert wrong_outcome(must, told) == ""
    assert wrong_text(must, told) == ""
    assert not is_late
    assert seen.growth_mb <= must.get("max_rss_mb", DEFAULT_GROWTH_MB)
    assert seen.hits["bytes_sent"] <= must.get("max_wire_mb", 1e9) * 2**20
    assert sum(seen.hits["methods"].values()) == seen.hits["methods"].get("GET", 0) <= must.get("max_requests", 10)
    assert seen.private == []
    assert seen.hits["cookies"] == seen.hits["authorization"] == []
    assert wrong_retry(must, seen) == ""
    assert stage.ordinary().outcome == "ok"


def wrong_outcome(must: Case, told: Told) -> str:
    """What is wrong with how a page ended, or nothing."""
    flag = FLAGS.get(must.get("flag", ""))
    if flag is not None:
        return "" if told.outcome == flag else f"{told.outcome}, not {flag}"
    is_content = told.outcome == "ok"
    if must["outcome"] == ("error" if is_content else "content"):
        return f"{told.outcome}, not {must['outcome']}: {told.text}"
    if is_content:
        return ""
    codes = codes_of(told)
    return "" if set(codes) & set(must["error"]) else f"{codes or told.text}, not {must['error']}"


def codes_of(told: Told) -> tuple[str, ...]:
    if told.outcome != "error":
        return CODES[told.outcome]
    return next((codes for sentence, codes in SENTENCES.items() if re.search(sentence, told.text)), ())


def wrong_text(must: Case, told: Told) -> str:
    """What is in the text and must not be, or is not and must be."""
    if told.outcome in {"ok", "paywall"} and not all(word in told.text for word in must.get("contains", [])):
        return f"without {must['contains']}: {told.text}"
    for word in must.get("excludes", []):
        if word in told.text:
            return f"holds {word}"
    for span in must.get("excludes_chars", []):
        first, _, last = span.replace("U+", "").partition("-")
        if any(int(first, 16) <= ord(char) <= int(last or first, 16) for char in told.text):
            return f"holds characters of {span}"
    told.text.encode("utf-8")
    ours = OURS.search(told.text)
    return f"holds {ours[0]}" if ours else ""


def wrong_retry(must: Case, seen: Seen) -> str:
    """What is wrong with the status and with when to ask again."""
    told = seen.told
    status = must.get("http_status")
    if status and f"({status})" not in told.text and not (status == 429 and told.outcome == "rate_limited"):
        return f"{status} is not told: {told.text}"
    if "retryable" in must and told.retryable != must["retryable"]:
        return f"retryable is {told.retryable}"
    wanted = must.get("retry_after_s")
    if wanted is not None and abs((told.retry_after_s or 0) - wanted) > must.get("retry_after_tolerance_s", 1):
        return f"again in {told.retry_after_s} s, not {wanted}"
    if seen.again and must.get("repeat"):
        return wrong_text(must, seen.again)
    if seen.again and seen.again.outcome != "rate_limited":
        return f"asked again at once: {seen.again}"
    return ""
