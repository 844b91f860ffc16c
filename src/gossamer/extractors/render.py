"""A tidied part of a page as Markdown, plain text or sanitised HTML."""

from gossamer.extractors.characters import clean
from gossamer.extractors.tree import Element, serialise
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

    A rule at the very start is left out: readers of Markdown take it for front matter.
    """
    if form == "html":
        return clean(_html(top))[0].strip()
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

    options = ConversionOptions(
        output_format="plain" if form == "text" else "markdown",
        extract_metadata=False,
        expand_abbreviations=False,
        include_blockquote_citations=False,
        compact_tables=True,
        highlight_style="none",
        preprocessing=PreprocessingOptions(enabled=False),
    )
    text = clean(convert(serialise(top), options).content or "")[0].strip("\n").rstrip()
    while text.startswith("---\n"):
        text = text[4:].lstrip("\n")
    return text


def _html(top: Element) -> str:
    for el in list(top.iter("*")):
        if el is not top and el.tag not in _SAFE:
            el.drop_tag()
    if top.tag not in _SAFE:
        top.tag = "div"
    return serialise(top)
