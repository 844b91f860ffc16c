"""A tidied part of a page as Markdown, plain text or sanitised HTML."""

from gossamer.extractors.characters import clean
from gossamer.extractors.tree import Element, serialise
from gossamer.extractors.writing.markdown import write
from gossamer.model.page import Format

_SAFE_NAMES = (
    "a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details "
    "dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark ol p "
    "pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time "
    "tr tt u ul var wbr"
)
_SAFE = frozenset(_SAFE_NAMES.split())


def render(top: Element, form: Format) -> str:
    """Write a part of a page in the wanted form; attributes are as `tidy` left them.

    It never begins with a rule: readers of Markdown take that for front matter.
    """
    if form == "html":
        return clean(_html(top))[0].strip()
    return clean(write(top, is_plain=form == "text"))[0].strip("\n").rstrip()


def _html(top: Element) -> str:
    for el in list(top.iter("*")):
        if el is not top and el.tag not in _SAFE:
            el.drop_tag()
    if top.tag not in _SAFE:
        top.tag = "div"
    return serialise(top)
