"""Wall detection: tells a page from what stands before it, by status, headers and the beginning of the body.

Bot challenges and block pages of protection services are known by their marks, and by how little else there is. A page
that writes about captchas, has one in a form, or merely comes from a protected site is a page. What every page of a
guarded site may carry (a vendor's script) weighs little; what only the challenge itself carries weighs much.

The reply is looked at in linear time and without a tree, which also tells a page that only leads elsewhere by a meta
refresh.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape

from gossamer.errors import (
    BlockPage,
    BrokenReply,
    Captcha,
    Denied,
    EmptyPage,
    GossamerError,
    NotFound,
    PaymentRequired,
    RateLimited,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import HttpReply
from gossamer.ports import retry_after

LOOKED_AT_BYTES = 100_000
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,300})")
_TAG = re.compile(r"<[^<>]*>")
_RAW = re.compile(r"<(script|style|noscript|template|title|!--)")
_SPACE = re.compile(r"\s+")
_WITHOUT_CONTENT_CHARS = 200
"""Room for "you are being redirected, click here if nothing happens", and for no article."""
_MOST_BYTES = 32 * 1024
"""A page that only leads elsewhere is not larger."""
_AT_ONCE_S = 1.0
_META = re.compile(r"<meta\s[^<>]{0,3000}>")
_IS_REFRESH = re.compile(r""" http-equiv ?= ?["']? ?refresh""", re.IGNORECASE)
_CONTENT = re.compile(r""" content ?= ?(?:"([^"]*)"|'([^']*)'|([^ "'>]+))""", re.IGNORECASE)
_REFRESH = re.compile(r"(\d{0,6}(?:\.\d{0,6})?) ?[;, ] ?(?:url ?= ?)?(.*)", re.IGNORECASE)
"""Of text with single blanks, so that none of these has a choice where to look for one."""

_WALL_CHARS = 1_500
"""Walls hold less text than this; a page with more is a page."""
_SMALL_CHARS = 600
_STUB_CHARS = 160
_BARE_CHARS = 80
_MARKS = 20
_ERRORS = 400
_GONE = frozenset({404, 410})

_CHALLENGE_TITLE = re.compile(
    r"(?:just a (?:moment|second)|one moment,? please|please wait|un instant|un momento|nur einen moment|"
    r"um momento|einen moment bitte|"
    r"请稍候|请稍等|少々お待ちください|しばらくお待ちください|잠시만 기다리십시오|один момент|подождите|"
    r"checking your browser.*|ddos-guard|ddos protection|robot check|bot (?:verification|check|protection)|"
    r"human verification|security (?:check(?:point)?|verification|challenge)|browser (?:check|verification)|"
    r"vercel security checkpoint|performing security verification|verification required|"
    r"verify(?:ing)? (?:that )?you(?:'re|’re| are) (?:a )?human|are you a (?:robot|human)|are you human|"
    r"making sure you(?:&#39;|'|’)re not a bot|checking you are not a bot|"
    r"pardon our interruption|client challenge|access to this page has been denied|captcha(?: challenge)?|recaptcha|"
    r"attention required! \| cloudflare|challenge validation|you are being redirected|sorry|ой|вы не робот|"
    r"百度安全验证|安全验证|人机验证|验证码(?:拦截)?|滑动验证页面|ロボットではありません|"
    r"you have been verified|blocked|error|security)[\s.…!?]*(?:[|–-] .*)?"
)
_SURE_TITLE = re.compile(
    r"(?:pardon our interruption|client challenge|vercel security checkpoint|access to this page has been denied|"
    r"ddos-guard|checking your browser before accessing|"
    r"making sure you(?:&#39;|'|’)re not a bot|checking you are not a bot|"
    r"百度安全验证|验证码拦截|滑动验证页面)[\s.…!]*.{0,60}"
)
_CHALLENGE_ONLY = re.compile(
    r"_cf_chl_opt|cf_chl_(?:rt_tk|f_tk|prog)|jschl[_-]vc|challenge-platform/h/\w{1,4}/orchestrate|"
    r"cf-challenge-running|"
    r"captcha-delivery\.com/(?:captcha|interstitial|[ci]\.js)|id=[\"']?px-captcha|class=[\"']?px-captcha|"
    r"_incapsula_resource\?(?:cwudnsai|swudnsai)|awswafcaptcha|window\.gokuprops|sgcaptcha|"
    r"/_sec/cp_challenge|sec-if-cpt-|bm-verify=|window\.kpsdk|/149e9513-01fa-4fb0-aad4-566afd725d1b/|"
    r"id=[\"']?anubis_challenge|\.within\.website/x/cmd/anubis|/go-away/(?:cmd|assets)|__goaway|"
    r"\.well-known/ddos-guard/(?:js-challenge|check)|sucuri_cloudproxy_js|\.well-known/vercel/security/|"
    r"validate\.perfdrive\.com|_____tmd_____/punish|wappass\.baidu\.com/static/captcha|/showcaptcha|checkcaptcha\?|"
    r"/_fs-ch-|id=[\"']?captcha-form[\"']? action=[\"']?(?:/sorry/)?index|/errors/validatecaptcha|__qrator|"
    r"challenges\.cloudflare\.com/turnstile/v0/(?:g|b)/"
)
_GUARDED_SITE = re.compile(
    r"_incapsula_resource|aws-?waf(?:-token|integration)|awswaf\.com|ddos-guard|distil_|arkoselabs|__ddg|bobcmn|"
    r"/tspd/|"
    r"challenge-platform|kpsdk|px-cloud\.net|datadome|captcha-delivery\.com"
)
_GUARD_FRAME = re.compile(r"<iframe\b[^<>]{0,1000}_incapsula_resource")
"""The one frame of a page that a protection service sends instead of the site's."""
_HUMAN = re.compile(
    r"(?:verify|verifies|verifying|confirm|prove|make sure|making sure|check|checking|ensure|show us)"
    r"(?: [\w'’,]{1,12}){0,4}? (?:you(?:'re|’re|&#39;re| are)|are) (?:really |indeed |actually )?"
    r"(?:a |an |not a |no )?(?:human|robot|bot|real person)|"
    r"are you (?:a )?(?:human|robot)|(?:not|n['’]t) a (?:ro)?bot|unusual (?:traffic|activity) (?:from|coming from|"
    r"on) your|"
    r"(?:complete|solve|pass) the (?:captcha|security check|challenge|puzzle)|"
    r"checking (?:if the site connection|your browser)|browser will redirect to your requested content|"
    r"made us think (?:that )?you (?:are|were|might be) a bot|enable (?:javascript|js) and (?:disable|cookies)|"
    r"enter the (?:characters|code|letters|text) (?:you see|shown|from|in|below|above)|type the characters|"
    r"press (?:&amp;|&|and) hold (?:the button )?to|"
    r"ddos protection by|"
    r"needs to review the security of your connection|slide (?:right|the)[^.]{0,20} (?:verify|complete|secure)|"
    r"dass sie (?:ein mensch|kein roboter) sind|sind sie ein (?:mensch|roboter)|"
    r"que vous (?:êtes (?:bien )?(?:un )?humain|n['’]êtes pas un robot)|"
    r"que (?:usted )?(?:es|eres) (?:un ser )?humano|no (?:es|eres|soy) un robot|"
    r"que você (?:é|não é) (?:um )?(?:humano|robô)|che (?:sei|non sei) un (?:essere umano|robot)|"
    r"(?:вы|вами) не робот|а не робот|я не робот|проверка браузера|"
    r"安全验证|人机验证|验证您?是(?:否是)?真人|拖动滑块|滑动验证|不是机器人|不是機器人|ロボットではありません|"
    r"人間であること|"
    r"로봇이 아닙니다|사람인지 확인"
)
_ORDINARY = re.compile(
    r"<article|<nav\b|property=[\"']?og:|rel=[\"']?(?:canonical|alternate)|application/(?:rss|ld)\+|<time\b|"
    r"<blockquote"
)
"""What sites write into their own pages and protection services do not."""

_LIMITED = re.compile(r"error 1015\b.{0,40}you are being rate limited")
_BLOCK_SEARCH = re.compile(
    r"access denied|attention required!|blocked|forbidden|request rejected|403|security|error|not acceptable"
)
_BLOCK_WORDS = re.compile(
    r"reference #|errors\.edgesuite\.net|sucuri website firewall|you have been blocked|incapsula incident id|"
    r"requested url was rejected|web page blocked|generated by wordfence|request could not be satisfied|mod_security|"
    r"blocked by (?:network security|our security|mod|the (?:owner|administrator|security))|"
    r"(?:request|access|connection|ip address|ip) (?:has been|was|is) (?:temporarily |automatically )?blocked|"
    r"used cloudflare to restrict access|has banned (?:your ip|the country|the autonomous|you)|"
    r"access (?:to this (?:page|site|website|resource|server|content)|from your (?:ip|country|area|region))"
    r"[^.]{0,40} (?:denied|blocked|limited)|don(?:'|’|&#39;|"
    r"&#x27;)t have permission to access .{0,200}on this server|"
    r"your access to this (?:site|service) has been limited|identified .{0,40}as (?:a bot|automated)|"
    r"(?:event|incident|support|block|request|trace) id ?(?:is)?:|web application firewall|"
    r"您的(?:请求|访问)(?:已)?被(?:拦截|阻止|拒绝)|请求.{0,20}被(?:拦截|阻断)"
)
_ELSEWHERE = "Search for another source of the same information; asking again will end the same way."
_CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "captcha"),
    ("x-amzn-waf-action", "challenge"),
    ("x-vercel-mitigated", "challenge"),
)
_BLOCK_HEADERS = (("x-vercel-mitigated", "deny"), ("x-sucuri-block", ""))
_PRICES = ("crawler-price", "crawler-exact-price", "payment-required")


@dataclass(frozen=True, kw_only=True, slots=True)
class HtmlGlance:
    """The beginning of a page, all in lower case."""

    html: str
    title: str
    text: str
    """What stands outside of tags, scripts, styles, the title and `noscript`; on one line."""


def glance(reply: HttpReply) -> HtmlGlance | None:
    """Look at the first 100 kB; None for what says that it is no HTML."""
    kind = reply.content_type
    if kind and "html" not in kind:
        return None
    html = reply.body[:LOOKED_AT_BYTES].decode("utf-8", "replace").lower()
    title = _TITLE.search(html)
    text = _TAG.sub(" ", " ".join(html[start:end] for start, end in seen(html)))
    return HtmlGlance(html=html, title=_one_line(title[1]) if title else "", text=_one_line(text))


def seen(html: str) -> Iterator[tuple[int, int]]:
    """Where lower-case markup holds neither comments nor elements whose inside is no text on the page."""
    at = 0
    while raw := _RAW.search(html, at):
        yield at, raw.start()
        is_comment = raw[1] == "!--"
        end = html.find("-->" if is_comment else f"</{raw[1]}", raw.end())
        at = len(html) if end < 0 else end + 3 * is_comment
    yield at, len(html)


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def meta_refresh(reply: HttpReply) -> str:
    """The address, as written, that a page without content refreshes to at once; empty for every other reply.

    A refresh after some time, without an address or inside `noscript` is none; scripts are not looked at.
    """
    if reply.status != 200 or len(reply.body) > _MOST_BYTES:
        return ""
    if "refresh" not in reply.headers and b"refresh" not in reply.body.lower():
        return ""
    page = glance(reply)
    if page is None or len(page.text) > _WITHOUT_CONTENT_CHARS:
        return ""
    instruction = _REFRESH.fullmatch(_one_line(reply.headers.get("refresh") or _written(reply.body.decode("latin-1"))))
    if instruction is None or float(f"0{instruction[1]}") > _AT_ONCE_S:
        return ""
    return _unquoted(instruction[2].strip())


def _written(html: str) -> str:
    """What the first refresh on the page says; bytes beyond ASCII are read as UTF-8, as addresses are."""
    lower = html.lower()
    for start, end in seen(lower):
        for tag in _META.finditer(lower, start, end):
            line = _one_line(html[tag.start() : tag.end()])
            content = _CONTENT.search(line)
            if content and _IS_REFRESH.search(line):
                value = content[1] or content[2] or content[3] or ""
                return unescape(value.encode("latin-1").decode("utf-8", "replace"))
    return ""


def _unquoted(where: str) -> str:
    """An address without the quotes round it, as far as they are there."""
    return where[1:].partition(where[0])[0].strip() if where.startswith(("'", '"')) else where


def is_challenge(page: HtmlGlance, status: int) -> bool:
    """Whether the page asks, or has a script find out, if its visitor is human.

    Words alone tell that of a reply that is an error already; those of others are judged where the page is read.
    """
    if len(page.text) > _WALL_CHARS:
        return False
    is_titled = bool(_CHALLENGE_TITLE.fullmatch(page.title))
    asks = bool(_HUMAN.search(page.text)) or (not is_titled and bool(_HUMAN.search(page.title)))
    if _is_marked(page, _CHALLENGE_ONLY):
        return is_titled or asks or len(page.text) < _SMALL_CHARS
    if status in _GONE or _ORDINARY.search(page.html):
        return False
    if not page.text and _is_marked(page, _GUARDED_SITE):
        return True
    if _SURE_TITLE.fullmatch(page.title):
        return asks or len(page.text) < _SMALL_CHARS
    if page.title.startswith("just a ") and is_titled:
        return asks or len(page.text) < _BARE_CHARS
    return asks and status >= _ERRORS


def is_limit(page: HtmlGlance) -> bool:
    """Whether a protection service says that it counts our requests."""
    return len(page.text) < _SMALL_CHARS and bool(_LIMITED.search(page.text))


def is_block(page: HtmlGlance, status: int) -> bool:
    """Whether an error says that a protection service has turned us away; or a stub that the service itself sent."""
    if len(page.text) > _WALL_CHARS or status in _GONE:
        return False
    if not _BLOCK_WORDS.search(f"{page.title} {page.text}"):
        return False
    if status < _ERRORS:
        return len(page.text) < _STUB_CHARS and bool(_GUARD_FRAME.search(page.html))
    return bool(_BLOCK_SEARCH.search(page.title or page.text[:200])) or len(page.text) < _SMALL_CHARS


def _is_marked(page: HtmlGlance, marks: re.Pattern[str]) -> bool:
    """Whether the markup holds a mark that the page does not merely write about."""
    first_marks = zip(marks.finditer(page.html), range(_MARKS), strict=False)
    return any(mark[0] not in page.text for mark, _ in first_marks)


def judge_reply(reply: HttpReply, *, now: float | None = None) -> None:
    """Raise for a reply that is no page: challenges and block pages whatever their status, then by status.

    `now`, in UTC seconds, is for sites that say by a date when to come again.
    """
    wall = _wall(reply, now)
    if wall is not None:
        raise wall
    fault = _fault(reply, now)
    if fault is not None:
        raise fault


def _wall(reply: HttpReply, now: float | None) -> GossamerError | None:
    if _says(reply, _CHALLENGE_HEADERS):
        return _captcha()
    if _says(reply, _BLOCK_HEADERS):
        return _blocked()
    page = glance(reply)
    if page is None:
        return None
    if is_challenge(page, reply.status):
        return _captcha()
    if is_limit(page):
        return RateLimited("The site", retry_after_s=retry_after(reply, now=now))
    return _blocked() if is_block(page, reply.status) else None


def _says(reply: HttpReply, marks: tuple[tuple[str, str], ...]) -> bool:
    return any(name in reply.headers and mark in reply.headers[name].lower() for name, mark in marks)


def _captcha() -> Captcha:
    return Captcha("A bot challenge stands before the page.", hint=_ELSEWHERE)


def _blocked() -> BlockPage:
    return BlockPage("A protection service has blocked the page.", hint=_ELSEWHERE)


def _fault(reply: HttpReply, now: float | None) -> GossamerError | None:
    """The error that a status stands for, None for a page."""
    status = reply.status
    if status in {204, 205}:
        return EmptyPage(f"The site answered without a page ({status}).", hint="Check the address.")
    if 200 <= status < 300:
        return None
    if status == 402:
        return _unpaid(reply)
    if status == 429:
        return RateLimited("The site", retry_after_s=retry_after(reply, now=now))
    if status in _BY_STATUS:
        return _BY_STATUS[status](status)
    if 400 <= status < 500:
        return Denied(f"The site turned our request away ({status}).", hint="Look for another source.")
    if 500 <= status < 600:
        wait = retry_after(reply, now=now)
        when = "later" if wait is None else f"in {wait:.0f} s"
        return Unreachable(f"The site failed on its side ({status}).", hint=f"Try again {when}.", retry_after_s=wait)
    return BrokenReply(f"The site answered with status {status}, which is no page.", hint="Check the address.")


def _unpaid(reply: HttpReply) -> GossamerError:
    """Tell who has not paid: the reader, we as a crawler, or the site its host."""
    if "x-vercel-error" in reply.headers:
        return Unreachable("The site is switched off by its host (402).", hint="Look for another source.")
    if any(name in reply.headers for name in _PRICES):
        return PaymentRequired(
            "The site asks programs to pay for each page (402).",
            hint="Look for a free source; the operator may have an agreement with the site.",
        )
    return PaymentRequired("The page has to be paid for (402).", hint="Look for a free source.")


_BY_STATUS: dict[int, Callable[[int], GossamerError]] = {
    401: lambda status: Denied(
        f"The page asks for a login ({status}).", hint="Look for a public source of the same information."
    ),
    403: lambda status: Denied(f"The site does not let us see the page ({status}).", hint=_ELSEWHERE),
    404: lambda status: NotFound(
        f"There is no such page ({status}).", hint="Check the address or search for the page."
    ),
    408: lambda status: TimedOut(f"The site waited for us in vain ({status}).", hint="Try again."),
    410: lambda status: NotFound(f"The page is gone for good ({status}).", hint="Search for where it went."),
    451: lambda status: Denied(f"The page is withheld for legal reasons ({status}).", hint="Look for another source."),
    999: lambda status: Denied(f"The site turns programs away ({status}).", hint=_ELSEWHERE),
}
