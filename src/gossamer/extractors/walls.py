"""Pages that stand before the content instead of being it: logins, paywalls, consent, soft 404s, empty shells."""

import re
from dataclasses import dataclass

from gossamer.errors import BlockPage, Denied, EmptyPage, NeedsScript, NotFound
from gossamer.extractors.linked import Node, text
from gossamer.extractors.tree import Element, attr, body, classes, words

PAYWALL_MESSAGE = "The page is behind a paywall: this is the part that is free to read."

_SHORT = 600
_PARTIAL = 3_000
_PAY = re.compile(
    r"subscribe (?:now )?to (?:continue|keep|read)|(?:to|and) continue reading|already a subscriber|subscribers? only|"
    r"this (?:article|content|story) is (?:for|reserved for|exclusive to|available to) "
    r"(?:our )?(?:subscribers|members)|"
    r"you(?:'|’)ve (?:reached|used) (?:your|all)[^.]{0,40}free articles|unlock this article|"
    r"jetzt weiterlesen mit|réservé aux abonnés|この記事は有料会員限定|会員限定記事",
    re.IGNORECASE,
)
_PAY_CLASS = re.compile(r"pay-?wall|subscriber-only|premium-content|regwall", re.IGNORECASE)
_LOGIN = re.compile(
    r"\b(?:log ?in|sign ?in|log on|password|anmelden|einloggen|se connecter|connexion|iniciar sesión|вход|войти)\b|"
    r"ログイン|登录|登錄",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"before you continue|cookie (?:consent|settings|preferences)|"
    r"we (?:and our partners )?(?:use|value)[^.]{0,40}(?:cookies|privacy)|"
    r"accept (?:all )?(?:cookies)?|consent|zustimmen|accepter et continuer|datenschutz",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"\b404\b|(?:page|file|article|document|content) (?:(?:was|is|could|can) )?(?:not|no longer|cannot)\b"
    r"[^.]{0,20}(?:found|available|exist)|"
    r"page (?:doesn|does not|isn)(?:'|’)?t? (?:exist|available)|not found|seite (?:wurde )?nicht gefunden|"
    r"page (?:introuvable|non trouvée)|página no encontrada|страница не найдена|"
    r"ページが見つかりません|页面不存在|找不到页面",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|requires?|need|without) (?:to (?:enable|run|have|use) )?(?:java ?script)|"
    r"java ?script (?:is )?(?:disabled|required|must|enabled)|javascript aktivieren|javascriptを有効",
    re.IGNORECASE,
)
_ROOT_ID = re.compile(
    r"^(?:root|app|__next|__nuxt|main-app|app-root|svelte|react-root|ember\d*|___gatsby|q-app|mount)$", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """What has to be noticed before hidden parts and forms leave the tree."""

    title: str
    has_password: bool
    has_consent_form: bool
    pays: bool
    asks_for_script: bool
    is_shell: bool
    shown_chars: int
    """Characters of text on the page before any choice, hidden parts out."""


def signs(root: Element, said: list[Node], title: str) -> Signs:
    """Look at the untouched page; `shown_chars` is filled in by `judge`'s caller."""
    notes = " ".join(words(el)[:500] for el in root.iter("noscript"))
    scripts = sum(1 for _ in root.iter("script"))
    roots = [
        el
        for el in root.iter("div", "main", "app-root", "body")
        if _ROOT_ID.match(attr(el, "id")) or el.tag == "app-root"
    ]
    buttons = " ".join((words(el) or attr(el, "value"))[:100] for el in root.iter("button", "input", "a"))[:5000]
    paid = {"false", "0", "no"}
    return Signs(
        title=title,
        has_password=any(attr(el, "type").lower() == "password" for el in root.iter("input")),
        has_consent_form=bool(
            re.search(r"\b(?:accept|agree|zustimmen|akzeptieren|accepter|aceptar)\b|同意", buttons, re.IGNORECASE)
        ),
        pays=any(text(node, "isAccessibleForFree").lower() in paid for node in said),
        asks_for_script=bool(_SCRIPT.search(notes)),
        is_shell=scripts > 0 and any(len(words(el)) < 50 for el in roots),
        shown_chars=0,
    )


def judge(root: Element, found: Signs, content: str, shown: str) -> bool:
    """Raise for a page that is a wall or a shell; return whether it is the free part of a paid page.

    `content` is what would be returned, `shown` all text on the page. Each rule asks for a sign and for the lack of
    an article: long pages are never walls, whatever words they hold.
    """
    size = len(content)
    if found.has_password and size < _SHORT and (len(shown) < _SHORT or _LOGIN.search(_heads(root, found.title))):
        raise Denied("The page asks for a login.", hint="Look for a public source of the same information.")
    if not shown.strip():
        if found.asks_for_script or found.is_shell or _has_scripts_only(root):
            raise needs_script()
        raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
    if size < _SHORT and len(shown) < _SHORT and (found.asks_for_script or found.is_shell or _SCRIPT.search(shown)):
        raise needs_script()
    if size < _SHORT and len(shown) < 2 * _SHORT and _is_lost(root, found.title, shown):
        raise NotFound("The site says that there is no such page.", hint="Check the address or search for the page.")
    if found.has_consent_form and size < _SHORT and len(shown) < 3 * _SHORT and _is_consent(found.title, shown):
        raise BlockPage("A consent wall stands before the page.", hint="Look for another source.")
    return size < _PARTIAL and (found.pays or _asks_to_pay(root, shown))


def needs_script() -> NeedsScript:
    """An empty shell."""
    return NeedsScript(
        "The page makes its text with scripts, which were not run.",
        hint="Look for another source of the same information.",
    )


def _has_scripts_only(root: Element) -> bool:
    return not words(body(root)) and any(
        attr(el, "data-reactroot") or _ROOT_ID.match(attr(el, "id")) for el in root.iter("*")
    )


def _heads(root: Element, title: str) -> str:
    """The page's title and first short headings."""
    heads = [words(el) for el in root.iter("h1", "h2")][:2]
    return " · ".join(head for head in (title, *heads) if len(head) < 100)


def _is_lost(root: Element, title: str, shown: str) -> bool:
    """Whether title or first heading say that the page is missing."""
    return len(shown.split()) < 120 and bool(_LOST.search(_heads(root, title)))


def _is_consent(title: str, shown: str) -> bool:
    return len(_CONSENT.findall(f"{title} {shown}")) >= 2


def _asks_to_pay(root: Element, shown: str) -> bool:
    """Whether the page invites to pay for the rest, in words or by the name of a box."""
    return bool(_PAY.search(shown)) or any(
        _PAY_CLASS.search(name) for el in root.iter("div", "section") for name in classes(el)
    )
