"""arXiv: preprints of physics, mathematics and computing; no key, one request in three seconds.

It answers in Atom alone, and its errors are feeds with a single entry named "Error".
"""

import re
from typing import ClassVar
from xml.parsers import expat

from pydantic import BaseModel, Field, ValidationError

from gossamer.errors import UnexpectedReply
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Details, Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms
from gossamer.providers.shared.api_errors import bad_query
from gossamer.providers.shared.hit_fields import day, first_address, hit, names, number, results_of
from gossamer.providers.shared.request import since
from gossamer.steps.text.clean_line import plain

_WORD = re.compile(r"\w[\w-]*")
_MAX_WORDS = 20
_NARROW_WORDS = 6
"""So many words must all occur; of more, whatever ranks best counts."""
_ATOM = "http://www.w3.org/2005/Atom "
_OWN = "http://arxiv.org/schemas/atom "
_TOTAL = "http://a9.com/-/spec/opensearch/1.1/ totalResults"
_TEXTS = {
    f"{_ATOM}id": "id",
    f"{_ATOM}title": "title",
    f"{_ATOM}summary": "summary",
    f"{_ATOM}published": "published",
    f"{_ATOM}name": "author",
    f"{_OWN}doi": "doi",
    f"{_OWN}journal_ref": "journal",
}


class _Entry(BaseModel):
    id: str
    title: str
    summary: str = ""
    published: str = ""
    authors: list[str] = []
    doi: str = ""
    journal: str = ""
    page: str = ""

    @property
    def is_error(self) -> bool:
        return self.title == "Error" and "/api/errors" in self.id


class _Feed(BaseModel):
    total: str = Field(pattern=r"^\s*[0-9]{1,18}\s*$")
    entries: list[_Entry]


class Arxiv(Provider):
    """Settings under ``[providers.arxiv]``."""

    name: ClassVar[str] = "arxiv"
    title: ClassVar[str] = "arXiv"
    filters: ClassVar[frozenset[Filter]] = frozenset({"time_range"})
    is_general: ClassVar[bool] = False
    categories: ClassVar[frozenset[Category]] = frozenset({"science"})
    terms: ClassVar[Terms] = Terms(
        limits="one request in 3 seconds, one at a time", privacy="arXiv sees the query", per_second=1 / 3
    )

    base_url: str = "https://export.arxiv.org/api"
    """Address of the API."""

    def request(self, query: Query) -> HttpRequest:
        """Ask for papers that hold the words anywhere, the most relevant first."""
        return HttpRequest(
            url=f"{self.base_url}/query",
            params={
                "search_query": _expression(query),
                "start": 0,
                "max_results": query.count,
                "sortBy": "relevance",
                "sortOrder": "descending",
            },
        )

    def judge(self, reply: HttpReply) -> None:
        """An error is a feed too, with whatever status."""
        try:
            entries = _read(reply).entries
        except UnexpectedReply:
            entries = []
        if wrong := next((entry for entry in entries if entry.is_error), None):
            raise bad_query(self, wrong.summary)
        super().judge(reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the entries."""
        feed = _read(reply)
        return results_of(self, feed.entries, _hit, total=number(feed.total.strip()))


def _expression(query: Query) -> str:
    """The words in arXiv's own language, in which signs of the query would mean something else."""
    found = _WORD.findall(query.text)[:_MAX_WORDS] or ['""']
    words = (" AND " if len(found) <= _NARROW_WORDS else " OR ").join(f"all:{word}" for word in found)
    start = since(query)
    return f"({words}) AND submittedDate:[{start:%Y%m%d}0000 TO 999912312359]" if start else words


def _hit(entry: _Entry) -> Hit | None:
    return hit(
        Arxiv.name,
        first_address(entry.page, entry.id.strip()),
        entry.title,
        entry.summary,
        published=day(entry.published),
        details=Details(
            source=plain(entry.journal, max_chars=100) or Arxiv.title,
            authors=names(entry.authors),
            doi=plain(entry.doi, max_chars=200),
        ),
    )


class _Reader:
    """Collects the entries while the parser walks through the feed; a document type is refused with its entities."""

    def __init__(self) -> None:
        self.total = ""
        self.entries: list[dict[str, str]] = []
        self.authors: list[list[str]] = []
        self._path: list[str] = []
        self._text: list[str] = []

    def feed(self) -> _Feed:
        """What was collected, as the shape that a feed must have."""
        entries = [{**entry, "authors": names} for entry, names in zip(self.entries, self.authors, strict=True)]
        return _Feed.model_validate({"total": self.total, "entries": entries})

    def opens(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._text = []
        if name == f"{_ATOM}entry" and len(self._path) == 2:
            self.entries.append({})
            self.authors.append([])
        elif name == f"{_ATOM}link" and attributes.get("rel") == "alternate" and self.entries:
            self.entries[-1]["page"] = attributes.get("href", "")

    def says(self, text: str) -> None:
        self._text.append(text)

    def closes(self, name: str) -> None:
        text = "".join(self._text)
        self._text = []
        self._path.pop()
        field = _TEXTS.get(name) if f"{_ATOM}entry" in self._path[1:2] else None
        if name == _TOTAL:
            self.total = text
        elif field == "author":
            self.authors[-1].append(text)
        elif field:
            self.entries[-1].setdefault(field, text)

    def refuses(self, *_: object) -> None:
        raise UnexpectedReply("The feed declares a document type.", hint="Try another provider.")


def _read(reply: HttpReply) -> _Feed:
    """The feed, or an error that names what is not as it should be."""
    reader = _Reader()
    parser = expat.ParserCreate("utf-8", " ")
    parser.StartElementHandler = reader.opens
    parser.EndElementHandler = reader.closes
    parser.CharacterDataHandler = reader.says
    parser.StartDoctypeDeclHandler = reader.refuses
    try:
        parser.Parse(reply.body, True)  # noqa: FBT003  the last part, by position alone
        return reader.feed()
    except (expat.ExpatError, ValidationError) as error:
        where = "the body"
        if isinstance(error, ValidationError):
            where = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise UnexpectedReply(
            f"The reply has another shape than expected at {where}.",
            hint="The service may have changed its API; try another provider.",
        ) from error
