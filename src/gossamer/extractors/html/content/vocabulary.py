"""Vocabulary of page parts: words in class and id names, and in short texts such as button labels.

They are taken in groups and in many languages, so that what is learned of a group holds for sites never seen.
"""

import re
from collections.abc import Callable
from functools import lru_cache

_NAMES = {
    "navigation": (
        "nav navbar navbox navigation menu menubar breadcrumb breadcrumbs crumb pagination pager paging toc "
        "sitemap dropdown submenu megamenu skip navi menue brotkrumen"
    ),
    "foot": (
        "footer foot bottom copyright legal colophon imprint disclaimer fuss fusszeile impressum pied pie rodape piede"
    ),
    "head": "header head masthead banner topbar top logo branding hero kopf kopfzeile entete cabecera testata",
    "side": "sidebar side aside rail widget widgets column secondary complementary left right seitenleiste",
    "comments": "comment comments commentlist disqus respond reply replies discussion responses feedback",
    "related": (
        "related recommend recommended recommendation recommendations popular trending more similar teaser teasers "
        "promo latest recent featured also suggested suggestions next prev previous carousel slider swiper upsell "
        "crosssell outbrain taboola recirc"
    ),
    "share": "share sharing social follow facebook twitter pinterest whatsapp addthis sharedaddy like likes",
    "about": (
        "meta byline author date time tags tag tagged category categories info published dateline posted details "
        "label bio credit credits caption rating ratings avatar profile user username signature badge"
    ),
    "sales": (
        "newsletter subscribe subscription signup signin login register paywall ad ads advert advertisement "
        "advertising sponsor sponsored donate cta alert notice toast search form filter filters cart basket checkout"
    ),
    "content": (
        "content article post entry story text body main page single copy richtext prose markdown wysiwyg "
        "description desc blog bodytext articlebody maincontent detail document docs doc readme inhalt artikel beitrag "
        "contenu contenido contenuto conteudo texte texto testo"
    ),
    "product": (
        "product products price specs specification specifications features feature review reviews summary overview "
        "variant sku stock"
    ),
    "thread": "thread topic message messages post posts forum answer answers question bbcode quote usertext",
    "item": "item items card cards list grid tile row listing result results entry col cell box block panel",
    "panels": "tab tabs tabpanel tabpane panel panels pane accordion collapse collapsible",
    "dialog": "popup modal overlay dialog lightbox popover drawer cookie cookies consent gdpr",
    "tools": (
        "toolbar tools tool button buttons btn icon icons action actions controls print edit editsection player video "
        "gallery language languages lang"
    ),
}
_TEXTS = {
    "share": (
        "share|tweet|facebook|twitter|whatsapp|pinterest|linkedin|instagram|teilen|partager|compartir|like|follow"
        "|分享|收藏|微博|微信"
    ),
    "sales": (
        "subscribe|newsletter|sign up|sign in|log ?in|register|abonn|anmelden|cookie|consent|advertis|anzeige"
        "|sponsored|donate|support us|support our|your support|download our|add to cart|buy now|登录|注册|广告|订阅"
    ),
    "rights": (
        "©|copyright|all rights|alle rechte|privacy|terms of|impressum|datenschutz|disclaimer|powered by|contact us"
        "|版权|备案|icp"
    ),
    "related": (
        "related|recommend|you may|you might|also like|read more|more from|more on|most read|most popular|popular"
        "|trending|latest|see also|read next|^also:|don.t miss|^more:?$|^read:|^watch:|next article|previous"
        "|weiterlesen|mehr zum|lire aussi|leia"
        "|相关|推荐|热门|上一篇|下一篇|更多|阅读|最新"
    ),
    "comments": "comment|kommentar|comentario|commentaire|repl(?:y|ies)|leave a|respond|评论|回复|留言|发表",
    "about": (
        "posted|published|updated|written by|^by |author|von |filed under|tagged|tags|categor|min read"
        "|来源|作者|编辑|发布|时间|记者"
    ),
    "open": (
        "show|view|hide|expand|click here|learn more|continue|load more|back to|go to|skip to|print|email|jump|menu"
        "|search|点击|返回|首页|关闭|打印"
    ),
    "price": r"[€$£¥₹₩]\s?\d|\d\s?(?:€|£|zł|kr\b|usd|eur|元)",
}
NAME_GROUPS = tuple(_NAMES)
TEXT_GROUPS = tuple(_TEXTS)
TEXT_CHARS = 200
"""Only a shorter text is looked at for its words: a phrase in a paragraph says nothing."""
_NAME_CHARS = 300
_WORD = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"([a-z])([A-Z])")
_PATTERNS = [re.compile(words) for words in _TEXTS.values()]


class Known(dict[str, bool]):
    """Answers about names, asked for once each: a page gives the same names to many elements."""

    def __init__(self, ask: Callable[[str], bool]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, names: str) -> bool:
        self[names] = self._ask(names)
        return self[names]


def _bits() -> dict[str, int]:
    bits: dict[str, int] = {}
    for at, words in enumerate(_NAMES.values()):
        for word in words.split():
            bits[word] = bits.get(word, 0) | 1 << at
    return bits


_BITS = _bits()


def name_bits(names: str) -> int:
    """The groups that the words of a class and an id belong to, one bit each."""
    return _bits_of(names[:_NAME_CHARS])


@lru_cache(maxsize=2_048)
def _bits_of(names: str) -> int:
    bits = 0
    for word in _WORD.findall(_CAMEL.sub(r"\1 \2", names).lower()):
        bits |= _BITS.get(word, 0)
    return bits


def text_groups(text: str) -> list[bool]:
    """For each group whether a short text has one of its phrases."""
    return list(_groups_of(text)) if len(text) < TEXT_CHARS else [False] * len(_PATTERNS)


@lru_cache(maxsize=2_048)
def _groups_of(text: str) -> tuple[bool, ...]:
    lower = text.lower()
    return tuple(pattern.search(lower) is not None for pattern in _PATTERNS)
