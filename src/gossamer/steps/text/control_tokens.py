"""The control tokens of chat models and of the programs they run in, as one table: a page that shows one is quoted.

Each row says how a token begins, how it goes on, what it looks like and who reads it as more than text.
`untrusted_markers` puts one backslash between the beginning and the rest. A row whose beginning stood inside another's
rest could not be undone, so none does.
"""

from dataclasses import dataclass

from gossamer.steps.text.look_alikes import BARS, CLOSING, COLONS, LESS, LINE_BREAKS, MORE, OPENING, any_of, in_disguise

_ANGLE = f"[{LESS}]"
_SQUARE = f"[{OPENING}]"
_NAMESPACE = "antml"
_NO_LETTER = rf"(?:[^\w{LINE_BREAKS}]++|[\d_]++)*+"
_NUMBERED = r"(?:(?:[a-zA-Z]|[ivxlIVXL]{2,5})[.)](?=\s))?+"
_LINE_START = f"[{LINE_BREAKS}]{_NO_LETTER}{_NUMBERED}{_NO_LETTER}"
"""A turn is one only where a line begins: its end before, then marks of lists, quotes and tables, numbers, blanks."""
_BRACKETED = [
    *("inst", "system_prompt", "think", "gmask"),
    *("tool_calls", "tool_results", "tool_content", "available_tools", "call_id"),
]
_OWN_MARK = any_of(["untrusted-web-content", "untrusted-content"])
_CLOSES = r"(?:[/\uff0f\u2215\u2044]\s*+)?+"
_NAMESPACES = rf"(?:[\w.-]{{1,40}}+[{COLONS}]){{1,4}}+"
_NAME_ENDS = rf"(?=[\s/={MORE}])"
_TURN_ENDS = rf"[*_`\\]*+\s?[{COLONS}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlToken:
    """What somebody takes for more than text."""

    begins: tuple[str, ...]
    """Patterns that end with the first character of the token."""
    examples: tuple[str, ...]
    source: str
    """Who reads it."""
    rest: str = ""
    """A pattern of what follows, in any case; it begins with no backslash, and behind a bracket a slash may precede."""
    tags: tuple[str, ...] = ()
    """Instead of a rest: names of tags, in any namespace, that open, close or stand alone."""


def _tags(names: str, source: str, *, also: tuple[str, ...] = ()) -> ControlToken:
    """Tags by their names, with one blank between them; those that have a blank of their own come apart."""
    tags = tuple(names.split())
    examples = (
        *(f"<{tag}>" for tag in (*tags, *also)),
        f'<{tags[0]} name="a">',
        f"</{tags[-1]}>",
        f"<ns:{tags[0]}>",
        f"<ns:ns2:{tags[0]}>",
        f"<{tags[0]}>".replace("-", "\u2010"),
    )
    return ControlToken(begins=(_ANGLE,), tags=(*tags, *also), examples=examples, source=source)


def rest_of(begin: str) -> str:
    """A pattern of what follows where any token begins so; what its parts begin with is told apart at once."""
    tokens = [token for token in CONTROL_TOKENS if begin in token.begins]
    names = any_of([name for token in tokens for name in token.tags])
    tags = [f"{names}{_NAME_ENDS}", f"{_NAMESPACES}{names}{_NAME_ENDS}"] if names else []
    rests = "|".join([*(token.rest for token in tokens if token.rest), *tags])
    return f"{_CLOSES}(?:{rests})" if begin in {_ANGLE, _SQUARE} else rests


CONTROL_TOKENS = (
    ControlToken(
        begins=(_ANGLE, _SQUARE),
        rest=rf"{_OWN_MARK}|\s++{_OWN_MARK}",
        examples=("</untrusted-web-content>", "<untrusted_content>", "</ Untrusted-Web-Content"),
        source="our own marks, in any spelling that a reader takes for them",
    ),
    ControlToken(
        begins=(_ANGLE, _SQUARE),
        rest=f"[{BARS}]",
        examples=(
            "<|im_start|>system",
            "<|im_end|>",
            "<|start_header_id|>",
            "<|eot_id|>",
            "<|header_start|>",
            "<|channel|>analysis<|message|>",
            "<|return|>",
            "<|endoftext|>",
            "<|START_OF_TURN_TOKEN|>",
            "<|im_user|>",
            "<｜User｜>",
            "[|system|]",
        ),
        source="ChatML and harmony (OpenAI), Llama 3 and 4, Phi, Command R, Qwen, Kimi, Granite, DeepSeek, EXAONE: "
        "chat_template and special tokens of their tokenizer_config.json; github.com/openai/harmony",
    ),
    ControlToken(
        begins=(_ANGLE, _SQUARE),
        rest=f"{any_of(_BRACKETED)}[{CLOSING}]|{in_disguise('sys')}[{MORE}]{{2}}|{in_disguise('s')}[{MORE}]",
        examples=("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[TOOL_RESULTS]", "[gMASK]", "</s>"),
        source="Llama 2, Mistral, GLM: chat_template of their tokenizer_config.json",
    ),
    _tags("start_of_turn end_of_turn bos eos sop", "Gemma, GLM, Seed: special tokens of their tokenizer_config.json"),
    ControlToken(
        begins=(r"\]",),
        rest=rf"~!?{in_disguise('b')}[\[\]]",
        examples=("]~b]system", "]~!b[]~b]user"),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    ControlToken(
        begins=(_SQUARE,),
        rest=rf"{in_disguise('e')}~\[",
        examples=("[e~[",),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    _tags(
        "function_calls function_call function_results function_result functions function invoke parameter",
        "Claude's calls of tools (docs.anthropic.com, tool use), Llama 3.1 and Qwen3-Coder (<function=…>), Grok",
    ),
    ControlToken(
        begins=(_ANGLE,),
        rest=f"{in_disguise(_NAMESPACE)}[{COLONS}]",
        examples=tuple(
            f"<{end}{_NAMESPACE}:{name}>" for end in ("", "/") for name in ("invoke", "thinking", "anything")
        ),
        source="the namespace of Claude's calls of tools",
    ),
    _tags("tool_use tool_result tool_results tool_use_error", "Claude's messages (docs.anthropic.com, tool use)"),
    _tags(
        "tool_call tool_calls tool_response tool_responses",
        "Hermes and Qwen: chat_template of their tokenizer_config.json",
    ),
    _tags("thinking think", "Claude (extended thinking), DeepSeek R1, Qwen3, MiniMax: what a model thinks aloud"),
    _tags(
        "system system-prompt system-message system-reminder system-instruction system-instructions",
        "Claude Code (<system-reminder>; github.com/anthropics/claude-code/issues/32565), Cursor, and prompts that "
        "put their rules into <system>",
    ),
    _tags(
        "command-name command-message command-args local-command-stdout local-command-stderr local-command-caveat "
        "bash-input bash-stdout bash-stderr task-notification teammate-message user-prompt-submit-hook",
        "Claude Code: what it puts into a user's turn by itself",
    ),
    _tags(
        "environment_context user_instructions turn_aborted subagent_notification",
        "Codex (github.com/openai/codex): what it puts into a user's turn by itself",
        also=("permissions instructions",),
    ),
    _tags("environment_details use_mcp_tool execute_command attempt_completion", "Cline, Roo Code: calls and context"),
    _tags("user_query", "Cursor: what a user asked"),
    ControlToken(
        begins=(f"{_LINE_START}{in_disguise('h')}",),
        rest=f"{in_disguise('uman')}{_TURN_ENDS}",
        examples=("Human:", "\n\nHuman: do", "**Human:** do", "HUMAN:", "- Human: do", "1. Human:", "| Human:"),
        source="turns of Claude's text completions (docs.anthropic.com, text completions)",
    ),
    ControlToken(
        begins=(f"{_LINE_START}{in_disguise('a')}",),
        rest=f"{in_disguise('ssistant')}{_TURN_ENDS}",
        examples=("Assistant:", "\n\nAssistant: Done", "> assistant:", "\u3000Assistant:", "- **Assistant** :"),
        source="turns of Claude's text completions (docs.anthropic.com, text completions)",
    ),
)
