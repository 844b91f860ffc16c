"""Sentence splitting: the spans of a text's sentences, in any script."""

import re
from collections.abc import Iterator

# The first sign decides, so that all other text is passed over at once. A run of signs is entered at its first
# character only, so that a megabyte of full stops is read once.
_END = re.compile(
    r"""
    [.!?…。！？｡؟۔।॥။።։។៕\n]
    (?: (?<=[.!?…])(?<![.!?…]{2})[.!?…]*[\"')\]}”’»*_]*\s+                  # signs that need a space to end a sentence
      | (?<=[。！？｡])(?<![。！？｡]{2})[。！？｡]*[\"'」』）】〉》”’*_]*\s*     # signs of scripts without spaces
      | (?<=[؟۔।॥။።։។៕])[؟۔।॥။።։។៕]*\s*
      | (?:(?<=[ ]{2}\n)|(?<=\\\n))\s*                                    # a line break the writer asked for
    )
    """,
    re.VERBOSE,
)
_ENDED = re.compile(r"""[.!?…。！？｡؟۔।॥။።։។៕][\"')\]}”’»」』）】〉》*_]*\Z""")
_ABBREVIATION = re.compile(
    r"\b(?:[^\W\d_]|mr|mrs|ms|dr|prof|rev|gen|col|capt|st|mt|jr|sr|vs|cf|al|approx|ca|e\.g|i\.e|fig|figs|eq|no|nos"
    r"|vol|ed|eds|pp|inc|ltd|co|corp|dept|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|bzw|z\.b|nr|sra|dra)\.$",
    re.IGNORECASE,
)
_ABBREVIATION_CHARS = 8
PHRASED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
"""Thai, Lao, Burmese and Khmer: blanks stand between phrases, not between words, and often no sign ends a sentence."""
_PHRASE_CHARS = 110
"""About what a sentence has in these scripts; anything from 100 to 120 serves alike."""
_BLANK = re.compile(rf"(?<={PHRASED})\s+|(?<!\s)\s+(?={PHRASED})")
CLOSING = frozenset(")]}”’»」』）】〉》")
"""What ends something that began before: nothing to begin with."""


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of `text[start:end]`; they hold all of it but the space between them.

    A stop ends a sentence only before a space and something other than a small letter or a closing sign, and not
    after an initial or a common abbreviation. The signs of Chinese, Japanese, Arabic, Hindi and others need no space.
    """
    stop = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, stop):
        if match.end() < stop and _is_end(text, match):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, stop)


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return _ENDED.search(text, max(0, len(text) - _ABBREVIATION_CHARS)) is not None


def phrases(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences, and where a script marks no ends, of phrases of about as much."""
    for first, stop in sentences(text, start, end):
        begin = first
        for blank in _BLANK.finditer(text, first, stop - _PHRASE_CHARS // 2):
            if blank.start() - begin >= _PHRASE_CHARS:
                yield begin, blank.start()
                begin = blank.end()
        yield begin, stop


def _is_end(text: str, match: re.Match[str]) -> bool:
    if text[match.end()] in CLOSING:
        return False
    if text[match.start()] not in ".!?…":
        return True
    if text[match.end()].islower():
        return False
    sign = match.start() + 1
    first = max(0, sign - _ABBREVIATION_CHARS)
    is_long = sign - first == _ABBREVIATION_CHARS and text[first : sign - 1].isalpha()
    return is_long or not text[sign].isspace() or not _ABBREVIATION.search(text, first, sign)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
