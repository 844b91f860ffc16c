"""Ranking units: the smallest spans that are ranked and returned (sentences, headings, rows, lines of code)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from gossamer.model.page import Chunk
from gossamer.steps.retrieval.passage_context import LED, Leads
from gossamer.steps.text.markdown_blocks import Block, blocks, pieces, text_lines
from gossamer.steps.text.sentences import phrases
from gossamer.steps.tokens.token_spans import Meter

MAX_GRAINS = 12_000
MAX_TOKENS = 256_000
"""A page of more sentences, or of more text, is ranked by its chunks alone: finding sentences takes its time."""
_SIZE = 128


class Grain(NamedTuple):
    """A span of the page. `lead` has to be read before it: the header of its table, the opening of its code."""

    start: int
    end: int
    tokens: int
    chunk: int
    """The number of the chunk it lies in."""
    lead: str


def grains(chunks: Sequence[Chunk], *, most: int = MAX_GRAINS) -> list[Grain]:
    """Everything the chunks hold, in order. A table or a piece of code within one chunk is a grain of its own."""
    found: list[Grain] = []
    if sum(each.tokens for each in chunks) <= MAX_TOKENS:
        found = list(islice(_grains(chunks), most + 1))
    if 0 < len(found) <= most:
        return found
    leads = Leads()
    return [Grain(each.start, each.end, each.tokens, number, leads.over(each)) for number, each in enumerate(chunks)]


def _grains(chunks: Sequence[Chunk]) -> Iterator[Grain]:
    leads = Leads()
    for number, chunk in enumerate(chunks):
        meter = Meter(chunk.text)
        following = chunks[number + 1] if number + 1 < len(chunks) else None
        leads.enter(chunk)
        for start, end, lead in _of_chunk(chunk.text, leads, following, meter):
            for begin, stop, tokens in pieces(chunk.text, start, end, _SIZE, meter):
                yield Grain(chunk.start + begin, chunk.start + stop, tokens, number, lead)


def _of_chunk(text: str, leads: Leads, following: Chunk | None, meter: Meter) -> Iterator[tuple[int, int, str]]:
    rest = leads.rest
    if rest:
        yield 0, rest, leads.text if rest > leads.head else ""
    for found in blocks(text[rest:], leads.fence):
        block = found._replace(start=found.start + rest, end=found.end + rest) if rest else found
        is_part = leads.is_rest(block)
        if not is_part:
            leads.begin(text, block)
        leads.leave(text, block)
        if block.kind in LED:
            is_part = is_part or leads.is_open(following) or meter.roughly(block.start, block.end) > _SIZE
        yield from _parts(text, block, leads, is_part=is_part)


def _parts(text: str, block: Block, leads: Leads, *, is_part: bool) -> Iterator[tuple[int, int, str]]:
    if block.kind in LED and is_part:
        for start, end in text_lines(text, block.start, block.end):
            yield start, end, leads.text if start >= leads.head else ""
    elif block.kind in {"text", "item"}:
        for start, end in phrases(text, block.start, block.end):
            yield start, end, ""
    else:
        yield block.start, block.end, ""
