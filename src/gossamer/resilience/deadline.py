"""Deadline shares: how much of the time that is left one step may take, so that the steps after it have some too."""

from gossamer.ports import Call


class Share(float):
    """A part of the time that is left, between nothing and all of it."""

    __slots__ = ()

    def of(self, call: Call) -> Call:
        """The same call with this share of its time; a call without a deadline keeps none."""
        return call.within(call.remaining_s * self)


FETCH = Share(0.9)
"""Fetching pages for a reading, an answer or search results: the rest ranks and renders what came."""
VISIT_WITH_COPY = Share(0.9)
"""A visit to a site while a copy of the page is kept: the rest hands the copy back."""
BETTER_ADDRESS = Share(0.5)
"""Trying a better address of a page: the rest is for the address that was asked for."""
OTHERS_VISIT = Share(0.5)
"""Of a page's time: waiting for somebody else's visit before we go ourselves."""
MODEL_SEARCH = Share(0.98)
"""A model that searches: the rest says that the time ran out, and by which setting."""
ANSWER_MODEL = Share(0.9)
"""A model that writes an answer: the rest shows quotes in its place."""
EMBED = Share(0.5)
"""Vectors of a slow embedder: the rest ranks by words."""
OTHERS_VECTORS = Share(0.25)
"""Waiting for another process that embeds the same page."""
RERANK = Share(0.5)
"""Reranking: without it the order of the ranking stands."""
ONE_PROVIDER = Share(0.6)
"""One provider while there are others to ask."""
HEDGE = Share(0.4)
"""Of a provider's time: one that has not answered by then gets company."""
PAUSE = Share(0.5)
"""A pause before a retry: a longer one leaves too little for the answer."""
BLAME = Share(0.5)
"""Of its usual time: who was given less and did not answer is not to blame."""
PAGE_OWN = Share(0.9)
"""Of a page's own time: a call that leaves it so much is not to blame when that runs out."""
ROBOTS = Share(0.5)
"""Of a page's time: robots.txt, so that one that hangs is told as what it is."""
CONNECT = Share(0.25)
"""Of a page's time: opening a connection, so that robots.txt has some left."""
NEXT_ADDRESS = Share(0.5)
"""Dialling one address of a host while there are others."""
MEMORY = Share(0.75)
"""Waiting for memory for a large body: a later place leaves too little for the rest of the body."""
