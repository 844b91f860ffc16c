"""Wikipedia: the encyclopaedia's own full-text search, in the language of the query; no key.

Its errors come with status 200, and its snippets are HTML.
"""

from typing import ClassVar
from urllib.parse import quote

from pydantic import BaseModel

from gossamer.errors import BrokenReply, Denied, GossamerError, InvalidArgument, RateLimited, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms, retry_after
from gossamer.steps.text.clean_line import plain

_MAX_QUERY_CHARS = 300
"""Longer searches are refused."""
_MAX_COUNT = 50
_API = "/w/api.php"
_LANGUAGES = frozenset(
    {
        *("af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu"),
        *("fa", "fi", "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "km"),
        *("kn", "ko", "ky", "la", "lb", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "ne", "nl", "nn", "no", "pa"),
        *("pl", "ps", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk"),
        *("ur", "uz", "vi", "zh"),
    }
)
_OTHER_NAMES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id", "yue": "zh", "cmn": "zh"}


class _Error(BaseModel):
    code: str
    info: str = ""


class _Complaint(BaseModel):
    error: _Error | None = None


class _Row(BaseModel):
    title: str
    snippet: str = ""


class _Info(BaseModel):
    totalhits: int | None = None
    suggestion: str = ""


class _Results(BaseModel):
    search: list[_Row]
    searchinfo: _Info = _Info()


class _Reply(BaseModel):
    query: _Results


class Wikipedia(Provider):
    """Settings under ``[providers.wikipedia]``."""

    name: ClassVar[str] = "wikipedia"
    title: ClassVar[str] = "Wikipedia"
    filters: ClassVar[frozenset[Filter]] = frozenset({"language"})
    is_general: ClassVar[bool] = False
    terms: ClassVar[Terms] = Terms(
        limits="global limits since March 2026, numbers not published",
        privacy="the Wikimedia Foundation sees the query",
    )

    base_url: str = "https://{language}.wikipedia.org"
    """Address of the wiki; `{language}` stands for the language of the query."""

    def instance(self, query: Query) -> str:
        """The wiki in the language of the query."""
        return self.base_url.replace("{language}", _language(query))

    def request(self, query: Query) -> HttpRequest:
        """Ask for titles and snippets; a language that has no large Wikipedia is looked up in English."""
        return HttpRequest(
            url=self.instance(query) + _API,
            params={
                "action": "query",
                "list": "search",
                "format": "json",
                "formatversion": 2,
                "srsearch": _short(query.text),
                "srlimit": min(query.count, _MAX_COUNT),
                "srprop": "snippet",
                "srinfo": "totalhits|suggestion",
            },
        )

    def judge(self, reply: HttpReply) -> None:
        """Raise for an error object as well: it comes with status 200."""
        super().judge(reply)
        error = reply.read(_Complaint).error
        if error:
            raise _meant(error, reply)

    def parse(self, reply: HttpReply) -> Found:
        """Read the titles found; the date of the last edit is not a date of publication, so none is given."""
        said = reply.read(_Reply).query
        wiki = reply.url.partition(_API)[0]
        return Found(
            hits=tuple(_hit(row, wiki) for row in said.search if row.title.strip()),
            total=said.searchinfo.totalhits,
            suggestions=(suggested,) if (suggested := plain(said.searchinfo.suggestion, max_chars=200)) else (),
            engines=(self.name,) if said.search else (),
        )


def _short(text: str) -> str:
    cut = text[:_MAX_QUERY_CHARS]
    return cut if cut == text else cut.rpartition(" ")[0] or cut


def _language(query: Query) -> str:
    code = query.language.replace("_", "-").partition("-")[0].lower()
    code = _OTHER_NAMES.get(code, code)
    return code if code in _LANGUAGES else "en"


def _hit(row: _Row, wiki: str) -> Hit:
    page = quote(row.title.strip().replace(" ", "_"), safe="/:@!$*(),;~'")
    title = plain(row.title, max_chars=200) or page
    return Hit(url=f"{wiki}/wiki/{page}", title=title, snippet=plain(row.snippet), engine="wikipedia")


def _meant(error: _Error, reply: HttpReply) -> GossamerError:
    """What an error object says, in our words, by its code."""
    return _told(error.code, reply).quoting(f"{error.code}: {error.info}")


def _told(code: str, reply: HttpReply) -> GossamerError:
    match code:
        case "ratelimited" | "maxlag" | "actionthrottledtext":
            return RateLimited("Wikipedia", retry_after_s=retry_after(reply))
        case "readapidenied" | "permissiondenied" | "blocked" | "autoblocked" | "globalblocking-blocked":
            return Denied("Wikipedia turned our request away.", hint="Use another provider.")
        case "missingparam" | "badvalue" | "toolong" | "paramempty" | "nosrsearch" | "badinteger":
            return InvalidArgument("Wikipedia did not accept the query.", hint="Rephrase or shorten it.")
        case _ if code in {"readonly", "search-error"} or code.startswith("internal_api_error"):
            return Unreachable("Wikipedia failed on its side.", hint="Try again later.")
        case _:
            return BrokenReply("Wikipedia answered with an error.", hint="Try another provider.")
