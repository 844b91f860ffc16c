"""The search of the mini web in the words of a SearXNG instance: its JSON, its HTML page, its refusals."""

import json
import re
from collections.abc import Mapping
from html import escape
from urllib.parse import urlsplit

from gossamer.demo.index import Index, Match
from gossamer.demo.replies import Reply, page

_PAGE = 10
_CATEGORIES = frozenset({"general", "images", "videos", "news", "map", "music", "it", "science", "files"})
_LANGUAGE = re.compile(r"all|auto|[a-z]{2,3}([-_][A-Za-z0-9]{2,4})*")
_ENGINE = "sorrel"
_JSON = "application/json"


class _BadParameter(Exception):
    def __init__(self, name: str, value: str) -> None:
        super().__init__(f'Invalid value "{value}" for parameter {name}')


def search(index: Index, params: Mapping[str, str], *, url: str) -> Reply:
    """Answer `/search` as an instance with `formats: [html, json]` does.

    `csv` and `rss` are known but not enabled (403), an unknown format is HTML, a bad value is 400. The language is
    checked and then, as by an engine that has one index for all languages, not used.
    """
    form = params.get("format", "html")
    if form in {"csv", "rss"}:
        return Reply(status=403, body=page("403 Forbidden", "This output format is not enabled."))
    query = params.get("q", "").strip()
    if not query:
        if form == "json":
            return Reply(status=400, body=json.dumps({"error": "No query"}).encode(), content_type=_JSON)
        return Reply(body=_results_page("", []))
    try:
        matches = _matches(index, query, params, url=url)
    except _BadParameter as error:
        if form == "json":
            return Reply(status=400, body=json.dumps({"error": str(error)}).encode(), content_type=_JSON)
        return Reply(status=400, body=page("Search error", str(error)))
    results = [_result(match, position, url=url) for position, match in matches]
    if form != "json":
        return Reply(body=_results_page(query, results))
    answer: dict[str, object] = {"query": query, "results": results, "answers": [], "corrections": [], "infoboxes": []}
    answer |= {"suggestions": [], "unresponsive_engines": []}
    return Reply(body=json.dumps(answer, ensure_ascii=False).encode(), content_type=_JSON)


def plain_search(index: Index, params: Mapping[str, str], *, url: str) -> Reply:
    """Answer `/api/search?q=&p=` for the `json_engine` of a real SearXNG."""
    try:
        start = (_whole(params, "p", low=1, high=1000, default=1) - 1) * _PAGE
    except _BadParameter as error:
        return Reply(status=400, body=json.dumps({"error": str(error)}).encode(), content_type=_JSON)
    found = index.search(params.get("q", ""), host=urlsplit(url).netloc)[start : start + _PAGE]
    rows = [{"title": m.document.title, "url": url + m.document.path, "content": m.snippet} for m in found]
    return Reply(body=json.dumps({"results": rows}, ensure_ascii=False).encode(), content_type=_JSON)


def _matches(index: Index, query: str, params: Mapping[str, str], *, url: str) -> list[tuple[int, Match]]:
    language = params.get("language", "all")
    if not _LANGUAGE.fullmatch(language):
        raise _BadParameter("language", language)
    time_range = params.get("time_range", "")
    if time_range not in {"", "day", "week", "month", "year"}:
        raise _BadParameter("time_range", time_range)
    _whole(params, "safesearch", low=0, high=2, default=0)
    start = (_whole(params, "pageno", low=1, high=1000, default=1) - 1) * _PAGE
    known = _CATEGORIES & {name.strip() for name in params.get("categories", "").split(",")}
    categories = frozenset[str]() if "general" in known else known
    results = index.search(query, host=urlsplit(url).netloc, categories=categories, time_range=time_range)
    return list(enumerate(results, start=1))[start : start + _PAGE]


def _whole(params: Mapping[str, str], name: str, *, low: int, high: int, default: int) -> int:
    text = params.get(name, "") or str(default)
    if not text.isascii() or not text.isdigit() or len(text) > 6 or not low <= int(text) <= high:
        raise _BadParameter(name, text)
    return int(text)


def _result(match: Match, position: int, *, url: str) -> dict[str, object]:
    document = match.document
    address = url + document.path
    return {
        "url": address,
        "title": document.title,
        "content": match.snippet,
        "publishedDate": f"{document.published}T00:00:00" if document.published else None,
        "thumbnail": "",
        "engine": _ENGINE,
        "template": "default.html",
        "parsed_url": [*urlsplit(address)[:3], "", "", ""],
        "img_src": "",
        "priority": "",
        "engines": [_ENGINE],
        "positions": [position],
        "score": round(1 / position, 4),
        "category": document.category,
    }


def _results_page(query: str, results: list[dict[str, object]]) -> bytes:
    """The results as HTML, in the markup of SearXNG's own simple theme."""
    rows = "\n".join(
        f'<article class="result result-default category-{r["category"]}">'
        f'<a href="{escape(str(r["url"]))}" class="url_header" rel="noreferrer"></a>'
        f'<h3><a href="{escape(str(r["url"]))}" rel="noreferrer">{escape(str(r["title"]))}</a></h3>'
        f'<p class="content">{escape(str(r["content"]))}</p>'
        f'<div class="engines"><span>{_ENGINE}</span></div></article>'
        for r in results
    )
    nothing = '<div class="dialog-error">No results were found.</div>' if query and not results else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="generator" content="searxng"><title>Island search</title></head>\n<body>\n'
        f'<form id="search" action="/search"><input id="q" name="q" value="{escape(query)}">'
        "<button>search</button></form>\n"
        f'<main id="main_results"><div id="urls" role="main">\n{rows}{nothing}\n</div></main>\n</body>\n</html>\n'
    ).encode()
