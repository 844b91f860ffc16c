"""Source code: which language a file is in, by its type or the end of its address."""

import posixpath
from urllib.parse import unquote, urlsplit

_LANGUAGES = (
    "python py pyw pyi | javascript js mjs cjs | typescript ts mts cts | tsx tsx | jsx jsx | java java | kotlin kt kts "
    "| scala scala | c c h | cpp cc cpp cxx hpp hh hxx | csharp cs | go go | rust rs | ruby rb | php php | swift swift "
    "| objectivec m mm | perl pl pm | lua lua | r r | julia jl | haskell hs | elixir ex exs | erlang erl | clojure clj "
    "| lisp lisp el scm | ocaml ml mli | fsharp fs | dart dart | zig zig | nim nim | bash sh bash zsh | powershell ps1 "
    "| sql sql | css css | scss scss | less less | yaml yaml yml | toml toml | ini ini cfg conf | json json5 jsonc "
    "| xml xsl xslt xsd | html htm html | vue vue | svelte svelte | graphql graphql gql | protobuf proto | cmake cmake "
    "| makefile mk | dockerfile dockerfile | diff diff patch | latex tex | terraform tf | nix nix "
    "| groovy groovy gradle | fortran f90 f95 f | vbnet vb | asm asm s | bibtex bib | batch bat cmd | solidity sol"
)
_BY_END = {end: words[0] for words in (entry.split() for entry in _LANGUAGES.split("|")) for end in words[1:] or words}
_BY_NAME = {"makefile": "makefile", "dockerfile": "dockerfile", "cmakelists.txt": "cmake", "gemfile": "ruby"}
_BY_TYPE = {
    "x-python": "python",
    "javascript": "javascript",
    "x-javascript": "javascript",
    "ecmascript": "javascript",
    "typescript": "typescript",
    "css": "css",
    "x-sh": "bash",
    "x-shellscript": "bash",
    "x-httpd-php": "php",
    "x-php": "php",
    "yaml": "yaml",
    "x-yaml": "yaml",
    "vnd.yaml": "yaml",
    "toml": "toml",
    "sql": "sql",
    "graphql": "graphql",
    "x-c": "c",
    "x-csrc": "c",
    "x-c++src": "cpp",
    "x-java": "java",
    "x-java-source": "java",
    "x-ruby": "ruby",
    "x-perl": "perl",
    "x-go": "go",
    "x-rust": "rust",
    "rust": "rust",
    "x-lua": "lua",
    "x-diff": "diff",
    "x-patch": "diff",
    "x-tex": "latex",
    "x-tex-source": "latex",
}


def end_of(url: str) -> str:
    """The end of an address's file name, in lower case and without its dot; empty when it has none."""
    return posixpath.splitext(name_of(url))[1][1:][:12]


def language_of(said: str, url: str) -> str:
    """The language of a text by its content type, else by its address; empty for prose."""
    found = _BY_TYPE.get(said.rpartition("/")[2])
    return found or _BY_NAME.get(name_of(url)) or _BY_END.get(end_of(url), "")


def name_of(url: str) -> str:
    """The file name in an address, in lower case."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(posixpath.basename(path)).lower()
