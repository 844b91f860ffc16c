"""Extractive summary: a few of a page's own sentences that say what it is about."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from math import log
from typing import NamedTuple

from gossamer.steps.text.prose import prose
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.words import words

_MOST_SENTENCES = 240
_SHORTEST_BYTES = 30
"""In UTF-8: a sentence of Chinese or Japanese says in ten characters what takes thirty letters."""
_MOST_LINKED = 0.5
_ASKED = 2.0
"""What a word of the query weighs beside the words that the page itself uses most."""
_LEAD = 0.35
"""What the first sentence gains: writers begin with what a page is about."""
_LEAD_FADES = 0.8
_LEAST_LEFT = 40


class _Sentence(NamedTuple):
    place: int
    text: str
    words: frozenset[str]


def summarize(markdown: str, query: str, *, max_chars: int = 500) -> str:
    """Sentences of the page, word for word and in its order, at most `max_chars` in all; empty where it has none.

    Chosen are those that share words with the query and with the rest of the page, earlier ones rather than later
    ones, and none that repeats what another has said.
    """
    candidates = _sentences(markdown)
    if not candidates or max_chars < 1:
        return ""
    spread = Counter(word for sentence in candidates for word in sentence.words)
    asked = {word: log(1 + len(candidates) / spread[word]) for word in words(query) if word in spread}
    chosen: list[_Sentence] = []
    covered: set[str] = set()
    left = max_chars
    ranked = sorted(
        candidates, key=lambda sentence: (-_score(sentence, asked, spread, len(candidates)), sentence.place)
    )
    for sentence in ranked:
        is_new = len(sentence.words - covered) * 2 > len(sentence.words)
        if (is_new and len(sentence.text) + 1 <= left) or not chosen:
            chosen.append(sentence)
            covered |= sentence.words
            left -= len(sentence.text) + 1
        if left < _LEAST_LEFT:
            break
    text = " ".join(sentence.text for sentence in sorted(chosen))
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def _sentences(markdown: str) -> list[_Sentence]:
    """What can stand alone: of paragraphs, and where there are none, of list items; signposts say nothing."""
    own = [paragraph for paragraph in prose(markdown) if paragraph.link_chars <= _MOST_LINKED * len(paragraph.text)]
    for kind in ("text", "item"):
        texts = (sentence for paragraph in own if paragraph.kind == kind for sentence in _of(paragraph.text))
        if numbered := [_Sentence(place, *sentence) for place, sentence in enumerate(islice(texts, _MOST_SENTENCES))]:
            return numbered
    return []


def _of(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for start, end in sentences(text):
        sentence = text[start:end]
        is_long = len(sentence.encode("utf-8", "surrogatepass")) >= _SHORTEST_BYTES
        if is_long and (sentence_words := frozenset(words(sentence))):
            yield sentence, sentence_words


def _score(sentence: _Sentence, asked: Mapping[str, float], spread: Counter[str], total: int) -> float:
    """By the rare words of the query that it holds, by the words that it shares with other sentences, by its place."""
    held = sum(weight for word, weight in asked.items() if word in sentence.words) / (sum(asked.values()) or 1.0)
    common = sum(spread[word] - 1 for word in sentence.words) / (len(sentence.words) * max(1, total - 1))
    return _ASKED * held + common + _LEAD * _LEAD_FADES**sentence.place
