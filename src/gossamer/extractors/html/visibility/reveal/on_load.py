"""Revealed on load: fade-in animations, preloaders over a whole page, articles that a script shows, `noscript`.

What an animation hides in the end is hidden. What it shows in the end shows, if nobody can doubt it: the animation runs
by itself, is over before long and stays as it ends, and its steps are said once, outside of all conditions.

A page with scripts shows nothing of its `noscript`, so that is a place to hide things in. It is read only where it is
the page: where there is next to no other text, or where it is the article that a script shows from a template and the
page has no other words.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from html import unescape

from gossamer.extractors.html.tree import Element, attr, body, children, outermost, words
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.declarations import Run, declarations, is_open, runs, unescaped
from gossamer.extractors.html.visibility.css.rule_filter import hides
from gossamer.extractors.html.visibility.css.values import EXPONENT, NUMBER
from gossamer.extractors.html.visibility.layout.element_visibility import (
    Seen,
    is_gone,
    is_marked_hidden,
    is_out,
    seen_of,
)

Steps = Mapping[str, list[tuple[str, Style]]]
"""The steps of an animation by its name: when each is, and what it says; by its name in small letters, what hides."""
_KEYFRAMES = re.compile(r"@(?:-[a-z]+-)?keyframes\s+([\w-]+)\s*\{((?:[^{}]*\{[^{}]*\})*)", re.IGNORECASE)
_STEP = re.compile(r"([^{}]*)\{([^{}]*)\}")
_NO_TEXT = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"((?:[^\"\\\n]|\\.)*)\"?|'((?:[^'\\\n]|\\.)*)'?|url\(\s*[^\"'\s)][^)]*\)?",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"[\w-]+")
_UNCLEAR = re.compile(r"[(\[][^()\[\]{}]*[{}]|\\[{}]")
"""A brace that ends no block."""
_SHARE = re.compile(rf"\+?({NUMBER}){EXPONENT}%")
_WHOLE_PAGE_CHARS = 600
_ARTICLE_CHARS = 200
"""What is shorter is the head of an article, or its place."""
_MAIN = ("main", "article", "h1")
_FEWEST_PARAGRAPHS = 3
_ARTICLE_SHARE = 0.5
"""An article in `noscript` has at least twice as much text as all that the page shows beside it."""
_PROSE_CHARS = 200
"""As much text beside it, links apart, is something that the page shows itself."""
_NO_PROSE = ("a", "h1", "h2", "h3", "h4", "h5", "h6")
_TAG = re.compile("<[^<>]*>")
_TEMPLATES = frozenset({"text/template", "text/x-template", "text/html", "text/x-handlebars-template"})
_PAGE = frozenset({"html", "body"})
_OF_WHOLE_PAGES = frozenset({"display", "visibility", "opacity", "transform", "left", "top", "filter"})
"""What pages use to stay hidden as a whole until they have loaded."""
_EVENT = re.compile(r"on[a-z]{3,20}")


def animations(sheets: Iterable[str]) -> dict[str, list[tuple[str, Style]]]:
    """The animations that the page's own style sheets describe; of those that may not be meant, what hides."""
    steps_by_name: dict[str, list[tuple[str, Style]]] = {}
    for sheet in sheets:
        if "keyframes" not in (css := unescaped(sheet)).lower():
            continue
        for name, steps, is_sure in _described(_NO_TEXT.sub(_word, css)):
            _note(steps_by_name, name, steps if is_sure else _only_hiding(steps))
            if (small := name.lower()) != name:
                _note(steps_by_name, small, _only_hiding(steps))
    return steps_by_name


def _note(steps_by_name: dict[str, list[tuple[str, Style]]], name: str, steps: list[tuple[str, Style]]) -> None:
    """Add an animation; what is said in two ways may hide, and shows nothing."""
    is_other = name in steps_by_name and steps_by_name[name] != steps
    steps_by_name[name] = _only_hiding([*steps_by_name[name], *steps]) if is_other else steps


def _described(css: str) -> Iterator[tuple[str, list[tuple[str, Style]], bool]]:
    """The animations of a sheet, and whether each stands outside of all conditions and says all there is to say."""
    is_clear = not _UNCLEAR.search(css)
    depth, end = 0, 0
    for match in _KEYFRAMES.finditer(css):
        depth += css.count("{", end, match.start()) - css.count("}", end, match.start())
        is_sure = is_clear and not depth and "linear(" not in match[2].lower()
        depth, end = depth + 1, match.end()
        steps = [(when, _step_style(step)) for whens, step in _STEP.findall(match[2]) for when in _moments(whens)]
        yield match[1], steps, is_sure


def _step_style(step: str) -> Style:
    """What a step says; in steps nothing is important."""
    return {name: value for name, (value, is_important) in declarations(step).items() if not is_important}


def _word(match: re.Match[str]) -> str:
    """A text that is a name, without its quotes; nothing of all else."""
    inside = match[1] or match[2] or ""
    return inside if _NAME.fullmatch(inside) else " "


def at_rest(style: Style, steps: Steps, insisted: Collection[str] = ()) -> Style:
    """The style of an element once its animations rest; so too if they hide from first to last.

    `insisted` are the properties that no animation changes. What is not displayed is not animated.
    """
    if style.get("display") == "none":
        return style
    rest = dict(style)
    for run in runs(style):
        left = _left(run, steps.get(run.name) or steps.get(run.name.lower(), []))
        rest.update({name: value for name, value in left.items() if name not in insisted})
    return rest


def _left(run: Run, steps: list[tuple[str, Style]]) -> Style:
    """What an animation leaves behind."""
    first, last = _at(steps, "from"), _at(steps, run.end or "to")
    if run.waits and (hiding := _hiding(first)):
        return hiding
    if run.stays and run.is_timely and run.end:
        return {name: value for name, value in last.items() if name != "display" or hides(name, value)}
    is_always = bool(_hiding(first)) and all(_hiding(step) for _, step in steps)
    return _hiding(last) if run.stays or (is_always and _hiding(_at(steps, "to"))) else {}


def _at(steps: list[tuple[str, Style]], moment: str) -> Style:
    """All that is said of a moment."""
    return {name: value for when, step in steps if when == moment for name, value in step.items() if not is_open(value)}


def _moments(whens: str) -> Iterator[str]:
    for when in whens.lower().split(","):
        share = _SHARE.fullmatch(when.strip())
        place = float(when.strip()[:-1]) if share else None
        yield "from" if place == 0 else "to" if place == 100 else when.strip()


def _only_hiding(steps: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
    return [(when, _hiding(step)) for when, step in steps]


def _hiding(step: Style) -> Style:
    return {name: value for name, value in step.items() if hides(name, value)}


def has_scripts(root: Element) -> bool:
    """Whether anything on the page could show what is hidden."""
    kinds = (attr(el, "type").strip().lower() for el in root.iter("script"))
    if any(kind in {"", "module"} or "javascript" in kind for kind in kinds):
        return True
    return any(_EVENT.fullmatch(name) for el in (root, body(root)) for name in el.attrib)


class Preloader:
    """What hides a page as a whole.

    It counts as lifted where a script or an animation can lift it and nothing can be seen while it is down: a page
    that shows some of its text meanwhile means to hide the rest.
    """

    def __init__(self, root: Element, *, is_scripted: bool, steps: Steps) -> None:
        self._root = root
        self._is_scripted = is_scripted
        self._steps = steps
        self._is_liftable = False

    def judge(self, cascade: Cascade, seen: Seen) -> None:
        """Look at the page as it stands; it is left as it is."""
        self._is_liftable = bool(self._is_scripted or self._steps) and not self._shows_text(cascade, seen)

    def lifted(self, el: Element, style: Style, inherited: Seen) -> Style:
        """The style of an element once the page has been shown."""
        if el.tag not in _PAGE or not self._is_liftable:
            return style
        if not self._is_scripted and not self._is_animated(style, inherited, tag=el.tag):
            return style
        return {name: value for name, value in style.items() if name not in _OF_WHOLE_PAGES}

    def is_out(self, el: Element, style: Style, inherited: Seen) -> bool:
        """Whether an element, its style lifted, is out of sight; of the page itself, only what nothing lifts counts."""
        is_by_script = self._is_liftable and self._is_scripted
        if el.tag in _PAGE and (is_by_script or not is_marked_hidden(el, style)):
            return is_gone(style, inherited, tag=el.tag)
        return is_out(el, style, inherited)

    def _is_animated(self, style: Style, inherited: Seen, *, tag: str) -> bool:
        """Whether some step of the element's animation can be seen."""
        for name in set(_NAME.findall(style.get("animation-name", ""))):
            for _, step in self._steps.get(name, ()):
                shown = {**style, **step}
                is_visible = shown.get("visibility", "visible") == "visible"
                if _OF_WHOLE_PAGES & set(step) and is_visible and not is_gone(shown, inherited, tag=tag):
                    return True
        return False

    def _shows_text(self, cascade: Cascade, seen: Seen) -> bool:
        stack = [(self._root, seen, dict[str, str]())]
        while stack:
            el, inherited, known = stack.pop()
            style = cascade.of(el, known)
            if self.is_out(el, style, inherited):
                continue
            own = {name: value for name, value in style.items() if name.startswith("--")}
            here, known = seen_of(el, style, inherited), {**known, **own} if own else known
            has_text = any(text and text.strip() for text in (el.text, *(child.tail for child in el)))
            if has_text and not here.hides_text:
                return True
            stack.extend((child, here, known) for child in children(el))
        return False


def is_article_hidden(root: Element, gone_parts: list[Element], blanked_chars: int) -> bool:
    """Whether the main part of the page is among what is hidden, and nothing like it can be seen."""
    if blanked_chars + sum(_length(el) for el in gone_parts) < _WHOLE_PAGE_CHARS:
        return False
    sizes = _sizes(root)
    largest = max(gone_parts, key=sizes.__getitem__, default=None)
    is_main = largest is not None and (largest.tag in _MAIN or any(True for _ in largest.iter(*_MAIN)))
    gone = sum(sizes[el] for el in gone_parts)
    left = sizes[body(root)] - gone
    is_alone = largest is not None and left < sizes[largest] / 10
    hidden = max(sizes[largest] if largest is not None and (is_main or is_alone) else 0, blanked_chars)
    unseen = _unseen(gone_parts, sizes)
    if left < gone and _is_hidden_in_parts(sizes, unseen, gone, left):
        hidden = max(hidden, gone)
    if hidden < _WHOLE_PAGE_CHARS or left >= hidden:
        return False
    return not _is_article_seen(root, set(gone_parts), sizes, unseen)


def _length(el: Element) -> int:
    return sum(map(len, el.itertext()))


def _unseen(gone: list[Element], sizes: Mapping[Element, int]) -> Mapping[Element, int]:
    """How much is hidden of each article."""
    unseen: dict[Element, int] = defaultdict(int)
    for part in gone:
        for up in part.iterancestors("main", "article"):
            unseen[up] += sizes[part]
    return unseen


def _is_hidden_in_parts(sizes: Mapping[Element, int], unseen: Mapping[Element, int], gone: int, left: int) -> bool:
    """Whether an article, or the page, is hidden part by part but for a few words, until a reader scrolls there."""
    return left < gone / 10 or any(
        size >= _WHOLE_PAGE_CHARS and sizes[article] - size < size / 10 for article, size in unseen.items()
    )


def _is_article_seen(
    root: Element, gone: set[Element], sizes: Mapping[Element, int], unseen: Mapping[Element, int]
) -> bool:
    """Whether some article can be seen for the most part."""
    articles = list(root.iter("main", "article")) if sizes[root] > _ARTICLE_CHARS else []
    large = [el for el in articles if sizes[el] > _ARTICLE_CHARS + 2 * unseen.get(el, 0)]
    return any(el not in gone and not any(up in gone for up in el.iterancestors()) for el in large)


def _sizes(root: Element) -> dict[Element, int]:
    """How many characters stand in each element and all in it, runs of blanks as one."""
    sizes: dict[Element, int] = {}
    for el in reversed(list(root.iter("*"))):
        sizes[el] = _size(el.text) + sum(sizes[child] + _size(child.tail) for child in children(el))
    return sizes


def _size(text: str | None) -> int:
    return len(" ".join(text.split())) + (text[-1:].isspace() or text[:1].isspace()) if text and text.strip() else 0


def written_for_us(root: Element, unshown: Collection[str]) -> list[Element]:
    """The element that stands for the page in a browser without scripts, and those that hold its styles there.

    `unshown` are the elements that never show text.
    """
    whole = body(root)
    largest = max(outermost(whole, ("noscript",)), key=lambda el: len(words(el)), default=None)
    inside = len(words(largest)) if largest is not None else 0
    if largest is None or inside < _WHOLE_PAGE_CHARS:
        return []
    hidden = outermost(whole, unshown)
    beside = len(words(whole)) - sum(len(words(el)) for el in hidden)
    if beside >= _ARTICLE_SHARE * inside or _prose_chars(whole, hidden) >= _PROSE_CHARS:
        return []
    if beside < inside / 10 or _is_article(largest, whole):
        return [largest, *(el for el in root.iter("noscript") if _is_style(el))]
    return []


def _is_article(largest: Element, whole: Element) -> bool:
    """Whether an element is the text of a template, in paragraphs."""
    return sum(1 for _ in largest.iter("p", "br")) >= _FEWEST_PARAGRAPHS and _has_twin(largest, whole)


def _has_twin(el: Element, whole: Element) -> bool:
    """Whether the same text stands in a template, from which a script shows it to everybody else."""
    wanted = "".join(words(el).split())
    return any(
        wanted in "".join(unescape(_TAG.sub("", script.text or "")).split())
        for script in whole.iter("script")
        if (script.get("type") or "").strip().lower() in _TEMPLATES
    )


def _is_style(el: Element) -> bool:
    """Whether nothing but styles is in an element."""
    return len(el) > 0 and all(child.tag in {"style", "link"} for child in el) and not _own_chars(el)


def _prose_chars(whole: Element, hidden: Collection[Element]) -> int:
    """How much text stands on the page outside of links, headings and some elements."""
    unseen = {el for part in (*hidden, *outermost(whole, _NO_PROSE)) for el in part.iter("*")}
    return sum(_own_chars(el) for el in whole.iter("*") if el not in unseen)


def _own_chars(el: Element) -> int:
    """How much text stands directly in an element."""
    return len((el.text or "").strip()) + sum(len((child.tail or "").strip()) for child in el)
