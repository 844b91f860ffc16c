"""Budget split: how the pages of a search share a token budget, evenly, the best of each first."""

import json
import re
from collections.abc import Mapping

from gossamer.contracts.render.envelope import fit, inert
from gossamer.model.page import Page
from gossamer.model.search import CodeBlock, Content
from gossamer.steps.retrieval.passage_context import closing, has_unrepeated_code
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.untrusted_markers import escape
from gossamer.steps.tokens.count import count

GAP = "\n\n…\n\n"
LEAST_BODY = 112
"""A page gets at least this many tokens, or none: marks around less would cost more than what they hold."""
_LEAST_PASSAGE = 24
_WIDEST = 12
_MOST = 0.6
_LONGEST_WORD = 24
_CODE_FIELDS = 16


def share_out(sizes: Mapping[int, int], budget: int) -> dict[int, int]:
    """Split a budget evenly; what a small one does not need goes to the others."""
    shares: dict[int, int] = {}
    left = max(0, budget)
    for place, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: (item[1], item[0]))):
        shares[name] = min(size, left // (len(sizes) - place))
        left -= shares[name]
    return dict(sorted(shares.items()))


def size_of(text: str, limit: int) -> int:
    """The tokens of a text, or more than `limit` where it is surely longer."""
    return count(text) if len(text) <= limit * _WIDEST else limit + 1


def body_of(content: Content, page: Page, share: int, size: int) -> str:
    """The whole page where it fits, else its best passages for the query in page order, else its beginning."""
    if size <= share:
        return page.text
    chosen: list[tuple[int, str]] = []
    is_risky = has_unrepeated_code(page.text)
    for passage in content.passages:
        left = share - sum(count(text) + count(GAP) for _, text in chosen)
        if left < _LEAST_PASSAGE:
            break
        whole = inert(passage.shown) if is_risky else passage.shown
        text = _beginning(whole, left)
        if text == whole or not chosen:
            chosen.append((passage.start, text))
    return GAP.join(text for _, text in sorted(chosen)) or _beginning(page.text, share)


def _beginning(text: str, budget: int) -> str:
    """As much of a text as the budget holds; it ends with a sentence where that leaves most of it. Code is ended."""
    end = fit(text, 0, budget, len(text))
    if end == len(text):
        return text
    if fence := closing(text[:end]):
        lines = text[: fit(text, 0, max(1, budget - count(f"\n{fence}")), len(text))].rstrip()
        fence = closing(lines)
        return f"{lines}\n{fence}" if fence else lines
    *_, (last, _) = sentences(text, 0, end) if text[:end].strip() else [(0, 0)]
    kept = text[:last].rstrip()
    if len(kept) < _MOST * end:
        return text[:end]
    fence = closing(kept)
    return f"{kept}\n{fence}" if fence else kept


def price_of(block: CodeBlock) -> int:
    """What a piece of code costs in either form; its line breaks and quotes are escaped in the structured one."""
    said = json.dumps([block.language, escape(block.text)], ensure_ascii=False)
    return count(said) + _CODE_FIELDS


def fenced(block: CodeBlock) -> str:
    """Code as it stands in Markdown."""
    sign = "~" if "```" in block.text else "`"
    fence = sign * max((3, *(len(run) + 1 for run in re.findall(f"{sign}{{3,}}", block.text))))
    return f"{fence}{block.language}\n{block.text}\n{fence}"


def ended(text: str, whole: str) -> str:
    """A summary cut to the budget: whole sentences where it holds one, else its beginning with an ellipsis."""
    if len(text) == len(whole):
        return whole
    *_, (start, end) = sentences(text) if text.strip() else [(0, 0)]
    if kept := text[:start].rstrip():
        return kept
    words = text[:-1].rpartition(" ")[0] if " " in text[-_LONGEST_WORD:-1] else text[:-1]
    return f"{words.rstrip()}…" if end else ""
