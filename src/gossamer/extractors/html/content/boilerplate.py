"""Boilerplate: bars above the headline, overlays, lines that only point to another page, comments, the footer.

Each is a line or two, and a page with little text has so little else that a judge of single blocks is not sure of
them. Bars are told by where they stand: outside what is marked as the text, before the first headline. A name alone is
no proof of a footer inside the text: a conclusion may stand in a box called "bottom", and the terms that an article
explains in one called "legal". There a footer has to read like one. The posts of a forum thread are its content; under
an article, readers' comments are an appendix.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.html.content.vocabulary import TEXT_GROUPS, Known, text_groups
from gossamer.extractors.html.metadata.structured_data import Node, kinds
from gossamer.extractors.html.tree import Element, attr, body, with_attribute, words

_BAR_TOKENS = 40
"""A longer text is no bar; not so a notice of cookies, which explains itself."""
_NOTICE_TOKENS = 120
_BAR_LINKED = 0.8
"""From this share of words in links on, a line is a menu."""
_TEXT_OR_TABLE = frozenset({"main", "article", "table"})
_SITE = frozenset({"header", "nav"})
_SITE_ROLES = frozenset({"banner", "navigation"})
_COOKIES = re.compile("cookie|クッキー|쿠키|куки|ملفات تعريف الارتباط", re.IGNORECASE)
OWN_NAME = 2
"""A name of the block itself or of one of the nearest round it."""
_SHORT = 30
_LONG = 150
"""Below an article, lines of a foot may be as long: an address, how to reach the publisher."""
_FOOTER_LINKED = 0.5
_MOST = 0.6
_RIGHTS = TEXT_GROUPS.index("rights")
_FOOT_NAME = re.compile(r"(?:^|[-_\s])(?:[a-z]{0,20}footer|fuss|fusszeile|rodape|colophon|impressum)", re.IGNORECASE)
_KIND = r"(?:modal|popup|pop-up|lightbox|dialog)"
_PART = r"(?:window|box|content|body|inner|wrap|wrapper|container|overlay|backdrop|dialog|form|root)"
_WINDOW = re.compile(rf"(?<!\S)(?:[-\w]{{0,40}}[-_])?{_KIND}(?:[-_]{{1,2}}{_PART})?(?!\S)", re.IGNORECASE)
_ROLES = frozenset({"dialog", "alertdialog"})
_CONTROLS = frozenset({"form", "input", "button"})
_TEXT = frozenset({"main", "article"})
_LINES = HEADINGS | {"p", "ul", "ol"}
_FEW_TOKENS = 15
"""Among the text, a name alone tells a window only where it says no more than this: an article may show a dialog."""
_PAGE = 0.5
"""What has at least this share of a page's words is the page, whatever it is called."""
_POINTER = re.compile(
    r"\W{0,3}(?:don.t miss\b|(?:read (?:more|next|also|this)|related(?: \w{1,12})?|more on this"
    r"|watch(?: \w{1,6})?|weiterlesen|lesen sie auch|mehr zum thema|lire aussi|à lire aussi|leia (?:também|mais)"
    r"|lea también|ver también|leggi anche|lees ook|相关阅读|延伸阅读|推荐阅读)\s?[:：])",
    re.IGNORECASE,
)
"""Not "See also" and not "More": what they point to may be the function beside this one, or the data of the text."""
_POINTER_TOKENS = 40
_POINTING = 0.5
_CRY_TOKENS = 5
_WRITER = re.compile(
    r"(?<![a-z])(?:(?:post|message|comment)[-_]?)?(?:author|poster|user[-_]?name|nick[-_]?name|member[-_]?name)"
    r"(?:[-_]?(?:name|link))?(?![-_\w])",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?!.*\b\d+\b)\S.+")
"""More than the letter that stands for a picture, and no date."""
_NAME_TOKENS = 5
_NEAR = 2
"""So many elements further out a name may be called one."""
_LEVELS = 8
"""So many elements further out its post is."""
_FEWEST_OF_A_MAKE = 2
_THREADS = frozenset({"DiscussionForumPosting", "QAPage"})
_POST = re.compile(
    r"^(?:post|message|reply|answer|comment|topic|entry)(?:[-_]?(?:body|content|text|item|message|inner))?$",
    re.IGNORECASE,
)
_COPY_TOKENS = 25
_COMMAND_TOKENS = 6
_FEWEST_COMMANDS = 3
_MOST_COMMANDS = 0.8
_NO_COMMANDS = frozenset({"pre", "td", "th", "dt", "dd"})
_REPEATING = frozenset({"pre", "td", "th", "dd", "dt", "li"})
_POST_TAGS = frozenset({"div", "li", "article", "section", "td"})
_FEWEST_POSTS = 3
_ARTICLE = re.compile(r"^(?:entry|post|article|story)[-_]{0,2}(?:content|body|text)$", re.IGNORECASE)
_COMMENTS = re.compile(
    r"^(?:(?:article|post|user|reader|disqus|fb|facebook)?[-_]{0,2}comments?(?:[-_]{0,2}(?:list|area|section|wrapper"
    r"|container|block|thread|wrap|box|holder|template))?|commentlist|disqus_thread|respond)$",
    re.IGNORECASE,
)


def in_windows(page: Outline) -> list[bool]:
    """For each block whether it stands in a window that opens over the page: a dialog, a form to sign in, a notice."""
    words, controls = [0] * len(page.elements), [int(el.tag in _CONTROLS) for el in page.elements]
    for block in page.blocks:
        words[block.at] = len(block.tokens)
    for at in range(len(words) - 1, 0, -1):
        words[page.parents[at]] += words[at]
        controls[page.parents[at]] += controls[at]
    is_outside = _outside(page)
    called = Known(lambda names: _WINDOW.search(names) is not None)
    modal = {el for el in with_attribute(page.elements[0], "aria-modal") if attr(el, "aria-modal") == "true"}
    is_overlaid: list[bool] = []
    for at, (parent, names, role) in enumerate(zip(page.parents, page.names, page.roles, strict=True)):
        is_part = parent >= 0 and words[at] < _PAGE * words[0]
        is_apart = words[at] <= _FEW_TOKENS or controls[at] > 0 or is_outside[at]
        is_overlaid.append(
            is_part
            and (
                is_overlaid[parent]
                or role in _ROLES
                or _is_dialog(page.elements[at], modal)
                or (is_apart and called[names])
            )
        )
    return [is_overlaid[block.at] for block in page.blocks]


def _outside(page: Outline) -> list[bool]:
    """For each element whether it stands outside what is marked as the text.

    On a page without such marks, what hangs on the body beside its other boxes, and beside no line of text, may be so.
    """
    marked = [el.tag in _TEXT or role == "main" for el, role in zip(page.elements, page.roles, strict=True)]
    if not any(marked):
        has_lines = any(el.tag in _LINES for el in page.elements[0])
        return [parent == 0 and not has_lines for parent in page.parents]
    inside: list[bool] = []
    for parent, is_marked in zip(page.parents, marked, strict=True):
        inside.append(is_marked or (parent >= 0 and inside[parent]))
    return [not is_inside for is_inside in inside]


def _is_dialog(el: Element, modal: set[Element]) -> bool:
    return el.tag == "dialog" or el in modal


def is_pointer(block: Block) -> bool:
    """Whether a line says no more than where to read on: "Related: ..." and a link."""
    is_short = 0 < len(block.tokens) <= _POINTER_TOKENS and block.element.tag not in HEADINGS
    is_linked = block.linked >= _POINTING * len(block.tokens)
    return is_short and is_linked and _POINTER.match(block.text) is not None


def is_cry(block: Block) -> bool:
    """Whether a line is one link, all in capitals: among the text of an article, it calls to another one."""
    is_all = block.links == 1 and block.linked == len(block.tokens) >= _CRY_TOKENS
    return is_all and block.element.tag not in HEADINGS and block.text.isupper()


def in_bars(page: Outline) -> list[bool]:
    """For each block whether it is a bar above the first headline."""
    headline = next((nth for nth, block in enumerate(page.blocks) if block.element.tag == "h1"), 0)
    is_bar = [False] * len(page.blocks)
    if not headline:
        return is_bar
    in_text, site = [False] * len(page.elements), len(page.elements)
    for at, (el, role) in enumerate(zip(page.elements, page.roles, strict=True)):
        in_text[at] = at > 0 and (in_text[page.parents[at]] or el.tag in _TEXT_OR_TABLE or role == "main")
        if site > at and (el.tag in _SITE or role in _SITE_ROLES):
            site = at
    for nth in range(headline):
        block = page.blocks[nth]
        is_bar[nth] = not in_text[block.at] and _is_bar(block, is_first=block.at < site < page.blocks[headline].at)
    return is_bar


def _is_bar(block: Block, *, is_first: bool) -> bool:
    """Whether a block is a menu or a notice, or a line that stands above even the name of the site."""
    size = len(block.tokens)
    if not size or block.element.tag in HEADINGS:
        return False
    if _COOKIES.search(block.text) and size <= _NOTICE_TOKENS:
        return True
    return size <= _BAR_TOKENS and (is_first or block.linked >= _BAR_LINKED * size)


def footer(page: Outline, named: NDArray[np.float64], is_below: NDArray[np.bool_]) -> int:
    """Where the blocks begin with which the page ends and which are its foot.

    `named` says how near to each block something is called a foot, `is_below` whether an article stands before it.
    """
    is_real = _in_feet(page)
    at = len(page.blocks)
    while at > 1:
        begin, real = at, is_real[at - 1]
        while begin > 1 and is_real[begin - 1] == real and named[begin - 1] == OWN_NAME:
            if len(page.blocks[begin - 1].tokens) > (_LONG if is_below[begin - 1] else _SHORT):
                break
            begin -= 1
        if begin == at or not (real or _reads_like_one(page.blocks[begin:at])):
            break
        at = begin
    return at


def _in_feet(page: Outline) -> list[bool]:
    """For each block whether it stands in what is marked or called a footer, outside the text."""
    called = Known(lambda names: _FOOT_NAME.search(names) is not None)
    in_text, in_foot = [False] * len(page.elements), [False] * len(page.elements)
    for at, (el, role) in enumerate(zip(page.elements, page.roles, strict=True)):
        parent = page.parents[at]
        in_text[at] = el.tag in _TEXT or role == "main" or (at > 0 and in_text[parent])
        in_foot[at] = at > 0 and (
            in_foot[parent]
            or (not in_text[at] and (el.tag == "footer" or role == "contentinfo" or called[page.names[at]]))
        )
    return [in_foot[block.at] for block in page.blocks]


def _reads_like_one(blocks: list[Block]) -> bool:
    """Whether lines have no heading, and are mostly links and rights."""
    if any(block.element.tag in HEADINGS for block in blocks):
        return False
    total = sum(len(block.tokens) for block in blocks)
    usual = sum(len(block.tokens) for block in blocks if _is_usual(block))
    return usual >= _MOST * total


def _is_usual(block: Block) -> bool:
    return block.linked >= _FOOTER_LINKED * len(block.tokens) or text_groups(block.text)[_RIGHTS]


def is_thread(root: Element, structured: Sequence[Node]) -> bool:
    """Whether the page is a conversation: its data say so, or most of its text stands in repeated posts.

    Comments in a part of their own are no posts where an article stands outside it.
    """
    if any(_THREADS & kinds(node) for node in structured):
        return True
    top = body(root)
    posts: list[Element] = []
    is_post, is_text, is_apart = Known(_is_any(_POST)), Known(_is_any(_ARTICLE)), Known(_is_any(_COMMENTS))
    if sum(is_post[attr(el, "class")] for el in top.iter(*_POST_TAGS)) < _FEWEST_POSTS:
        return False
    has_article = False
    comments = 0
    stack: list[tuple[Element, bool]] = [(top, False)]
    while stack:
        el, is_comment = stack.pop()
        tag, named = el.tag, attr(el, "class")
        is_comment = is_comment or (el is not top and (is_apart[named] or is_apart[attr(el, "id")]))
        if tag in _POST_TAGS and is_post[named]:
            posts.append(el)
            comments += is_comment
            has_article |= tag == "article" and not is_comment
            continue
        has_article |= not is_comment and (tag == "article" or is_text[named])
        stack.extend((child, is_comment) for child in el)
    if len(posts) < _FEWEST_POSTS or (has_article and comments > len(posts) / 2):
        return False
    return sum(len(words(el)) for el in posts) > 0.5 * len(words(top))


def _is_any(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Whether one of some names is of a kind."""
    return lambda names: any(map(pattern.match, names.split()))


def in_comments(page: Outline) -> list[bool]:
    """For each block whether it stands in a part that is called the comments."""
    called = Known(_is_any(_COMMENTS))
    is_comment: list[bool] = []
    for names, parent in zip(page.names, page.parents, strict=True):
        is_comment.append(parent >= 0 and (is_comment[parent] or called[names]))
    return [is_comment[block.at] for block in page.blocks]


def keep_writers(page: Outline, is_kept: list[bool]) -> None:
    """Keep the names of those who wrote kept posts, where no kept text of a post tells them."""
    units = _units(page, is_kept)
    texts: dict[int, list[str]] = {at: [] for at in units}
    for block, keep in zip(page.blocks, is_kept, strict=True):
        if keep and units:
            for at in (at for at in page.way(block.at, _LEVELS) if at in texts):
                texts[at].append(block.text)
    for at, nth in units.items():
        is_kept[nth] |= bool(texts[at]) and page.blocks[nth].text.strip() not in " ".join(texts[at])


def _units(page: Outline, is_kept: Sequence[bool]) -> dict[int, int]:
    """The elements that hold one name each of those of one make, and nothing of another post: the name's block."""
    units: dict[int, int] = {}
    for make in _names(page, is_kept).values():
        ways = {nth: page.way(page.blocks[nth].at, _LEVELS) for nth in make}
        shared = Counter(at for way in ways.values() for at in way)
        for nth, way in ways.items():
            own = [at for at in way if shared[at] == 1]
            if own and len(make) >= _FEWEST_OF_A_MAKE:
                units.setdefault(own[-1], nth)
    return units


def _names(page: Outline, is_kept: Sequence[bool]) -> dict[str, list[int]]:
    """The blocks that hold a name and are not kept, by what they are called."""
    called = Known(lambda names: _WRITER.search(names) is not None)
    makes: dict[str, list[int]] = {}
    for nth, block in enumerate(page.blocks):
        if 0 < len(block.tokens) <= _NAME_TOKENS and not is_kept[nth] and _NAME.fullmatch(block.text.strip()):
            names = (page.classes[at] for at in (block.at, *page.way(block.at, _NEAR)))
            if own := next((name for name in names if called[name]), ""):
                makes.setdefault(own, []).append(nth)
    return makes


def commands(page: Outline, makes: Sequence[float]) -> NDArray[np.bool_]:
    """For each block whether it is a short line that its make repeats word for word ("Link to post")."""
    texts: dict[float, Counter[str]] = {}
    for block, make in zip(page.blocks, makes, strict=True):
        if block.tokens:
            texts.setdefault(make, Counter())[block.text] += 1
    repeated: dict[float, str] = {}
    for make, counted in texts.items():
        text, count = counted.most_common(1)[0]
        if count >= max(_FEWEST_COMMANDS, _MOST_COMMANDS * counted.total()):
            repeated[make] = text
    return np.array(
        [
            0 < len(block.tokens) <= _COMMAND_TOKENS
            and repeated.get(make) == block.text
            and block.element.tag not in _NO_COMMANDS
            for block, make in zip(page.blocks, makes, strict=True)
        ],
        bool,
    )


def drop_copies(page: Outline, is_kept: list[bool]) -> None:
    """Leave out the second copy of a text that a page writes twice, for phones and for desks.

    Cells, items and lines of code repeat each other in earnest, and so does a section under a heading of its own, and a
    page that is copies for the most part.
    """
    seen: set[str] = set()
    runs: list[list[int]] = []
    is_copy = is_below_heading = is_section = False
    total = 0
    for nth, block in enumerate(page.blocks):
        if not is_kept[nth] or not block.tokens:
            continue
        total += len(block.tokens)
        was_copy, is_copy = is_copy, block.text in seen and block.element.tag not in _REPEATING
        if is_copy and not was_copy:
            is_section = is_below_heading
            runs.append([])
        if is_copy and not is_section:
            runs[-1].append(nth)
        is_below_heading = not is_copy and block.element.tag in HEADINGS
        seen.add(block.text)
    sizes = [sum(len(page.blocks[nth].tokens) for nth in run) for run in runs]
    gone = [run for run, size in zip(runs, sizes, strict=True) if size >= _COPY_TOKENS]
    if 2 * sum(size for size in sizes if size >= _COPY_TOKENS) <= total:
        for nth in (nth for run in gone for nth in run):
            is_kept[nth] = False
