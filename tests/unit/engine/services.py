"""Small search services of the tests' own, with each property that the engine looks at."""

from dataclasses import replace
from datetime import date
from typing import ClassVar

from pydantic import BaseModel, SecretStr

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Provider, Terms
from tests.unit.engine.world import reply_of


class _Said(BaseModel):
    urls: list[str]


class Service(Provider):
    """Answers `{"urls": [...]}`."""

    base_url: str = "http://service.test"
    api_key: SecretStr = SecretStr("")

    def request(self, query: Query) -> HttpRequest:
        return HttpRequest(url=self.base_url, params={"q": query.text})

    def parse(self, reply: HttpReply) -> Found:
        return Found(hits=tuple(Hit(url=url, title=url) for url in reply.read(_Said).urls))

    @property
    def is_own(self) -> bool:
        return self.terms.usd_per_1000 > 0


class Paid(Service):
    name: ClassVar[str] = "paid"
    title: ClassVar[str] = "Paid"
    terms: ClassVar[Terms] = Terms(usd_per_1000=1.0)
    base_url: str = "http://paid.test"


class Dear(Service):
    name: ClassVar[str] = "dear"
    title: ClassVar[str] = "Dear"
    terms: ClassVar[Terms] = Terms(usd_per_1000=9.0)
    base_url: str = "http://dear.test"


class Free(Service):
    name: ClassVar[str] = "free"
    title: ClassVar[str] = "Free"
    base_url: str = "http://free.test"


class Spare(Service):
    name: ClassVar[str] = "spare"
    title: ClassVar[str] = "Spare"
    base_url: str = "http://spare.test"


class Third(Service):
    name: ClassVar[str] = "third"
    title: ClassVar[str] = "Third"
    base_url: str = "http://third.test"


class Private(Service):
    """Its results may not be kept for more than ten seconds."""

    name: ClassVar[str] = "private"
    title: ClassVar[str] = "Private"
    terms: ClassVar[Terms] = Terms(keep_s=10.0)
    base_url: str = "http://private.test"


class Secret(Service):
    """Its results may not be kept at all."""

    name: ClassVar[str] = "secret"
    title: ClassVar[str] = "Secret"
    terms: ClassVar[Terms] = Terms(keep_s=0.0)
    base_url: str = "http://secret.test"


class Paced(Service):
    """Takes two requests a second."""

    name: ClassVar[str] = "paced"
    title: ClassVar[str] = "Paced"
    terms: ClassVar[Terms] = Terms(per_second=2.0)
    base_url: str = "http://paced.test"


class Model(Service):
    """Thinks for longer than a search engine."""

    name: ClassVar[str] = "model"
    title: ClassVar[str] = "Model"
    terms: ClassVar[Terms] = Terms(usd_per_1000=11.0, takes_s=70.0)
    base_url: str = "http://model.test"


class Ending(Service):
    """Ends with the year."""

    name: ClassVar[str] = "ending"
    title: ClassVar[str] = "Ending"
    terms: ClassVar[Terms] = Terms(usd_per_1000=5.0, ends=date(2027, 1, 1), ending="Use Paid instead.")
    base_url: str = "http://ending.test"


def urls(*found: str) -> HttpReply:
    return reply_of({"urls": list(found)})


class Resting(Service):
    """Wants to be left alone for ten seconds after each answer."""

    name: ClassVar[str] = "resting"
    title: ClassVar[str] = "Resting"
    terms: ClassVar[Terms] = Terms(usd_per_1000=0.5)
    base_url: str = "http://resting.test"

    def parse(self, reply: HttpReply) -> Found:
        return replace(super().parse(reply), rest_s=10.0)
