"""Threads: posts and comments of readers and their authors; the content of a thread, an appendix to an article."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from gossamer.extractors.html.content.blocks import Outline
from gossamer.extractors.html.content.vocabulary import Known
from gossamer.extractors.html.metadata.json_ld import Node, kinds
from gossamer.extractors.html.tree import Element, attr, body, words

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
_POST_TAGS = frozenset({"div", "li", "article", "section", "td"})
_FEWEST_POSTS = 3
_ARTICLE = re.compile(r"^(?:entry|post|article|story)[-_]{0,2}(?:content|body|text)$", re.IGNORECASE)
_COMMENTS = re.compile(
    r"^(?:(?:article|post|user|reader|disqus|fb|facebook)?[-_]{0,2}comments?(?:[-_]{0,2}(?:list|area|section|wrapper"
    r"|container|block|thread|wrap|box|holder|template))?|commentlist|disqus_thread|respond)$",
    re.IGNORECASE,
)


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
            for at in (at for at in _way(page, block.at, _LEVELS) if at in texts):
                texts[at].append(block.text)
    for at, nth in units.items():
        is_kept[nth] |= bool(texts[at]) and page.blocks[nth].text.strip() not in " ".join(texts[at])


def _units(page: Outline, is_kept: Sequence[bool]) -> dict[int, int]:
    """The elements that hold one name each of those of one make, and nothing of another post: the name's block."""
    units: dict[int, int] = {}
    for make in _names(page, is_kept).values():
        ways = {nth: _way(page, page.blocks[nth].at, _LEVELS) for nth in make}
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
            names = (page.classes[at] for at in (block.at, *_way(page, block.at, _NEAR)))
            if own := next((name for name in names if called[name]), ""):
                makes.setdefault(own, []).append(nth)
    return makes


def _way(page: Outline, at: int, levels: int) -> list[int]:
    """The elements round one, nearest first."""
    way: list[int] = []
    while at > 0 and len(way) < levels:
        at = page.parents[at]
        way.append(at)
    return way
