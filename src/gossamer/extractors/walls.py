"""Pages that stand before the content instead of being it: logins, paywalls, consent, soft 404s, empty shells."""

import re
from dataclasses import dataclass

from gossamer.errors import BlockPage, Denied, EmptyPage, NeedsScript, NotFound
from gossamer.extractors.linked import Node, text
from gossamer.extractors.tree import Element, attr, body, classes, words

PAYWALL_MESSAGE = "The page is behind a paywall: this is the part that is free to read."

_EMPTY = 50
_SHORT = 600
_LOST_WORDS = 120
_PARTIAL = 3_000
_PAY = re.compile(
    r"subscribe (?:now )?to (?:continue|keep|read)|(?:to|and) continue reading|already a subscriber|subscribers? only|"
    r"this (?:article|content|story) is (?:for|reserved for|exclusive to|available to) "
    r"(?:our )?(?:subscribers|members)|"
    r"you(?:'|’)ve (?:reached|used) (?:your|all)[^.]{0,40}free articles|unlock this article|"
    r"jetzt weiterlesen mit|réservé aux abonnés|この記事は有料会員限定|会員限定記事",
    re.IGNORECASE,
)
_PAYBOX = re.compile(r"pay-?wall|subscriber-only|premium-content|regwall", re.IGNORECASE)
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
_AGREE = re.compile(r"\b(?:accept|agree|zustimmen|akzeptieren|accepter|aceptar)\b|同意", re.IGNORECASE)
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
_BOX = re.compile(
    r"^(?:root|app|__next|__nuxt|main-app|app-root|svelte|react-root|ember\d*|___gatsby|q-app|mount)$", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """What has to be noticed before scripts, forms and hidden parts leave the tree."""

    has_password: bool
    has_consent_button: bool
    is_paid: bool
    asks_for_script: bool
    is_shell: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What its reader sees of the whole page, before the content is chosen from it."""

    text: str
    heads: str
    """The title and the first headings, as far as they are short."""
    has_paybox: bool


def signs(root: Element, said: list[Node]) -> Signs:
    """Look at the untouched page."""
    notes = " ".join(words(el)[:500] for el in root.iter("noscript"))
    has_scripts = any(True for _ in root.iter("script"))
    boxes = [
        el for el in root.iter("div", "main", "body", "app-root") if el.tag == "app-root" or _BOX.match(attr(el, "id"))
    ]
    buttons = " ".join((words(el) or attr(el, "value"))[:100] for el in root.iter("button", "input", "a"))[:5000]
    return Signs(
        has_password=any(attr(el, "type").lower() == "password" for el in root.iter("input")),
        has_consent_button=bool(_AGREE.search(buttons)),
        is_paid=any(text(node, "isAccessibleForFree").lower() in {"false", "0", "no"} for node in said),
        asks_for_script=bool(_SCRIPT.search(notes)),
        is_shell=any(len(words(el)) < _EMPTY for el in boxes) and (has_scripts or not words(body(root))),
    )


def look(root: Element, title: str, shown: str) -> Shown:
    """Look at the page once its hidden parts are out."""
    heads = [title, *[words(el) for el in root.iter("h1", "h2")][:2]]
    boxes = (name for el in body(root).iter("div", "section") for name in classes(el))
    return Shown(
        text=shown,
        heads=" · ".join(head for head in heads if len(head) < 100),
        has_paybox=any(map(_PAYBOX.search, boxes)),
    )


def judge(found: Signs, shown: Shown, content: str) -> bool:
    """Raise for a page that is a wall or a shell; return whether it is the free part of a paid page.

    `content` is what would be returned. Each rule asks for a sign and for the lack of an article: long pages are
    never walls, whatever words they hold.
    """
    size, whole = len(content), len(shown.text)
    if found.has_password and size < _SHORT and (whole < _SHORT or _LOGIN.search(shown.heads)):
        raise Denied("The page asks for a login.", hint="Look for a public source of the same information.")
    if whole < _SHORT and (found.asks_for_script or found.is_shell or _SCRIPT.search(shown.text)):
        raise NeedsScript(
            "The page makes its text with scripts, which were not run.",
            hint="Look for another source of the same information.",
        )
    if not shown.text.strip():
        raise EmptyPage("The page holds no text.", hint="Check the address or look for another source.")
    if size < _SHORT and len(shown.text.split()) < _LOST_WORDS and _LOST.search(shown.heads):
        raise NotFound("The site says that there is no such page.", hint="Check the address or search for the page.")
    if found.has_consent_button and size < _SHORT and whole < 3 * _SHORT and _is_consent(shown):
        raise BlockPage("A consent wall stands before the page.", hint="Look for another source.")
    return size < _PARTIAL and (found.is_paid or shown.has_paybox or bool(_PAY.search(shown.text)))


def _is_consent(shown: Shown) -> bool:
    """Whether the page speaks of consent more than in passing."""
    return len(_CONSENT.findall(f"{shown.heads} {shown.text}")) >= 2
