"""The seams: what the engine needs, without saying who does it."""

from gossamer.ports.call import STAGE_PART, Call, CallLog, Clock, ModelUse, Part, Progress, no_progress
from gossamer.ports.provider import Filter, Provider, SearchModel, Source, Terms, judge_status, retry_after
from gossamer.ports.storage import State, Store
from gossamer.ports.work import Answerer, Embedder, Extractor, Heard, Http, LanguageMix, Lexicon, Reranker, Web, unheard

__all__ = [
    "STAGE_PART",
    "Answerer",
    "Call",
    "CallLog",
    "Clock",
    "Embedder",
    "Extractor",
    "Filter",
    "Heard",
    "Http",
    "LanguageMix",
    "Lexicon",
    "ModelUse",
    "Part",
    "Progress",
    "Provider",
    "Reranker",
    "SearchModel",
    "Source",
    "State",
    "Store",
    "Terms",
    "Web",
    "judge_status",
    "no_progress",
    "retry_after",
    "unheard",
]
