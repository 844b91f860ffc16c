"""The control tokens of chat models and of the programs they run in, as one table: a page that shows one is quoted.

Each row says how a token begins, how it goes on, what it looks like and who reads it as more than text. `steps/mark.py`
puts one backslash between the beginning and the rest; a row whose beginning stood inside another's rest could not be
undone, so none does.
"""

from dataclasses import dataclass

_ANGLE = "[<\uff1c\ufe64]"
_SQUARE = r"\["
_NAMESPACE = "antml"
_HYPHEN = "[-_\u2010-\u2015\u2212\ufe63\uff0d]"
_LINE_START = "(?:^|(?<=[\\n\\r\\v\\f\x1c-\x1e\x85\u2028\u2029]))[ \\t>*_#]*"
"""A turn is one only where a line begins, whatever Markdown puts before its words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlToken:
    """What somebody takes for more than text."""

    begins: tuple[str, ...]
    """Patterns that end with the first character of the token."""
    rest: str
    """A pattern of what follows, in any case."""
    examples: tuple[str, ...]
    source: str
    """Who reads it."""
    is_rare: bool = False
    """Whether a text is first searched for the rest, in small letters, since looking for the beginning takes longer."""


def _tags(names: str, source: str) -> ControlToken:
    """Tags that open, close or stand alone, in any namespace; the names with one blank between them are patterns."""
    rest = rf"/?(?:[\w.-]{{1,40}}:)?(?:{'|'.join(names.split())})(?=[\s/>=\uff1e\ufe65])"
    plain = tuple(name for name in names.split() if name.replace("-", "").replace("_", "").isalnum())
    examples = (*(f"<{name}>" for name in plain), f'<{plain[0]} name="a">', f"</{plain[-1]}>", f"<ns:{plain[0]}>")
    return ControlToken(begins=(_ANGLE,), rest=rest, examples=examples, source=source)


CONTROL_TOKENS = (
    ControlToken(
        begins=(_ANGLE, _SQUARE),
        rest=rf"/?\s*untrusted{_HYPHEN}(?:web{_HYPHEN})?content",
        examples=("</untrusted-web-content>", "<untrusted_content>", "</ Untrusted-Web-Content"),
        source="our own marks, in any spelling that a reader takes for them",
    ),
    ControlToken(
        begins=(_ANGLE, _SQUARE),
        rest=r"[|｜]",
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
        rest=r"/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|CALL_ID|THINK|gMASK)\]"
        r"|/?SYS>>|/?s>",
        examples=("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[TOOL_RESULTS]", "[gMASK]", "</s>"),
        source="Llama 2, Mistral, GLM: chat_template of their tokenizer_config.json",
    ),
    _tags("start_of_turn end_of_turn bos eos sop", "Gemma, GLM, Seed: special tokens of their tokenizer_config.json"),
    ControlToken(
        begins=(r"\]",),
        rest=r"~!?b[\[\]]",
        examples=("]~b]system", "]~!b[]~b]user"),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    ControlToken(
        begins=(_SQUARE,),
        rest=r"e~\[",
        examples=("[e~[",),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    _tags(
        "function_calls function_call function_results function_result functions function invoke parameter",
        "Claude's calls of tools (docs.anthropic.com, tool use), Llama 3.1 and Qwen3-Coder (<function=…>), Grok",
    ),
    ControlToken(
        begins=(_ANGLE,),
        rest=rf"/?{_NAMESPACE}:",
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
        "system system[-_](?:prompt|message|reminder|instructions?) system-reminder system_prompt",
        "Claude Code (<system-reminder>; github.com/anthropics/claude-code/issues/32565), Cursor, and prompts that "
        "put their rules into <system>",
    ),
    _tags(
        "command-name command-message command-args local-command-(?:stdout|stderr|caveat) local-command-stdout "
        "bash-(?:input|stdout|stderr) bash-stdout task-notification teammate-message user-prompt-submit-hook",
        "Claude Code: what it puts into a user's turn by itself",
    ),
    _tags(
        "environment_context user_instructions turn_aborted subagent_notification permissions\\sinstructions",
        "Codex (github.com/openai/codex): what it puts into a user's turn by itself",
    ),
    _tags("environment_details use_mcp_tool execute_command attempt_completion", "Cline, Roo Code: calls and context"),
    _tags("user_query", "Cursor: what a user asked"),
    ControlToken(
        begins=(rf"{_LINE_START}H",),
        rest=r"uman[*_]*\s?[:：]",
        examples=("Human:", "\n\nHuman: do", "**Human:** do", "HUMAN:"),
        source="turns of Claude's text completions (docs.anthropic.com, text completions)",
        is_rare=True,
    ),
    ControlToken(
        begins=(rf"{_LINE_START}A",),
        rest=r"ssistant[*_]*\s?[:：]",
        examples=("Assistant:", "\n\nAssistant: Done", "> assistant:"),
        source="turns of Claude's text completions (docs.anthropic.com, text completions)",
        is_rare=True,
    ),
)
