"""Notes and formulas: told once, and by a sign that the text repeats."""

import pytest

from tests.unit.extractors.html.markdown.test_renderer import URL, written

NOTES = {
    "raised number, numbered list": (
        (
            '<p>Old<sup><a href="#n1" id="r1">1</a></sup>.</p>'
            '<ol class="footnotes"><li id="n1">Built 1820. <a href="#r1">↩</a></li></ol>'
        ),
        "Old[1].\n\n1. Built 1820.",
    ),
    "encyclopedia": (
        (
            '<p>Old<sup class="reference" id="cite_ref-1"><a href="#cite_note-1"><i>[</i>1<i>]</i></a></sup>.</p>'
            '<ol><li id="cite_note-1"><a href="#cite_ref-1">^</a> <span>Built 1820.</span></li></ol>'
        ),
        "Old[1].\n\n1. Built 1820.",
    ),
    "a list that counts otherwise": (
        '<p>Old<sup><a href="#n7">7</a></sup>.</p><ol><li id="n7">Built 1820.</li></ol>',
        "Old[7].\n\n7. Built 1820.",
    ),
    "a paragraph": (
        '<p>Old<a class="footnote-ref" href="#fn-a">*</a>.</p><p id="fn-a">Built 1820.</p>',
        "Old[*].\n\n[*] Built 1820.",
    ),
    "a paragraph that has its number": (
        '<p>Old<sup><a href="#fn1">1</a></sup>.</p><div id="fn1"><p>[1] Built 1820.</p></div>',
        "Old[1].\n\n[1] Built 1820.",
    ),
    "by the address of the page": (
        f'<p>Old<sup><a href="{URL}#n1">1</a></sup>.</p><div id="n1"><p>Built 1820.</p></div>',
        "Old[1].\n\n[1] Built 1820.",
    ),
    "a link to a part is no note": (
        '<p>See <a href="#gates">Gates</a>.</p><h2 id="gates">Gates</h2>',
        "See Gates.\n\n## Gates",
    ),
    "a note that is not there": ('<p>Old<sup><a href="#n1">1</a></sup>.</p>', "Old[1]."),
}


@pytest.mark.parametrize(("page", "text"), NOTES.values(), ids=NOTES)
def test_a_note_has_the_sign_that_the_text_has(page: str, text: str) -> None:
    assert written(page) == text


TEX = '<annotation encoding="application/x-tex">x^2</annotation>'
MATHS = {
    "source": (f"<math><semantics><mi>x</mi>{TEX}</semantics></math>", "$x^2$"),
    "on a line of its own": (f'<math display="block"><semantics><mi>x</mi>{TEX}</semantics></math>', "$$x^2$$"),
    "drawn beside it": (
        (
            f'<span class="katex"><span class="katex-mathml"><math><mi>x</mi>{TEX}</math></span>'
            '<span class="katex-html"><span>x</span><span>2</span></span></span>'
        ),
        "$x^2$",
    ),
    "drawn before it": (
        (
            "<mjx-container><mjx-math><mjx-mi>x</mjx-mi></mjx-math>"
            "<mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>"
        ),
        "x^2",
    ),
    "picture beside it": (
        f'<span><span><math><mi>x</mi>{TEX}</math></span><img class="mwe-math-fallback" alt="x^2" src="/m"></span>',
        "$x^2$",
    ),
    "picture alone": (r'<img class="tex" alt="{\displaystyle x^{2}}" src="/m.png">', "$x^{2}$"),
    "fraction": ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b+1)"),
    "root": ("<math><msqrt><mi>a</mi></msqrt><mo>=</mo><mn>2</mn></math>", "sqrt(a) = 2"),
    "third root": ("<math><mroot><mi>a</mi><mn>3</mn></mroot></math>", "root(a, 3)"),
    "both indices": ("<math><msubsup><mi>a</mi><mn>1</mn><mn>2</mn></msubsup></math>", "a_1^2"),
    "inside one another": ("<math><mi>a</mi><math><mi>b</mi></math></math>", "ab"),
}


@pytest.mark.parametrize(("page", "text"), MATHS.values(), ids=MATHS)
def test_a_formula_is_told_once(page: str, text: str) -> None:
    assert written(f"<p>So {page} holds.</p>") == f"So {text} holds."


def test_a_formula_of_very_many_parts_is_its_bare_text() -> None:
    text = written(f"<p><math>{'<mrow>' * 300}{'<mi>x</mi>' * 300}</math></p>")
    assert text == "x" * 300
