"""Links that run, copy or edit what a page shows are no text of it; the same words in a sentence are."""

import re

import pytest

from gossamer.extractors.html.markdown.normalise import normalise
from gossamer.extractors.html.markdown.renderer import render
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import View

PAGE = "https://a.test/guide"


def text_of(page: str) -> str:
    root = parse(page)
    assert root is not None
    top = body(root)
    normalise(top, View(), base=PAGE, page_url=PAGE)
    return render(top, "markdown")


CODE = "print%28%27lamps%27%29" * 12
GONE = {
    "an edit link of a repository": '<a href="https://github.com/a/b/edit/main/docs/x.md">✏️ Edit this page</a>',
    "one on another forge": '<a href="https://gitlab.com/a/b/-/edit/main/x.md">Edit this page on GitLab</a>',
    "one of a wiki": '<a href="/index.php?title=Lamp&amp;action=edit">edit</a>',
    "one in brackets": '[<a href="/index.php?title=Lamp&amp;action=edit">edit</a>]',
    "one in brackets behind a label": '<b></b>[<a href="/index.php?title=Lamp&amp;action=edit">edit</a>]',
    "one that leads to the file": '<a href="https://github.com/a/b/blob/main/x.md">Edit on GitHub</a>',
    "one in German": '<a href="https://github.com/a/b/edit/main/x.md">Seite bearbeiten</a>',
    "an improvement": '<a href="https://github.com/a/b/edit/main/x.md">Improve this doc</a>',
    "the source of a page": '<a href="_sources/lamp.rst.txt">View page source</a>',
    "the source of a page in a repository": '<a href="https://github.com/a/b/blob/v1/lamp.md">View on GitHub</a>',
    "a button for it": '<a class="view-source-button" href="#source">View Source</a>',
    "a playground": '<a class="test-arrow" href="https://play.rust-lang.org/?code=fn">Run</a>',
    "a playground with an arrow": '<a href="https://go.dev/play/p/abc">▶ Run</a>',
    "a sandbox": '<a href="https://codesandbox.io/s/abc">Open in CodeSandbox</a>',
    "a school": '<a class="btn" href="tryit.asp?filename=lamp">Try it Yourself »</a>',
    "a notebook": '<a href="https://colab.research.google.com/github/a/b.ipynb">Run in Google Colab</a>',
    "a copy button that is a link": '<a class="copy-link" href="#">Copy</a>',
    "a copy button of script": '<a class="btn-clipboard" href="javascript:copy()">Copy to clipboard</a>',
    "a copy button in a box": '<div class="code-copy">Copied!</div>',
    "a permanent link": '<a href="/guide?id=3">Permalink</a>',
    "a link to a heading": '<a href="https://a.test/other#x">Copy link to this section</a>',
}


@pytest.mark.parametrize("part", GONE.values(), ids=GONE)
def test_link_furniture_goes(part: str) -> None:
    assert text_of(f"<p>Light the lamp.</p><div>{part}</div>") == "Light the lamp."


KEPT = {
    "an edit that is a topic": '<a href="/lamps/edit-distance">Edit</a>',
    "a chapter of that name": '<a href="/ide-extensions/edit/quick-start">Edit</a>',
    "what was decided on before": '<b class="mw-editsection"><a href="/w?action=edit">edit</a></b>',
    "an editor": '<a href="https://a.test/editor/">Edit</a>',
    "the source of a function": '<a class="internal" href="_modules/lamp.html#light">[source]</a>',
    "the source of an API": '<a href="https://github.com/a/b/blob/v1/lib/lamp.js#L1">[src]</a>',
    "the source of a table": '<a href="https://census.example/lamps.csv">Source</a>',
    "a place in the source": '<a href="https://github.com/a/b/blob/main/Lib/lamp.py">Lib/lamp.py</a>',
    "a run": '<a href="https://a.test/marathon">Run</a>',
    "a function": '<a href="#copy">copy</a>',
    "a name of a place": '<a name="copy">copy</a>',
    "a sandbox in a sentence": 'See <a href="https://codepen.io/pen/abc">the lamp that I drew</a> there.',
    "a box called so that says more": '<div class="copy">Copy the lamp, then light it.</div>',
    "a box of another name": "<div>Copy</div>",
    "a box of several": '<div class="copy"><b>Copy</b><i>1</i><u>2</u></div>',
    "a long text": f'<a href="https://github.com/a/b/edit/main/x">{"Edit " * 15}</a>',
}


@pytest.mark.parametrize("part", KEPT.values(), ids=KEPT)
def test_the_same_words_elsewhere_stay(part: str) -> None:
    root = parse(part)
    assert root is not None
    shown = " ".join("".join(body(root).itertext()).split())
    assert re.sub(r"\W", "", shown) in re.sub(r"\]\([^)]*\)|\W", "", text_of(f"<div>{part}</div>"))


def test_a_listing_in_an_address_leaves_the_words_of_its_link() -> None:
    link = f'<a href="https://play.rust-lang.org/?code={CODE}">this very lamp</a>'
    assert text_of(f"<p>Light {link} now.</p>") == "Light this very lamp now."


def test_what_stands_between_other_brackets_stays() -> None:
    edit = '<a href="/index.php?title=Lamp&amp;action=edit">edit</a>'
    assert text_of(f"<p>Lamp ({edit}) burns</p>") == "Lamp burns"
    assert text_of(f"<p>Lamp ({edit}] burns</p>") == "Lamp (] burns"
    assert text_of(f"<p>Lamp {edit}] burns</p>") == "Lamp ] burns"


def test_a_chosen_part_is_never_furniture() -> None:
    root = parse('<a href="https://github.com/a/b/edit/main/x.md">Edit this page</a>')
    assert root is not None
    link = next(body(root).iter("a"))
    normalise(link, View(), base=PAGE, page_url=PAGE)
    assert render(link, "text") == "Edit this page"
