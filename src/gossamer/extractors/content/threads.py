"""Posts and comments: what readers wrote, which is the content of a thread and an appendix to an article."""

import re
from collections.abc import Sequence

from gossamer.extractors.about.linked import Node, kinds
from gossamer.extractors.content.blocks import Outline
from gossamer.extractors.content.phrases import Known, names_of
from gossamer.extractors.tree import Element, attr, body, classes, words

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
    has_article = False
    comments = 0
    stack: list[tuple[Element, bool]] = [(top, False)]
    while stack:
        el, is_comment = stack.pop()
        named = classes(el)
        is_comment = is_comment or (el is not top and any(map(_COMMENTS.match, (*named, attr(el, "id")))))
        if el.tag in _POST_TAGS and any(map(_POST.match, named)):
            posts.append(el)
            comments += is_comment
            has_article |= el.tag == "article" and not is_comment
            continue
        has_article |= not is_comment and (el.tag == "article" or any(map(_ARTICLE.match, named)))
        stack.extend((child, is_comment) for child in el)
    if len(posts) < _FEWEST_POSTS or (has_article and comments > len(posts) / 2):
        return False
    return sum(len(words(el)) for el in posts) > 0.5 * len(words(top))


def in_comments(page: Outline) -> list[bool]:
    """For each block whether it stands in a part that is called the comments."""
    called = Known(lambda names: any(map(_COMMENTS.match, names.split())))
    found: list[bool] = []
    for el, parent in zip(page.elements, page.parents, strict=True):
        found.append(parent >= 0 and (found[parent] or called[names_of(el)]))
    return [found[block.at] for block in page.blocks]
