"""Passages to drafted sentences."""

from typing import Literal, Protocol

from gossamer.errors import BadSettings
from gossamer.ports import Answerer, Http, Lexicon


class ModelChoice(Protocol):
    """The model that the operator names, if any."""

    @property
    def model(self) -> str:
        """As the service calls it; empty: none."""
        ...

    @property
    def base_url(self) -> str:
        """Where it is asked; empty: at OpenAI's."""
        ...

    @property
    def api_key(self) -> str:
        """The key of the service."""
        ...

    @property
    def unsupported(self) -> Literal["drop", "flag"]:
        """What becomes of a sentence that nothing supports."""
        ...


def check(choice: ModelChoice) -> None:
    """Refuse a service without a model to ask it for."""
    if choice.base_url and not choice.model:
        raise BadSettings(
            "answer.base_url names a service, but nothing says which model to ask for.", hint="Set answer.model."
        )


def chosen(choice: ModelChoice, api: Http, lexicon: Lexicon, quotes: Answerer) -> Answerer:
    """Who answers: the operator's model over what is quoted, if one is named, else the quotes alone."""
    if not choice.model:
        return quotes
    from gossamer.answerers.written import WrittenAnswers

    return WrittenAnswers(
        api,
        quotes=quotes,
        lexicon=lexicon,
        model=choice.model,
        base_url=choice.base_url,
        key=choice.api_key,
        unsupported=choice.unsupported,
    )
