"""Headings: which belong to kept text, and which head related stories or comments.

A judge of single blocks sees a few words and no section under them, and under a label sentences as good as those of
the article; what tells them apart is the line above
them. The label is a line of few words, and its part is the largest element that begins with it, or else what follows
a heading, up to the next one of its rank. A label alone proves nothing: "Similar products" may head a comparison, and
"3 replies" the answers of a thread. So related stories have to be links, and comments have to be marked up as such.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from gossamer.extractors.html.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.html.content.tree_counts import ends_of
from gossamer.extractors.html.content.vocabulary import TEXT_GROUPS, Known, text_groups
from gossamer.extractors.html.tree import Element, attr

_NEAR = 6
"""A heading belongs to kept text that begins at most as many blocks after it."""
_NEAR_TOP = 3
"""The same above all kept text, where the page's own head stands as well."""
_LEVELS = 8
"""How many elements further out the box or the unit of a heading is looked for."""
_BOX_TOKENS = 8
"""An element with fewer words besides its headings is no box that says what they belong to."""
_SOME_TOKENS = 20
_MOST = 0.6
_FEWEST_UNITS = 3
_ABOVE, _UNIT, _AMONG, _ALONE = 0.001, 0.05, 0.3, 0.5
"""How likely a heading must be above kept text (0 is ruled out), as a unit's name, among kept text, or elsewhere."""
_ASIDE = tuple(TEXT_GROUPS.index(name) for name in ("related", "comments", "share", "sales", "rights"))


class _Text:
    """The words in each element that are no plain heading, and how many of them are kept."""

    def __init__(self, page: Outline, is_kept: Sequence[bool]) -> None:
        size = len(page.elements)
        self._parents = page.parents
        self.total, self.kept_tokens = [0] * size, [0] * size
        for block, keep in zip(page.blocks, is_kept, strict=True):
            if not is_plain(block):
                self.total[block.at] = len(block.tokens)
                self.kept_tokens[block.at] = len(block.tokens) if keep else 0
        for at in range(size - 1, 0, -1):
            self.total[page.parents[at]] += self.total[at]
            self.kept_tokens[page.parents[at]] += self.kept_tokens[at]

    def box(self, block: Block, least: int) -> tuple[int, int]:
        """The words in the nearest element round a heading that has some more, and how many of them are kept."""
        own = 0 if is_plain(block) else len(block.tokens)
        at = block.at
        for _ in range(_LEVELS):
            if at and self.total[at] - own < least:
                at = self._parents[at]
        return self.total[at], self.kept_tokens[at]


def is_plain(block: Block) -> bool:
    """Whether a block is a heading that leads nowhere."""
    return block.element.tag in HEADINGS and 2 * block.linked <= len(block.tokens)


def keep_headings(page: Outline, is_kept: list[bool], likely: Sequence[float]) -> None:
    """Keep the headings of kept text and of units with kept text, and those that are likely in themselves."""
    text = _Text(page, is_kept)
    named = _units(page, text)
    blocks = page.blocks
    first = is_kept.index(True) if True in is_kept else 0
    away = _NEAR + 1
    for nth in range(len(blocks) - 1, -1, -1):
        block = blocks[nth]
        if block.element.tag in HEADINGS:
            is_above = away <= (_NEAR if nth > first else _NEAR_TOP)
            least = _least(block, text, is_above=is_above, is_named=nth in named)
            is_kept[nth] |= likely[nth] >= least
            away = away if is_kept[nth] else _NEAR + 1
        elif block.tokens:
            away = 1 if is_kept[nth] else away + 1


def _least(block: Block, text: _Text, *, is_above: bool, is_named: bool) -> float:
    """How likely a heading must be to stay."""
    total, kept_tokens = text.box(block, _BOX_TOKENS)
    if is_above and (kept_tokens or total < _BOX_TOKENS or block.element.tag == "h1"):
        return _ABOVE
    if is_named:
        return _UNIT
    total, kept_tokens = text.box(block, _SOME_TOKENS)
    if is_above or (total >= _SOME_TOKENS and kept_tokens >= _MOST * total):
        return _AMONG if not _is_aside(block) else 1
    return _ALONE


def _is_aside(block: Block) -> bool:
    says = text_groups(block.text)
    return any(says[at] for at in _ASIDE)


def _units(page: Outline, text: _Text) -> set[int]:
    """The headings that name units of one make, each with kept text: who wrote a post, what a card is about."""
    makes: dict[tuple[str, str], list[int]] = {}
    for nth, block in enumerate(page.blocks):
        if block.element.tag in HEADINGS and block.tokens:
            makes.setdefault((block.element.tag, attr(block.element, "class")), []).append(nth)
    units = set[int]()
    for make in makes.values():
        if len(make) >= _FEWEST_UNITS:
            units.update(_with_own_text(page, make, text))
    return units


def _with_own_text(page: Outline, make: Sequence[int], text: _Text) -> list[int]:
    """Those of some headings that stand in an element with kept text and with none of the others."""
    ways = [page.way(page.blocks[nth].at, _LEVELS) for nth in make]
    shared = Counter(at for way in ways for at in way)
    return [
        nth for nth, way in zip(make, ways, strict=True) if any(shared[at] == 1 and text.kept_tokens[at] for at in way)
    ]


_LABEL_TOKENS = 8
_LABEL_CHARS = 60
_THINGS = r"(?:posts?|articles?|stor(?:y|ies)|news|products?|items?|videos?|coverage|recipes?|entries)"
_RELATED = re.compile(
    rf"\W{{0,3}}(?:(?:related|similar|recommended|more|other) {_THINGS}|recommended for you|more like this"
    r"|you (?:may|might)(?: also)? (?:like|enjoy|be interested in)(?: these| this)?|what to read next"
    r"|das könnte (?:sie|dich|ihnen|dir)(?: auch)? .{1,20}|auch interessant|ähnliche (?:artikel|beiträge|produkte)"
    r"|(?:weitere|mehr) (?:artikel|beiträge)|lesen sie auch|(?:à lire|lire|à voir) (?:aussi|également)"
    r"|(?:articles|produits) (?:similaires|liés)|sur le même (?:sujet|thème)"
    r"|(?:você )?(?:também )?pode gostar|veja também|leia (?:também|mais)|(?:posts|artigos|notícias) relacionad[oa]s"
    r"|(?:también )?te puede interesar|(?:artículos|notas|noticias) relacionad[oa]s"
    r"|potrebbe (?:interessarti|piacerti)(?: anche)?|articoli correlati|lees ook|gerelateerde (?:artikelen|berichten)"
    r"|читайте также|похожие (?:статьи|записи|новости)|関連(?:記事|ニュース)|おすすめ記事|관련 ?기사"
    r"|(?:相关|推荐|热门|延伸)(?:新闻|文章|阅读|报道|专题)|相关推荐|猜你喜欢)\W{0,4}",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\W{0,3}(?:most (?:read|viewed|watched|shared|commented)(?: (?:in|on|from|this|today)\b.{0,40})?"
    rf"|(?:most popular|trending) {_THINGS}|recommended for you|don.t miss"
    r"|meistgelesen.{0,20}|les plus lus|(?:lo )?más (?:leíd[oa]s?|visto)|mais (?:lidas?|vistos?)|(?:i )?più letti"
    r")\W{0,4}",
    re.IGNORECASE,
)
"""What heads other stories for certain: there lines outside of links are theirs as well, as long as all are short."""
_REMARKS = (
    r"(?:comments?|repl(?:y|ies)|responses?|kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties)"
)
_COMMENTS = re.compile(
    rf"\W{{0,3}}(?:\d{{1,6}} {_REMARKS}|{_REMARKS} ?\(\d{{1,6}}\)|(?:reader|user|latest|recent|all) comments"
    r"|(?:网友|最新|全部|热门|读者|用户|文章)(?:评论|回复|留言|跟帖|跟贴)|(?:评论|回复|留言|跟帖|跟贴)(?:线索|列表|区))"
    r"\W{0,3}(?:\d{1,6}\W{0,2})?",
    re.IGNORECASE,
)
"""Only what is no topic of a text: a manual has a section of its own on comments, and another one on responses."""
_LINKED = 0.6
"""At least this share of the words below a label of related stories are links."""
_FEWEST_TEASERS = 2
_TEASER_TOKENS = 40
_CELLS = frozenset({"th", "dt", "dd"})
_REMARK_NAME = re.compile(r"comment|disqus|kommentar|avatar|pinglun|(?:^|[-_\s])repl(?:y|ies)(?![a-z])", re.IGNORECASE)
_FORUM_NAME = re.compile(
    r"(?:^|[-_\s])(?:forums?|bbpress|threads?|viewtopic|showthread|topic|issues?|tickets?|questions?|qa)(?![a-z])",
    re.IGNORECASE,
)


def under_labels(page: Outline) -> tuple[list[bool], list[bool]]:
    """For each block whether it stands under a label of related stories, and under one of comments."""
    labels = [nth for nth, block in enumerate(page.blocks) if _is_short(block)]
    others = [nth for nth in labels if _OTHERS.fullmatch(page.blocks[nth].text)]
    related = [nth for nth in labels if _RELATED.fullmatch(page.blocks[nth].text)]
    comments = [nth for nth in labels if _COMMENTS.fullmatch(page.blocks[nth].text)]
    if not others and not related and not comments:
        return [False] * len(page.blocks), [False] * len(page.blocks)
    parts = _Parts(page)
    comment_parts = [] if _is_forum(page) else comments
    stories = (*map(parts.others, others), *map(parts.related, related))
    return _blocks_in(page, stories), _blocks_in(page, map(parts.commented, comment_parts))


def _blocks_in(page: Outline, parts: Iterable[range]) -> list[bool]:
    """For each block whether it stands in one of some parts."""
    change = [0] * (len(page.blocks) + 1)
    for part in parts:
        change[part.start] += 1
        change[part.stop] -= 1
    return [depth > 0 for depth in accumulate(change[:-1])]


def _is_short(block: Block) -> bool:
    is_short = 0 < len(block.tokens) <= _LABEL_TOKENS and len(block.text) <= _LABEL_CHARS
    return is_short and block.element.tag not in _CELLS


def _is_forum(page: Outline) -> bool:
    """Whether the page or what its headline stands in is called a thread: what readers answer is the content there."""
    at = next((block.at for block in page.blocks if block.element.tag == "h1"), 0)
    while at >= 0:
        if _FORUM_NAME.search(page.names[at]):
            return True
        at = page.parents[at]
    return False


class _Parts:
    """What labels head, each as a range of blocks; a range without any where a label heads nothing."""

    def __init__(self, page: Outline) -> None:
        self._page = page
        self._first = _firsts(page)
        self._ends: list[int] = ends_of(page.parents).tolist()
        self._places = [block.at for block in page.blocks]
        self._words = [0, *accumulate(len(block.tokens) for block in page.blocks)]
        self._linked = [0, *accumulate(block.linked for block in page.blocks)]
        self._links = [0, *accumulate(int(el.tag == "a" and el.get("href") is not None) for el in page.elements)]
        called = Known(lambda names: _REMARK_NAME.search(names) is not None)
        marks = (called[names] or _is_remark(el) for names, el in zip(page.names, page.elements, strict=True))
        self._remarks = [0, *accumulate(map(int, marks))]
        plain = [(nth, block.element.tag) for nth, block in enumerate(page.blocks) if is_plain(block)]
        self._heads = {level: [nth for nth, tag in plain if tag <= level] for level in HEADINGS}

    def others(self, nth: int) -> range:
        """A label and the teasers in its box, each with a link somewhere: over its picture, or over all of it."""
        for box in reversed(self._boxes(nth)[1:]):
            part = range(nth, self._stop(self._ends[box]))
            links = self._links[self._ends[box]] - self._links[box]
            sizes = [len(self._page.blocks[at].tokens) for at in part]
            if (
                len(part) > 1
                and links >= _FEWEST_TEASERS
                and max(sizes) <= _TEASER_TOKENS
                and sum(sizes) <= _TEASER_TOKENS * links
            ):
                return part
        return self.related(nth)

    def related(self, nth: int) -> range:
        """A label and the links below it."""
        for _, part in self._below(nth):
            words = self._words[part.stop] - self._words[nth + 1]
            if words and self._linked[part.stop] - self._linked[nth + 1] >= _LINKED * words:
                return part
        return range(nth, nth)

    def commented(self, nth: int) -> range:
        """A label and what is marked up as comments below it, or the links to them."""
        for box, part in self._below(nth):
            end = self._places[part.stop] if part.stop < len(self._places) else len(self._ends)
            if self._remarks[end] > self._remarks[box]:
                return part
        return self.related(nth)

    def _below(self, nth: int) -> Iterator[tuple[int, range]]:
        """The parts that a label may head, each with the element it begins in, the largest first."""
        block = self._page.blocks[nth]
        boxes = self._boxes(nth)
        largest = boxes[-1]
        if self._page.elements[largest].tag == "tr":
            return
        if block.at == largest and block.element.tag in HEADINGS:
            yield largest, self._upto(nth, self._ends[self._page.parents[largest]])
        elif block.at != largest and self._stop(self._ends[largest]) == nth + 1:
            yield largest, self._upto(nth, self._behind(largest))
        else:
            yield from ((box, self._upto(nth, self._ends[box])) for box in reversed(boxes[1:]))

    def _boxes(self, nth: int) -> list[int]:
        """The elements that begin with a block, the smallest first."""
        boxes = [self._page.blocks[nth].at]
        while boxes[-1] > 0 and self._first[self._page.parents[boxes[-1]]] == nth:
            boxes.append(self._page.parents[boxes[-1]])
        return boxes

    def _upto(self, nth: int, end: int) -> range:
        """The blocks before an element, up to the next heading that ranks as high as the label."""
        tag = self._page.blocks[nth].element.tag
        heads = self._heads[tag if tag in HEADINGS else "h6"]
        following = bisect_right(heads, nth)
        stop = self._stop(end)
        return range(nth, min(stop, heads[following]) if following < len(heads) else stop)

    def _stop(self, end: int) -> int:
        return bisect_left(self._places, end)

    def _behind(self, box: int) -> int:
        """The end of the element with words that follows a label in a box of its own."""
        parent, at = self._page.parents[box], self._ends[box]
        while at < len(self._ends) and self._page.parents[at] == parent and self._first[at] < 0:
            at = self._ends[at]
        return self._ends[at] if at < len(self._ends) and self._page.parents[at] == parent else self._ends[box]


def _firsts(page: Outline) -> list[int]:
    """For each element the first block with words in it; -1 where there is none."""
    first = [-1] * len(page.elements)
    for nth, block in enumerate(page.blocks):
        at = block.at if block.tokens else -1
        while at >= 0 and first[at] < 0:
            first[at] = nth
            at = page.parents[at]
    return first


def _is_remark(el: Element) -> bool:
    """Whether an element is a comment by its data, or a field to write one."""
    return el.tag == "textarea" or attr(el, "itemtype").endswith("/Comment")
