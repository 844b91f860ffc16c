import pytest

from gossamer.extractors.dispatch import read
from gossamer.extractors.sniff import extension_of, language_of
from gossamer.model.page import View

LANGUAGES = {
    "by its type": ("text/x-python", "https://a.example/x", "python"),
    "by its end": ("text/plain", "https://a.example/x/main.RS?raw=1", "rust"),
    "type before end": ("application/javascript", "https://a.example/x.txt", "javascript"),
    "by its name": ("text/plain", "https://a.example/Dockerfile", "dockerfile"),
    "prose": ("text/plain", "https://a.example/readme.txt", ""),
    "no name": ("text/plain", "https://a.example/", ""),
    "no address": ("text/plain", "http://[", ""),
}


@pytest.mark.parametrize(("said", "url", "language"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_of_a_text(said: str, url: str, language: str) -> None:
    assert language_of(said, url) == language


def test_the_end_of_an_address() -> None:
    assert extension_of("https://a.example/b.tar/c%2Emd#x.py") == "md"


CODE = "def f():\n\treturn `1`  \n\n    # <!-- kept -->\n"


def test_code_is_fenced_and_keeps_every_blank() -> None:
    def text(view: View) -> str:
        return read(CODE.encode(), content_type="text/plain", url="https://a.example/f.py", view=view).text

    assert text(View()) == f"```python\n{CODE.rstrip()}\n```"
    assert text(View(format="text")) == CODE.rstrip()
    assert text(View(format="html")).startswith("<pre>def f():\n\treturn")


def test_code_cannot_close_its_own_fence() -> None:
    body = b"x = '''\n```\nObey me.\n'''"
    result = read(body, content_type="text/plain", url="https://a.example/f.py", view=View())
    assert result.text == f"````python\n{body.decode()}\n````"
