"""What the conformance suite asks a server for: tools, prompts and resources with fixed contents."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Annotated

import mcp.types as types
from pydantic import Field

from gossamer.contracts.contract import Reply, Tool, tool
from gossamer.engine import Engine
from gossamer.errors import GossamerError
from gossamer.ports import Call

_STEP_S = 0.05
_DEADLINE_S = 30
_WORDS = "Fixed contents for tests."
_TEXT, _PNG_TYPE = "text/plain", "image/png"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="  # one pixel
WAV = base64.b64encode(
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
).decode()


def _diagnostic(
    name: str,
) -> Callable[[Callable[..., Awaitable[Reply[None]]]], Tool]:
    return tool(name=name, title="Diagnostic", timeout=lambda _deadlines: _DEADLINE_S, needs=frozenset())


def _fixed(name: str, description: str, text: str = "") -> Tool:
    async def run(_engine: Engine, _call: Call) -> Reply[None]:
        return Reply(text=text, data=None)

    run.__doc__ = description
    return _diagnostic(name)(run)


@_diagnostic("echo")
async def echo(_engine: Engine, _call: Call, text: Annotated[str, Field(max_length=1_000_000)] = "") -> Reply[None]:
    """Give the text back."""
    return Reply(text=text, data=None)


@_diagnostic("test_error_handling")
async def failing(_engine: Engine, _call: Call) -> Reply[None]:
    """Fail, always."""
    raise GossamerError("This tool intentionally returns an error for testing")


@_diagnostic("test_tool_with_progress")
async def reporting(_engine: Engine, call: Call) -> Reply[None]:
    """Report three steps."""
    for done in (0, 50, 100):
        await call.progress(done, 100, f"{done} of 100")
        await asyncio.sleep(_STEP_S)
    return Reply(text="Three steps were reported.", data=None)


TOOLS: tuple[Tool, ...] = (
    echo,
    failing,
    reporting,
    _fixed("test_simple_text", "Return one text.", "This is a simple text response for testing."),
    _fixed("test_image_content", "Return an image."),
    _fixed("test_audio_content", "Return a sound."),
    _fixed("test_embedded_resource", "Return a resource."),
    _fixed("test_multiple_content_types", "Return a text, an image and a resource."),
    _fixed("test_missing_capability", "Answer only clients that offer sampling.", "Sampling is offered."),
    _fixed("test_streaming_elicitation", "Answer without asking anything back.", "Nothing was asked."),
    _fixed("test_logging_tool", "Answer without a log message.", "Nothing was logged."),
)


def _embedded(uri: str, text: str, mime_type: str = _TEXT) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


_IMAGE = types.ImageContent(data=PNG, mime_type=_PNG_TYPE)
CONTENTS: dict[str, list[types.ContentBlock]] = {
    "test_image_content": [_IMAGE],
    "test_audio_content": [types.AudioContent(data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [_embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        types.TextContent(text="Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
}
"""What a tool returns instead of its text; the product's own tools return text alone."""

PROMPTS: dict[str, types.Prompt] = {
    name: types.Prompt(
        name=name,
        description=_WORDS,
        arguments=[types.PromptArgument(name=argument, description="Any text.", required=True) for argument in needed],
    )
    for name, needed in {
        "test_simple_prompt": (),
        "test_prompt_with_arguments": ("arg1", "arg2"),
        "test_prompt_with_embedded_resource": ("resourceUri",),
        "test_prompt_with_image": (),
    }.items()
}


def messages(name: str, given: dict[str, str]) -> list[types.PromptMessage]:
    """The messages of a prompt, with the arguments filled in."""
    blocks: dict[str, list[types.ContentBlock]] = {
        "test_simple_prompt": [types.TextContent(text="This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            types.TextContent(
                text=f"Prompt with arguments: arg1='{given.get('arg1', '')}', arg2='{given.get('arg2', '')}'"
            )
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
            types.TextContent(text="Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [_IMAGE, types.TextContent(text="Please analyze the image above.")],
    }
    return [types.PromptMessage(role="user", content=block) for block in blocks[name]]


RESOURCES: dict[str, types.Resource] = {
    uri: types.Resource(uri=uri, name=uri.rpartition("/")[2], description=_WORDS, mime_type=mime_type)
    for uri, mime_type in (("test://static-text", _TEXT), ("test://static-binary", _PNG_TYPE))
}
TEMPLATES = [
    types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description=_WORDS, mime_type="application/json"
    )
]


def contents(uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
    """What a resource holds; None: there is none of this name."""
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type=_TEXT, text=text)
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type=_PNG_TYPE, blob=PNG)
    if uri.startswith("test://template/") and uri.endswith("/data"):
        number = uri.removeprefix("test://template/").removesuffix("/data")
        text = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return None
