"""Words of coloured code in the colour of their ground.

A theme may paint the words of a language and the box they stand in alike, where a sheet elsewhere paints the box anew.
Without them the code is another one. Only words and signs that languages have themselves count: nothing can be told
to anybody with them.
"""

import re

from gossamer.extractors.tree import Element, attr

_NAMED = re.compile(r"(?:^|\s)(?:token|hljs-|mtk|cm-|pl-|k[a-z]?(?=\s|$)|keyword)")
_SIGN = re.compile(r"[^\w\s]{1,3}")
_LISTED = (
    "abstract and as assert async await bool boolean break case catch char class const continue debugger def default "
    "del double elif else end enum except export extends false final finally float fn for foreach from func function "
    "go goto if impl implements import in input instanceof int interface is lambda let long loop match module mut "
    "namespace new nil none not null nullptr of or package pass private protected pub public raise readonly return "
    "scalar self short signed sizeof static string struct super switch then this throw throws trait true try type "
    "typedef typeof undefined union unsigned use using val var void volatile where while with yield"
)
_WORDS = frozenset(_LISTED.split())


def is_of_a_language(el: Element) -> bool:
    """Whether an element of a code block holds one word or sign of a language and nothing else."""
    text = (el.text or "").strip()
    if len(el) or not _NAMED.search(attr(el, "class")):
        return False
    return (text.lower() in _WORDS or _SIGN.fullmatch(text) is not None) and any(
        True for _ in el.iterancestors("pre", "code")
    )
