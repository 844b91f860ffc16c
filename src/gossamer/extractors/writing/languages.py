"""The language of a code block, where pages say it: classes and attributes on the block, in it and round it."""

import re
from itertools import islice

from gossamer.extractors.tree import Element, attr, classes

_NAMED = (
    re.compile(r"(?:language|lang|highlight-source|highlight-text)[-:_](?P<name>[\w+#.-]+)", re.IGNORECASE),
    re.compile(r"(?:highlight|sourcecode|code|brush|syntax)[-:_](?P<name>[a-zA-Z][\w+#.-]*)", re.IGNORECASE),
)
"""Ways to say it outright, and ways that parts of a page are named by as well."""
_OF_A_MODULE = re.compile(r"_\w*__")
_BRUSH = re.compile(r"brush:\s{0,5}([\w+#-]+)", re.IGNORECASE)
_NAME = re.compile(r"[\w+#.-]{1,20}")
_ATTRIBUTES = (
    "data-lang",
    "data-language",
    "data-code-language",
    "data-code-lang",
    "data-highlight-language",
    "data-tagsearch-lang",
)
_LISTED_NAMES = (
    "ada apache asm awk bash basic bat batch bibtex c c# c++ clojure cmake coffeescript console cpp cs csharp css cuda "
    "cypher d dart diff docker dockerfile elixir elm erlang f# fish fortran fsharp go golang gradle graphql groovy "
    "haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex lean less lisp lua make "
    "makefile markdown matlab md mermaid nginx nim nix objc objective-c objectivec ocaml pascal perl php plaintext "
    "postgresql powershell prolog protobuf ps1 py pycon python python3 r rb rst ruby rust rs sass scala scheme scss "
    "sh shell sol solidity sql svelte swift tcl terraform tex text toml ts tsx typescript vb verilog vhdl vim vue "
    "wasm xml yaml yml zig zsh"
)
_LISTED = frozenset(_LISTED_NAMES.split())
_OTHER_NAMES = (
    "default none text-plain notranslate block blocks wrapper toolbar highlight ipython3-output container box snippet "
    "example inline line lines title header body content area frame group tabs copy button wrap pre-wrap"
)
_NOT_NAMES = frozenset(_OTHER_NAMES.split())
_AROUND = 3
_INSIDE = 3


def language(block: Element) -> str:
    """The language that a code block, the code in it or the boxes round it name; empty when none does."""
    own = [block, *islice(block.iter("code", "pre"), _INSIDE), *_first_line(block)]
    around = list(islice(block.iterancestors(), _AROUND))
    for el in (*own, *around):
        if name := _said(el):
            return name
    for el in (*own, *around[:1]):
        for name in classes(el):
            if name.lower() in _LISTED:
                return name.lower()
    return ""


def _first_line(block: Element) -> list[Element]:
    return [el for el in islice(block.iter("span"), 1) if "line" in classes(el)]


def is_language(text: str) -> bool:
    """Whether a label beside a code block is the name of a language."""
    return text.strip().lower() in _LISTED


def _said(el: Element) -> str:
    """The language that an element names outright."""
    for key in (*_ATTRIBUTES, *(("lang",) if el.tag in {"code", "span"} else ())):
        name = attr(el, key).lower()
        if _NAME.fullmatch(name) and name not in _NOT_NAMES:
            return name
    if brush := _BRUSH.search(attr(el, "class")):
        return brush[1].lower()
    for pattern in _NAMED:
        for name in classes(el):
            found = pattern.fullmatch(name)
            if found and found["name"].lower() not in _NOT_NAMES and not _OF_A_MODULE.search(name):
                return found["name"].lower()
    return ""
