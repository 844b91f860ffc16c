"""Chunks -> grains, the smallest spans that are ranked and returned: sentences, headings, rows, lines of code."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from gossamer.model.page import Chunk
from gossamer.steps.sentences import sentences
from gossamer.steps.tokens import count
from gossamer.steps.units import Block, blocks, pieces, text_lines

MAX_GRAINS = 12_000
MAX_TOKENS = 256_000
"""A page of more sentences, or of more text, is ranked by its chunks alone: finding sentences takes its time."""
_SIZE = 128
_LEAD_CHARS = 800
_LEAD_TOKENS = 160
"""As much as the header of a table of sixteen columns; how much of it is shown, the room decides."""
_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*")


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
    return [Grain(each.start, each.end, each.tokens, number, "") for number, each in enumerate(chunks)]


def _grains(chunks: Sequence[Chunk]) -> Iterator[Grain]:
    fence = lead = ""
    in_table = False
    last = -1
    for number, chunk in enumerate(chunks):
        goes_on = bool(fence) or (in_table and chunk.start - last == 1)
        for block in blocks(chunk.text, fence):
            is_rest = goes_on and block.start == 0 and block.kind in {"table", "fence"}
            is_open = _is_open(block, chunks, number)
            if not is_rest:
                lead = _lead(chunk.text, block)
            for start, end, said in _parts(chunk.text, block, lead, is_part=is_rest or is_open):
                for begin, stop, tokens in pieces(chunk.text, start, end, _SIZE):
                    yield Grain(chunk.start + begin, chunk.start + stop, tokens, number, said)
            fence, in_table = block.fence, block.kind == "table"
        last = chunk.end


def _is_open(block: Block, chunks: Sequence[Chunk], number: int) -> bool:
    """Whether a block may go on in the next chunk."""
    if block.fence:
        return True
    chunk = chunks[number]
    is_last = block.kind == "table" and block.end == len(chunk.text) and number + 1 < len(chunks)
    return is_last and chunks[number + 1].start - chunk.end == 1 and chunks[number + 1].text.lstrip().startswith("|")


def _parts(text: str, block: Block, lead: str, *, is_part: bool) -> Iterator[tuple[int, int, str]]:
    if block.kind in {"table", "fence"} and is_part:
        head = _lead_end(text, block, lead)
        for start, end in text_lines(text, block.start, block.end):
            yield start, end, lead if start >= head else ""
    elif block.kind in {"text", "item"}:
        for start, end in sentences(text, block.start, block.end):
            yield start, end, ""
    else:
        yield block.start, block.end, ""


def _lead(text: str, block: Block) -> str:
    """What the later lines of a block cannot be understood without."""
    lines = list(islice(text_lines(text, block.start, min(block.end, block.start + 2 * _LEAD_CHARS)), 2))
    said = ""
    if block.kind == "fence" and lines:
        said = text[slice(*lines[0])].strip()
    elif block.kind == "table" and len(lines) > 1 and _RULE.fullmatch(text, *lines[1]):
        said = text[lines[0][0] : lines[1][1]]
    return said if len(said) <= _LEAD_CHARS and count(said) <= _LEAD_TOKENS else ""


def _lead_end(text: str, block: Block, lead: str) -> int:
    """Where a block's own first lines end, if they are the lead."""
    return block.start + len(lead) if lead and text.startswith(lead, block.start) else block.start
