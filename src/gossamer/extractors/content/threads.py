"""Posts and comments: what readers wrote, which is the content of a thread and an appendix to an article."""

import re
from collections.abc import Callable, Sequence

from gossamer.extractors.about.linked import Node, kinds
from gossamer.extractors.content.blocks import Outline
from gossamer.extractors.content.phrases import Known
from gossamer.extractors.tree import Element, attr, body, words

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


def is_thread(root: Element, said: Sequence[Node]) -> bool:
    """Whether the page is a conversation: its data say so, or most of its text stands in repeated posts.

    Comments in a part of their own are no posts where an article stands outside it.
    """
    if any(_THREADS & kinds(node) for node in said):
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
    found: list[bool] = []
    for names, parent in zip(page.names, page.parents, strict=True):
        found.append(parent >= 0 and (found[parent] or called[names]))
    return [found[block.at] for block in page.blocks]
