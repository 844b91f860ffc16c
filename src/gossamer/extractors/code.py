"""Code blocks made plain before they are rendered: their language named, their text exact."""

import re

from gossamer.extractors.tree import Element, attr, classes, element

_NAMED = re.compile(
    r"^(?:language|lang|highlight-source|highlight-text|highlight|sourcecode|code|brush|syntax)[-:_](?P<name>[\w+#.-]+)$",
    re.IGNORECASE,
)
_BRUSH = re.compile(r"brush:\s*([\w+#-]+)", re.IGNORECASE)
_LISTED_NAMES = (
    "ada asm awk bash basic bat batch bibtex c c# c++ clojure cmake coffeescript console cpp cs csharp css cuda "
    "cypher d dart diff dockerfile elixir elm erlang f# fish fortran fsharp go golang gradle graphql groovy "
    "haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex less lisp lua make "
    "makefile markdown matlab md mermaid nginx nim nix objc objective-c ocaml pascal perl php plaintext "
    "powershell prolog protobuf ps1 py pycon python python3 r rb rst ruby rust rs sass scala scheme scss sh shell "
    "sol solidity sql svelte swift tcl tex text toml ts tsx typescript vb verilog vhdl vim vue wasm xml yaml yml "
    "zig zsh"
)
_LISTED = frozenset(_LISTED_NAMES.split())
_NOT_NAMES = frozenset(
    {"default", "none", "text-plain", "notranslate", "block", "wrapper", "toolbar", "highlight", "ipython3-output"}
)
_LINES = frozenset({"div", "li", "p", "tr"})
_GUTTERS_NAMES = (
    "gutter lineno linenos lineno-col linenodiv line-numbers-rows line-number linenumber linenumbers ln-num "
    "hljs-ln-numbers blob-num copy copybtn copy-button copy-btn clipboard"
)
_GUTTERS = frozenset(_GUTTERS_NAMES.split())


def plain_code(root: Element) -> None:
    """Turn each code block into `<pre><code class="language-x">` with nothing but its text inside."""
    for table in list(root.iter("table")):
        cell = next((td for td in table.iter("td", "pre") if {"code", "rouge-code", "main"} & set(classes(td))), None)
        if cell is not None and any(
            _GUTTERS & set(classes(el)) or "rouge-gutter" in classes(el) for el in table.iter("td", "pre")
        ):
            _keep_only(table, cell)
    for pre in list(root.iter("pre")):
        if not any(True for _ in pre.iterancestors("pre")):
            _make_plain(pre)


def _keep_only(table: Element, cell: Element) -> None:
    """Replace a table that lays out line numbers beside code by the code."""
    inner = next(cell.iter("pre"), cell)
    inner.tail = ""
    for child in list(table):
        table.text = ""
        child.drop_tree()
    table.append(inner)
    inner.tag = "pre"
    table.tag = "div"
    table.attrib.clear()


def _make_plain(pre: Element) -> None:
    name = language(pre)
    for el in list(pre.iter("*")):
        if el is not pre and (_GUTTERS & set(classes(el)) or el.tag == "button" or "data-line-number" in el.attrib):
            el.drop_tree()
    text = _text(pre)
    for child in list(pre):
        child.tail = ""
        child.drop_tree()
    pre.attrib.clear()
    code = element("code")
    code.text = text.strip("\n")
    if name:
        code.set("class", f"language-{name}")
    pre.text = ""
    pre.append(code)


def _text(pre: Element) -> str:
    """The text of a code block, a line for each line element and break."""
    pieces: list[str] = [pre.text or ""]
    stack: list[tuple[Element, bool]] = [(child, False) for child in reversed(list(pre))]
    while stack:
        el, is_end = stack.pop()
        if not is_end:
            pieces.append("\n" if el.tag == "br" else el.text or "")
            stack.append((el, True))
            stack.extend((child, False) for child in reversed(list(el)))
            continue
        if el.tag in _LINES and not next((piece for piece in reversed(pieces) if piece), "\n").endswith("\n"):
            pieces.append("\n")
        pieces.append(el.tail or "")
    return "".join(pieces).replace("\xa0", " ")


def language(pre: Element) -> str:
    """The language that a code block, the code in it or the boxes round it name; empty when none does."""
    near = [pre, *pre.iter("code"), *list(pre.iterancestors())[:3]]
    for el in near:
        for key in ("data-lang", "data-language", "data-code-language", "lang" if el.tag == "code" else "data-lang"):
            if re.fullmatch(r"[\w+#.-]{1,20}", attr(el, key)) and attr(el, key).lower() not in _NOT_NAMES:
                return attr(el, key).lower()
        if brush := _BRUSH.search(attr(el, "class")):
            return brush[1].lower()
        for name in classes(el):
            found = _NAMED.match(name)
            if found and found["name"].lower() not in _NOT_NAMES:
                return found["name"].lower()
    for el in near[: 1 + sum(1 for _ in pre.iter("code")) + 1]:
        for name in classes(el):
            if name.lower() in _LISTED:
                return name.lower()
    return ""
