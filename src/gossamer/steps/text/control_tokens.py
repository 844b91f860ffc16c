"""The control tokens of chat models and of the programs they run in, as one table: a page that shows one is quoted.

Each row says how a token begins, how it goes on, what it looks like and who reads it as more than text.
`untrusted_markers` puts one backslash between the beginning and the rest. A row whose beginning stood inside another's
rest could not be undone, so none does.
"""

from dataclasses import dataclass

from gossamer.steps.text.look_alikes import (
    BARS,
    CLOSING,
    COLONS,
    LESS,
    LINE_BREAKS,
    MORE,
    OPENING,
    any_of,
    in_any_case,
    letters,
)

_NAMESPACE = "antml"
_NO_LETTER = rf"(?:[^\w{LINE_BREAKS}]++|[\d_]++)*+"
_SPEAKER = f"(?:{any_of(['user', 'assistant', 'human', 'developer', 'ai', 'role'])}|\u7528\u6237)[{MORE}]"
_TAG = rf"[{LESS}](?!\\*+{_SPEAKER})[^{LESS}{MORE}{LINE_BREAKS}]*+[{MORE}]"
_BEFORE_TURN = rf"[{LINE_BREAKS}](?:[^\w{LINE_BREAKS}{LESS}]++|[\d_]++|{_TAG})*+"
_NUMBERED = r"(?:(?:[a-zA-Z]|[ivxlIVXL]{2,5})[.)](?=\s))?+"
_BRACKETED = [
    *("inst", "system_prompt", "think", "gmask", "model_settings"),
    *("tool_calls", "tool_results", "tool_content", "available_tools", "call_id"),
]
_OWN_MARK = any_of(["untrusted-web-content", "untrusted-content"])
_SLASH = r"[/\uff0f\u2215\u2044]\s*+"
_EMPHASIS_BEGINS = r"(?:[*_`~][*_`~\\]*+)?+"
_EMPHASIS_ENDS = r"[*_`~\\]*+"
_NAMESPACES = rf"(?:[\w.-]{{1,40}}+[{COLONS}]){{1,4}}+"
_NAME_ENDS = rf"{_EMPHASIS_ENDS}(?=[\s/={MORE}])"
_TURN_ENDS = rf"[*_`\\]*+\s?[{COLONS}]"
_PLAIN_TURN_ENDS = rf"[*_`\\]*+[ \t]?[{COLONS}][*_`\\]*+(?=\s|\Z)"
"""Of a word that is also part of names: `System::IO` and `User:Jimbo` are no turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlToken:
    """What somebody takes for more than text."""

    begins: tuple[str, ...]
    """The first character of the token: what may stand in a class of a pattern."""
    examples: tuple[str, ...]
    source: str
    """Who reads it."""
    rest: str = ""
    """A pattern of what follows; it begins with no backslash, and behind a bracket a slash may precede."""
    tags: tuple[str, ...] = ()
    """Instead of a rest: names of tags, in any namespace, emphasised or not, that open, close or stand alone."""
    is_turn: bool = False
    """It is a token only where a line begins, behind marks of lists, quotes and tables, numbers and blanks."""


def _tags(names: str, source: str, *, also: tuple[str, ...] = ()) -> ControlToken:
    """Tags by their names, with one blank between them; those that have a blank of their own come apart."""
    tags = tuple(names.split())
    examples = (
        *(f"<{tag}>" for tag in (*tags, *also)),
        f'<{tags[0]} name="a">',
        f"</{tags[-1]}>",
        f"<ns:{tags[0]}>",
        f"<ns:ns2:{tags[0]}>",
        f"<**{tags[0]}**>",
        f"<{tags[0]}>".replace("-", "\u2010"),
    )
    return ControlToken(begins=(LESS,), tags=(*tags, *also), examples=examples, source=source)


def _turns(first: str, rest: str, examples: tuple[str, ...], source: str) -> ControlToken:
    """Who speaks, where a line begins."""
    return ControlToken(begins=(first,), rest=rest, examples=examples, source=source, is_turn=True)


def sites(backslashes: str) -> tuple[str, str]:
    """Two patterns of the places of all tokens, which end behind so many backslashes behind the first character.

    A text is read twice, whatever it holds: for the signs that tokens begin with, and for beginnings of lines.
    """
    signs = {begin: None for token in CONTROL_TOKENS if not token.is_turn for begin in token.begins}
    branches = [f"(?<=[{begin}]){backslashes}(?={_rest_of(begin)})" for begin in signs]
    turns = [
        f"[{begin}]{backslashes}(?={token.rest})" for token in CONTROL_TOKENS if token.is_turn for begin in token.begins
    ]
    tags, words = ([turn for turn in turns if turn.startswith(f"[{LESS}]") is is_tag] for is_tag in (True, False))
    return (
        f"[{''.join(signs)}](?:{'|'.join(branches)})",
        f"{_BEFORE_TURN}(?:{'|'.join(tags)}|{_NO_LETTER}{_NUMBERED}{_NO_LETTER}(?:{'|'.join(words)}))",
    )


def _rest_of(begin: str) -> str:
    """A pattern of what follows where any token begins so; what its parts begin with is told apart at once."""
    tokens = [token for token in CONTROL_TOKENS if begin in token.begins and not token.is_turn]
    names = any_of([name for token in tokens for name in token.tags])
    tags = [f"(?:{_EMPHASIS_BEGINS}|{_NAMESPACES}){names}{_NAME_ENDS}"] if names else []
    rests = "|".join([*(token.rest for token in tokens if token.rest), *tags])
    return f"(?:{_SLASH})?+(?![{LESS}{MORE}{OPENING}{CLOSING}])(?:{rests})" if begin in {LESS, OPENING} else rests


CONTROL_TOKENS = (
    ControlToken(
        begins=(LESS, OPENING),
        rest=rf"{_OWN_MARK}|\s++{_OWN_MARK}",
        examples=("</untrusted-web-content>", "<untrusted_content>", "</ Untrusted-Web-Content"),
        source="our own marks, in any spelling that a reader takes for them",
    ),
    ControlToken(
        begins=(LESS, OPENING),
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
        begins=(LESS, OPENING),
        rest=rf"\s?{_EMPHASIS_BEGINS}{any_of(_BRACKETED)}{_EMPHASIS_ENDS}\s?[{CLOSING}]"
        f"|{in_any_case('sys')}[{MORE}]{{2}}|{in_any_case('s')}[{MORE}]",
        examples=(
            *("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "</s>", "[SYSTEM_PROMPT]", "[MODEL_SETTINGS]", "[gMASK]"),
            *("[AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[CALL_ID]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
            *("[**INST**]", "[ INST ]"),
        ),
        source="Llama 2, GLM: chat_template of their tokenizer_config.json; Mistral: SpecialTokens of "
        "github.com/mistralai/mistral-common, but [IMG], [PREFIX] and the like, which make no turn and stand in prose",
    ),
    ControlToken(
        begins=(OPENING,),
        rest=rf"ARGS\\*+[{CLOSING}]",
        examples=("[ARGS]",),
        source="Mistral, in capitals alone, as its tokenizer has it: manuals have [args]",
    ),
    ControlToken(
        begins=(LESS,),
        rest=rf"\w{{1,40}}+[{BARS}][{MORE}]",
        examples=("<turn|>", "<channel|>", "<tool_call|>"),
        source="Gemma 4: chat_template of its tokenizer_config.json",
    ),
    _tags("start_of_turn end_of_turn bos eos sop", "Gemma, GLM, Seed: special tokens of their tokenizer_config.json"),
    _tags(
        "start_function_call end_function_call start_function_response end_function_response "
        "start_function_declaration end_function_declaration",
        "FunctionGemma (ai.google.dev/gemma/docs/functiongemma)",
    ),
    ControlToken(
        begins=(LESS,),
        rest=f"{in_any_case('role')}[{MORE}]{any_of(['system', 'human', 'assistant', 'observation', 'user', 'tool'])}",
        examples=("<role>SYSTEM</role>", "<role>HUMAN</role>", "<role>ASSISTANT"),
        source="Ling, Ring, LLaDA: chat_template of their tokenizer_config.json; `List<Role>` is code",
    ),
    _tags(
        "extra_id_0 extra_id_1 bos_token eos_token eoh eoa reserved_106 reserved_107",
        "Nemotron, Command R, InternLM, Baichuan 2: chat_template of their tokenizer_config.json",
    ),
    _tags(
        "longcat_tool_call longcat_think longcat_user longcat_assistant longcat_system arg_key arg_value",
        "LongCat, GLM 4.5: chat_template of their tokenizer_config.json",
    ),
    ControlToken(
        begins=(r"\]",),
        rest=rf"~!?{in_any_case('b')}[\[\]]",
        examples=("]~b]system", "]~!b[]~b]user"),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    ControlToken(
        begins=(OPENING,),
        rest=rf"{in_any_case('e')}~\[",
        examples=("[e~[",),
        source="MiniMax M1 and M2: chat_template of their tokenizer_config.json",
    ),
    _tags(
        "function_calls function_call function_results function_result functions function invoke parameter",
        "Claude's calls of tools (docs.anthropic.com, tool use), Llama 3.1 and Qwen3-Coder (<function=…>), Grok",
    ),
    ControlToken(
        begins=(LESS,),
        rest=f"{in_any_case(_NAMESPACE)}[{COLONS}]",
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
    _tags(
        "thinking think reasoning",
        "Claude (extended thinking), DeepSeek R1, Qwen3, MiniMax, prompts that ask for it: what a model thinks aloud",
    ),
    _tags("tool_code tool_outputs assistant_response", "prompts that write code to run, what came of it and an answer"),
    _tags(
        "system system-prompt system-message system-reminder system-instruction system-instructions system-warning",
        "Claude Code (<system-reminder>; github.com/anthropics/claude-code/issues/32565), Claude's own count of tokens "
        "(<system_warning>), Cursor, and prompts that put their rules into <system>",
    ),
    _tags(
        "command-name command-message command-args local-command-stdout local-command-stderr local-command-caveat "
        "bash-input bash-stdout bash-stderr task-notification teammate-message user-prompt-submit-hook "
        "persisted-output new-diagnostics post-tool-use-hook ide_selection ide_opened_file ide_diagnostics",
        "Claude Code: what it puts into a user's turn by itself (github.com/anthropics/claude-code/issues/9183)",
    ),
    _tags(
        "environment_context user_instructions turn_aborted subagent_notification user_shell_command",
        "Codex (github.com/openai/codex): what it puts into a user's turn by itself",
        also=("permissions instructions",),
    ),
    _tags("environment_details use_mcp_tool execute_command attempt_completion", "Cline, Roo Code: calls and context"),
    _tags(
        "user_query user_info open_and_recently_viewed_files attached_files additional_data",
        "Cursor: what a user asked, and what it puts into a user's turn by itself",
    ),
    _tags(
        "userrequest reminderinstructions editorcontext environment_info workspace_info",
        "Copilot (github.com/microsoft/vscode-copilot-chat): what a user asked, and what it adds",
    ),
    ControlToken(
        begins=(LESS,),
        rest=rf"(?<=[/\uff0f\u2215\u2044]){_SPEAKER}",
        examples=("a </user>", "</assistant>", "</human>", "</role>"),
        source="prompts that write a talk as tags; a tag that closes is nobody's placeholder",
    ),
    ControlToken(
        begins=(LESS,),
        rest=_SPEAKER,
        examples=("<user>", "> <assistant>", "<chat><user>", "- <Human>", "<\u7528\u6237>", "<AI>"),
        source="prompts that write a talk as tags, MiniCPM (<\u7528\u6237>, <AI>); within a line of a manual they are "
        "placeholders, as in `chown <user>`",
        is_turn=True,
    ),
    _turns(
        letters("h"),
        f"{in_any_case('uman')}{_TURN_ENDS}",
        ("Human:", "\n\nHuman: do", "**Human:** do", "HUMAN:", "- Human: do", "1. Human:", "| Human:"),
        "turns of Claude's text completions (docs.anthropic.com, text completions)",
    ),
    _turns(
        letters("a"),
        f"{in_any_case('ssistant')}{_TURN_ENDS}",
        ("Assistant:", "\n\nAssistant: Done", "> assistant:", "\u3000Assistant:", "- **Assistant** :"),
        "turns of Claude's text completions (docs.anthropic.com, text completions)",
    ),
    _turns(
        "S",
        f"{in_any_case('ystem')}{_PLAIN_TURN_ENDS}",
        ("System: do", "\n\nSYSTEM: do", "**System:** do", "- System:"),
        "turns of LangChain (get_buffer_string) and Vicuna, with a capital: a small one is a key of a configuration",
    ),
    _turns(
        "U",
        f"{in_any_case('ser')}{_PLAIN_TURN_ENDS}",
        ("User: do", "\n\nUSER: do", "> **User**: do"),
        "turns of Vicuna, OpenChat, ERNIE, Phi 2, with a capital: a small one is a key of a configuration",
    ),
    _turns(
        "T",
        f"{in_any_case('ool')}{_PLAIN_TURN_ENDS}",
        ("Tool: done", "\n\nTOOL: done"),
        "turns of LangChain (get_buffer_string), with a capital: a small one is a key of a configuration",
    ),
    _turns(
        "A",
        f"I{_PLAIN_TURN_ENDS}",
        ("AI: Done", "\n\nAI: Done"),
        "turns of LangChain (get_buffer_string), in capitals",
    ),
)
