"""Link furniture: links that run, copy or edit what the page shows already, or lead to its source.

A word alone proves nothing: an article may link "Edit" or "Source" in the middle of a sentence. So what a link says has
to agree with where it leads, or with what the tool that wrote the page calls it.
"""

import re

from gossamer.extractors.html.tree import Element, attr, classes, drop_tags, drop_trees

_LONGEST = 60
"""What is longer is text."""
_AROUND = re.compile(r"^[\W_]+|[\W_]+$")
_THIS = r"(?: (?:this|the|an?))?"
_PAGE = r"(?: (?:page|article|section|document|doc|docs|documentation|file|entry|topic|wiki|readme|source|code|me|it))?"
_PLACE = r"(?: (?:on|in|at|via|with|from) (?:the )?[\w.]{2,20}(?: [\w.]{2,20})?)?"
_EDIT = re.compile(
    rf"edit{_THIS}{_PAGE}{_PLACE}|(?:improve|fix){_THIS}{_PAGE}{_PLACE}|contribute to{_THIS}{_PAGE}"
    r"|suggest (?:an? )?(?:edits?|changes?|improvements?)(?: to this page)?|found a typo|fix a typo"
    r"|(?:diese )?seite bearbeiten|bearbeiten|modifier(?: cette page)?|éditer(?: cette page)?|editar(?: esta página)?"
    r"|modifica(?: questa pagina)?|редактировать|(?:在 ?github ?上)?编辑(?:此页|本页)?|このページを編集(?:する)?|編集",
    re.IGNORECASE,
)
_EDITED = re.compile(
    r"[?&](?:action|veaction|mode|do)=edit|[?&]edit(?:[=&#]|$)|/-/edit/|(?:^|/)_?edit/?(?:[?#]|$)"
    r"|//[^/]{0,60}(?:git|bitbucket|codeberg)[^/]{0,60}/[^?#]{1,300}/(?:edit|blob|tree|src)/",
    re.IGNORECASE,
)
"""A form to write in, or a file in a repository: not the chapter that is called so."""
_SOURCE = re.compile(
    rf"(?:view|show|see|browse){_THIS}(?: page)? ?(?:source|src|raw)(?: code| file)?{_PLACE}|page source|raw"
    r"|view on (?:git(?:hub|lab|ea)|bitbucket)|quelltext anzeigen|afficher le texte source",
    re.IGNORECASE,
)
"""Of the page itself: where a function of a manual is written is worth a link."""
_SOURCES = re.compile(r"(?:^|/)(?:_sources|blob|raw)/|view-source:", re.IGNORECASE)
_SOURCE_NAMES = frozenset({"view-source", "view-source-button"})
_RUN = re.compile(
    rf"(?:run|execute)(?: (?:this|the|it|code|example|snippet|online|live|now)){{0,3}}{_PLACE}"
    rf"|try(?: (?:this|the|it|yourself|out|online|live|now|code|example)){{0,3}}{_PLACE}"
    r"|(?:open|view|edit|launch|play)(?: (?:this|the|it|code|example))?(?: (?:in|on|with)(?: the)? [\w.]{2,20}){1,2}"
    r"|(?:open )?(?:live )?(?:play|playground|demo editor|sandbox)",
    re.IGNORECASE,
)
_PLAYGROUND = re.compile(
    r"//(?:play\.|[\w.-]{0,60}playground|codepen\.io|jsfiddle\.net|jsbin\.com|stackblitz\.com|codesandbox\.io"
    r"|colab\.research\.google\.|(?:www\.)?mybinder\.org|replit\.com|repl\.it|godbolt\.org|plnkr\.co|3v4l\.org"
    r"|dotnetfiddle\.net|tio\.run|wandbox\.org|ideone\.com)|(?:^|[/_-])(?:play(?:ground)?|tryit|repl)(?:[/?#._-]|$)",
    re.IGNORECASE,
)
_RUN_NAMES = frozenset({"test-arrow", "playground", "run-button", "try-it", "tryit"})
_CARRIES_CODE = re.compile(r"[?&#](?:code|input|src|source|data|snippet|\w{0,12}=)?[^?&#]{200,}$", re.IGNORECASE)
_COPY = re.compile(
    r"cop(?:y|ied)(?: (?:code|snippet|link|url|text|command|to clipboard|the code|this code))?(?: to clipboard)?"
    r"|kopieren|copier|copiar|复制(?:代码)?|コピー",
    re.IGNORECASE,
)
_PERMALINK = re.compile(
    r"(?:permalink|perma-link|permanent link|(?:copy )?(?:direct )?link to (?:this|the) (?:heading|headline|section"
    r"|part|definition|term|code|image|table|function|class|method|property|anchor))",
    re.IGNORECASE,
)
_EDIT_SECTION = "mw-editsection"
_BRACKETS = frozenset({"[]", "()"})
_COPY_BOXES = ("div", "span", "p")
_COPY_NAME = re.compile(r"(?:^|[-_\s])(?:copy|clipboard)", re.IGNORECASE)


def drop_link_furniture(top: Element) -> None:
    """Take these links out; one that carries a listing in its address, and says something else, becomes its text."""
    links = [link for link in top.iter("a") if link is not top and not _is_of_wiki(link)]
    gone = [link for link in links if _is_furniture(link)]
    _drop_brackets(gone)
    lost = set(gone)
    plain = [link for link in links if link not in lost and _carries_code(attr(link, "href"))]
    gone += [el for el in top.iter(*_COPY_BOXES) if el is not top and _is_copy_box(el)]
    drop_trees(top, gone)
    drop_tags(top, plain)


def _is_furniture(link: Element) -> bool:
    text = "".join(link.itertext())
    if len(text) > _LONGEST:
        return False
    says = _AROUND.sub("", " ".join(text.split()))
    href, names = attr(link, "href").strip(), {name.lower() for name in _names_near(link)}
    if not says:
        return False
    return (
        (_EDIT.fullmatch(says) is not None and _EDITED.search(href) is not None)
        or (_SOURCE.fullmatch(says) is not None and (_SOURCES.search(href) is not None or bool(names & _SOURCE_NAMES)))
        or (_RUN.fullmatch(says) is not None and (_PLAYGROUND.search(href) is not None or bool(names & _RUN_NAMES)))
        or (
            _COPY.fullmatch(says) is not None
            and _leads_nowhere(href)
            and _COPY_NAME.search(attr(link, "class")) is not None
        )
        or _PERMALINK.fullmatch(says) is not None
    )


def _leads_nowhere(href: str) -> bool:
    """Whether a link is a button."""
    return href in {"", "#"} or href.lower().startswith("javascript:")


def _is_of_wiki(link: Element) -> bool:
    """Whether it is MediaWiki's own way to edit a section, which `drop_controls` has decided on."""
    parent = link.getparent()
    return parent is not None and _EDIT_SECTION in classes(parent)


def _names_near(link: Element) -> list[str]:
    """What a link, or the label in it, is called."""
    return [*classes(link), *(name for child in link for name in classes(child))]


def _carries_code(href: str) -> bool:
    return _PLAYGROUND.search(href) is not None and _CARRIES_CODE.search(href) is not None


def _drop_brackets(links: list[Element]) -> None:
    """Take away the brackets round links that go."""
    for link in links:
        before, parent, after = link.getprevious(), link.getparent(), link.tail or ""
        above = (before.tail if before is not None else parent.text if parent is not None else "") or ""
        if parent is None or f"{above.rstrip()[-1:]}{after.lstrip()[:1]}" not in _BRACKETS:
            continue
        shorter = above.rstrip()[:-1]
        if before is not None:
            before.tail = shorter
        else:
            parent.text = shorter
        link.tail = after.lstrip()[1:]


def _is_copy_box(el: Element) -> bool:
    """Whether a box is called so and holds nothing but the word, as one that copies the listing beside it."""
    if len(el) > 2 or not _COPY_NAME.search(attr(el, "class")):
        return False
    text = "".join(el.itertext())
    return len(text) <= _LONGEST and _COPY.fullmatch(_AROUND.sub("", " ".join(text.split()))) is not None
