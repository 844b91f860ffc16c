"""Page quality score: substance, text density, kind of source, and how much the page says about the query."""

import re
from urllib.parse import urlsplit

from gossamer.steps.text.prose import MAX_CHARS, prose, visible_chars
from gossamer.steps.text.words import words
from gossamer.steps.web.urls import host_of

LEAST = 0.3
"""What is worth less than this is not shown as a page's content."""

_ENOUGH_WORDS = 120
_MOST_WORDS = 6_000
_REPEATED = 150
"""Words from which on a text that says little new is told by it: a short one has no time to repeat itself."""
_LEAST_NEW = 0.08
_STUFFED = 0.1
_PRIMARY = re.compile(
    r"(?:^|\.)(?:gov|edu|mil|int|ac\.[a-z]{2}|gov\.[a-z]{2}|edu\.[a-z]{2})$"
    r"|^(?:docs?|developers?|devdocs|api|learn|manual|man|help|support|wiki)\."
    r"|(?:^|\.)(?:wikipedia\.org|readthedocs\.io|docs\.rs|pkg\.go\.dev|pypi\.org|crates\.io|npmjs\.com|github\.com"
    r"|arxiv\.org|doi\.org|w3\.org|ietf\.org|rfc-editor\.org|whatwg\.org|mozilla\.org|kernel\.org|python\.org"
    r"|rust-lang\.org|go\.dev|nodejs\.org|postgresql\.org|sqlite\.org)$"
)
_MANUAL = re.compile(
    r"/(?:docs?|documentation|reference|manual|guide|api|rfc|spec(?:ification)?s?)(?:/|$)", re.IGNORECASE
)
_WEIGHTS = {"substance": 0.3, "density": 0.3, "asked": 0.25, "source": 0.15}


def page_quality(markdown: str, *, url: str, title: str, query: str) -> float:
    """A worth from 0 to 1, by what can be seen of the page; two digits, since it is an estimate.

    Lists of links and texts that repeat themselves are worth little, however long they are.
    """
    text = markdown[:MAX_CHARS]
    page_words = words(text)[:_MOST_WORDS]
    parts = {
        "substance": min(1.0, len(page_words) / _ENOUGH_WORDS),
        "density": _density(text),
        "asked": _asked(page_words, title, query),
        "source": 1.0 if is_primary(url) else 0.5,
    }
    worth = sum(_WEIGHTS[name] * value for name, value in parts.items())
    return round(worth * (1.0 if parts["density"] >= LEAST else parts["density"]), 2)


def is_primary(url: str) -> bool:
    """Whether a page is documentation, a reference work or official, by its address."""
    return bool(_PRIMARY.search(host_of(url)) or _MANUAL.search(urlsplit(url).path if host_of(url) else ""))


def _density(text: str) -> float:
    """How much of the text is its own and new: what is a link in running text or lists is not; tables and code are."""
    paragraphs = list(prose(text))
    links = sum(paragraph.link_chars for paragraph in paragraphs)
    own = 1.0 - min(1.0, links / max(1, visible_chars(text)))
    prose_words = words(" ".join(paragraph.text for paragraph in paragraphs))[:_MOST_WORDS]
    repeats_itself = len(prose_words) >= _REPEATED and len(set(prose_words)) < _LEAST_NEW * len(prose_words)
    return min(own, _STUFFED) if repeats_itself else own


def _asked(page_words: list[str], title: str, query: str) -> float:
    wanted = set(words(query))
    known = set(page_words) | set(words(title))
    return len(wanted & known) / len(wanted) if wanted else 1.0
