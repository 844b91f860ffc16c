"""`WebFetch`: one page, as its specification's object.

Of a page, a success has metadata and links, a selection its selector and
whether it matched, a part of a paid page a message, an error a number and a suggestion. What is ours stands in `_meta`.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.render.envelope import Ours, QuotedAddress, QuotedLine, QuotedText
from gossamer.contracts.render.page import page_meta
from gossamer.contracts.websearch.errors import error_code, message, suggestion
from gossamer.contracts.websearch.policy import WebFetchPolicy
from gossamer.engine import Engine
from gossamer.errors import GossamerError, InvalidArgument, Outcome
from gossamer.model.page import Format, Page, View
from gossamer.ports import Call
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.link_targets import markdown_of
from gossamer.steps.text.prose import links_in
from gossamer.steps.text.untrusted_markers import escape, unescaped_length
from gossamer.steps.tokens.count import cut_point
from gossamer.steps.web.urls import read_address

_URL_CHARS = 2048
_LINE_CHARS = 1000
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_PAYWALL = "Content appears to be behind a paywall"
_NO_MATCH = "Check the selector, or leave it out to get the whole page"


class _Out(BaseModel):
    """A result whose fields are spelt as the specification spells them."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)


class LinkOut(_Out):
    """A link of the content."""

    text: QuotedLine
    url: QuotedAddress


class FetchOut(_Out):
    """A page, a part of it, or why there is none."""

    url: QuotedAddress
    selector: QuotedLine | None = None
    status: Literal["success", "partial", "error"]
    title: QuotedLine | None = None
    content: QuotedText | None = None
    content_length: int | None = None
    truncated: bool | None = None
    metadata: dict[Ours, QuotedLine | None] | None = None
    links: list[LinkOut] | None = None
    selector_matched: bool | None = None
    error_code: int | None = None
    message: Ours | None = None
    suggestion: Ours | None = None


def fetch_failure(error: GossamerError, asked: Mapping[str, Any]) -> Reply[FetchOut]:
    """A failure as the specification's error object."""
    return _reply(
        FetchOut(
            url=plain(str(asked.get("url") or "")[:_URL_CHARS], max_chars=_URL_CHARS),
            status="error",
            error_code=error_code(error),
            message=escape(message(error)),
            suggestion=escape(suggestion(error)),
        ),
        error.outcome,
        {},
    )


@tool(
    title="Fetch a URL",
    use="returns one page as an object.",
    timeout=lambda policies: policies.of(WebFetchPolicy).timeout_s,
    needs=frozenset({"fetch"}),
    name="WebFetch",
    is_terse=False,
    told=fetch_failure,
)
async def web_fetch(
    engine: Engine,
    call: Call,
    url: Annotated[
        str,
        Field(description="The web page to fetch.", min_length=1, max_length=_URL_CHARS),
        Reads(by=read_address),
    ],
    selector: Annotated[
        str, Field(description='CSS selector of the content wanted, e.g. ".main-content", "#article".', max_length=1000)
    ] = "",
    format: Annotated[Format, Field(description="Output format.")] = "markdown",  # noqa: A002  the specification's name
    maxLength: Annotated[int, Field(description="Maximum characters.", ge=1, le=1_000_000)] = 10_000,  # noqa: N803  as specified
    includeLinks: Annotated[bool, Field(description="Include hyperlinks.")] = True,  # noqa: N803  as specified
    includeImages: Annotated[bool, Field(description="Include image descriptions.")] = False,  # noqa: N803  as specified
) -> Reply[FetchOut]:
    """Fetches a URL and extracts its readable content: details of a search result, data of a known page, documentation.

    Does not run JavaScript; some sites refuse; paywalled content is partial; large pages are truncated. E.g. an
    infobox: url="https://en.wikipedia.org/wiki/Dune:_Part_Two", selector=".infobox".
    """
    _check(url)
    policy = engine.policies.of(WebFetchPolicy)
    if maxLength > policy.max_chars:
        call.log.note(f"maxLength is limited to {policy.max_chars} here.")
    view = View(format=format, selector=selector, include_links=includeLinks, include_images=includeImages)
    page = await engine.fetch(url, call, view=view, policy=policy.fetch)
    content, is_cut = _content(page, min(maxLength, policy.max_chars))
    is_part, is_missed = page.outcome is Outcome.PAYWALL, page.outcome is Outcome.NO_MATCH
    is_whole = not selector and not is_part
    out = FetchOut(
        url=url,
        selector=selector or None,
        status="partial" if is_part else "success",
        title=plain(page.info.full_title or page.title, max_chars=_LINE_CHARS),
        content=content,
        content_length=len(content),
        truncated=is_cut or page.is_cut or is_part,
        metadata=_metadata(page) if is_whole else None,
        links=_links(page, format) if is_whole and includeLinks else None,
        selector_matched=not is_missed if selector else None,
        message=_PAYWALL if is_part else (page.message if page.is_cut else "") or page.left_out.note or None,
        suggestion=_NO_MATCH if is_missed else None,
    )
    return _reply(out, page.outcome, page_meta(page, (*call.log.notes, *page.notes), now=engine.clock.now()))


def _check(url: str) -> None:
    """Tell what is no address at all from an address that is refused."""
    try:
        parts = urlsplit(url)
        fault = "has no scheme" if not parts.scheme else "has no host" if _lacks_host(parts) else ""
    except ValueError:
        fault = "has a host that cannot be read"
    fault = "holds blanks or control characters" if _BLANK.search(url) else fault
    if fault:
        raise InvalidArgument(
            f"url is not an address: it {fault}.", hint="Give a whole one, such as https://www.example.com/page."
        )


def _lacks_host(parts: SplitResult) -> bool:
    return parts.scheme in {"http", "https"} and not parts.hostname


def _content(page: Page, max_chars: int) -> tuple[str, bool]:
    """The beginning of the text, disarmed, of at most so many characters as it is returned; and whether it was cut."""
    markdown = markdown_of(page)
    if len(markdown) <= max_chars and len(whole := escape(markdown)) <= max_chars:
        return whole, False
    end = cut_point(markdown, 0, unescaped_length(markdown[:max_chars], max_chars))
    return escape(markdown[:end]), True


def _metadata(page: Page) -> dict[str, str | None]:
    info = page.info
    return {
        "description": plain(info.description, max_chars=_LINE_CHARS) or None,
        "author": plain(info.author, max_chars=_LINE_CHARS) or None,
        "datePublished": info.published or None,
        "siteName": plain(info.site_name, max_chars=_LINE_CHARS) or None,
    }


def _links(page: Page, form: Format) -> list[LinkOut]:
    found = page.links or (links_in(markdown_of(page)) if form == "markdown" else ())
    return [LinkOut(text=plain(link.text, max_chars=_LINE_CHARS), url=link.url) for link in found]


def _reply(out: FetchOut, outcome: Outcome, meta: dict[str, Any]) -> Reply[FetchOut]:
    said = out.model_dump(mode="json", exclude_none=True)
    return Reply(text=json.dumps(said, ensure_ascii=False), data=out, outcome=outcome, meta=meta)
