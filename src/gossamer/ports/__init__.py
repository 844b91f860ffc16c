"""The seams: what the engine needs, without saying who does it."""

from gossamer.ports.call import Call, Clock, Part, Progress, no_progress
from gossamer.ports.search import Filter, Provider, Source, Terms, judge_status, retry_after
from gossamer.ports.storage import State, Store
from gossamer.ports.work import Answerer, Embedder, Extractor, Heard, Http, Lexicon, Reranker, Tongue, Web, unheard
from gossamer.ports.writing import Writer

__all__ = [
    "Answerer",
    "Call",
    "Clock",
    "Embedder",
    "Extractor",
    "Filter",
    "Heard",
    "Http",
    "Lexicon",
    "Part",
    "Progress",
    "Provider",
    "Reranker",
    "Source",
    "State",
    "Store",
    "Terms",
    "Tongue",
    "Web",
    "Writer",
    "judge_status",
    "no_progress",
    "retry_after",
    "unheard",
]
