"""The seams: what the engine needs, without saying who does it."""

from gossamer.ports.call import Call, Clock, Part, Progress, no_progress
from gossamer.ports.search import Filter, Provider, Source, Terms, judge_status, retry_after
from gossamer.ports.storage import State, Store
from gossamer.ports.work import Answerer, Embedder, Extractor, Http, Web

__all__ = [
    "Answerer",
    "Call",
    "Clock",
    "Embedder",
    "Extractor",
    "Filter",
    "Http",
    "Part",
    "Progress",
    "Provider",
    "Source",
    "State",
    "Store",
    "Terms",
    "Web",
    "judge_status",
    "no_progress",
    "retry_after",
]
