"""Search models: providers whose model searches and writes."""

from typing import Protocol, runtime_checkable

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.model_search import ModelAnswer, ModelQuery


@runtime_checkable
class SearchModel(Protocol):
    """A provider whose model can be asked for a text of its own; like every provider it never touches the network."""

    @property
    def lacks(self) -> str:
        """What is wrong with its settings, so that asking would be in vain; empty: nothing."""
        ...

    def model_request(self, query: ModelQuery) -> HttpRequest:
        """Say what to send for a query."""
        ...

    def model_answer(self, reply: HttpReply, query: ModelQuery) -> ModelAnswer:
        """Read a good reply; one that is no answer raises as what it is."""
        ...
