"""Formulas: which of a formula's copies counts as seen.

Formulas stand on pages twice: drawn for eyes and written for machines. The written one counts as seen, since it can be
read; unless it holds sentences, which are no formula.
"""

import re

from gossamer.extractors.html.tree import Element, attr, classes, element, words

MAX_CHARS = 4_000
_MAX_WORDS = 4
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|\{(?:array|[a-z]?matrix|aligned?\*?|cases|equation\*?|gather\*?|split)\}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Letters of scripts that write words without blanks between them."""
_LETTERS_IN_WORD = 12
_DRAWN = re.compile(r"math|katex|mjx|latex|\btex\b", re.IGNORECASE)


def is_formula(text: str) -> bool:
    """Whether a text can be a formula: short, and hardly any words in it but those of its notation."""
    return len(text) <= MAX_CHARS and _count(_COMMAND.sub(" ", text)) <= _MAX_WORDS


def _count(text: str) -> int:
    """How many words a text holds; two letters of a script without blanks are one, and so is part of a long word."""
    spaced, unspaced = _UNSPACED.subn(" ", text)
    return (unspaced + 1) // 2 + sum(1 + len(word) // _LETTERS_IN_WORD for word in _WORD.findall(spaced))


def is_written_copy(el: Element) -> bool:
    """Whether an element holds a formula, and nothing else, within something that draws formulas."""
    maths = [el] if el.tag == "math" else list(el.iter("math"))
    if not maths or len(words(el)) > sum(len(words(math)) for math in maths):
        return False
    nearest = [el, *el.iterancestors()][:4]
    is_drawn = any(_DRAWN.search(name) for up in nearest for name in (*classes(up), up.tag))
    return is_drawn and all(is_formula(words(math)) for math in maths)


def keep_formulas(root: Element) -> int:
    """Turn sources in scripts into formulas, take sentences out of the sources of others, and count those."""
    hidden = 0
    for script in list(root.iter("script")):
        source = (script.text or "").strip()
        if attr(script, "type").strip().lower().startswith("math/tex") and source and is_formula(source):
            _write(script, source)
    for note in list(root.iter("annotation", "annotation-xml", "mphantom")):
        is_source = note.tag == "annotation" and "tex" in attr(note, "encoding").lower()
        if not is_source or not is_formula(words(note)):
            hidden += bool(words(note))
            note.drop_tree()
    return hidden


def _write(script: Element, source: str) -> None:
    """Put a formula where a script would put it; one that is there already is not written again."""
    before = script.getprevious()
    if before is not None and any("mathjax" in name.lower() for name in classes(before)) and words(before):
        before.drop_tree()
    note = element("annotation")
    note.set("encoding", "application/x-tex")
    note.text = source
    script.attrib.clear()
    script.tag, script.text = "math", None
    script.append(note)
