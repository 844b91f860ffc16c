"""Text hidden by values that stand for others: variables, declared variables, conditions, attributes, sums."""

import pytest

from tests.unit.extractors.html.visibility.test_hidden_ways import KEPT, SECRET, page, text_of

_PROPERTY = "@property --x{syntax:'*';inherits:false;initial-value:none}"
HIDING = {
    "the first value of a variable": f"{_PROPERTY} .x{{display:var(--x)}}",
    "a declared variable that is not taken over": f"{_PROPERTY} article{{--x:block}} .x{{display:var(--x)}}",
    "a declared variable made new": (
        "@property --x{syntax:'*';inherits:true;initial-value:none} article{--x:block}.x{--x:initial;display:var(--x)}"
    ),
    "a declared variable of the wrong kind": (
        "@property --o{syntax:'<number>';inherits:false;initial-value:0} .x{--o:banana;opacity:var(--o)}"
    ),
    "declared for a screen": f"@media screen{{{_PROPERTY}}} .x{{display:var(--x)}}",
    "declared without saying what it is": "@property --x{initial-value:block} .x{display:var(--x, none)}",
    "declared with a value of another kind": (
        "@property --x{syntax:'<number>';inherits:false;initial-value:red} .x{opacity:var(--x, 0)}"
    ),
    "a variable taken over by name": "article{--x:none} .x{--x:inherit;display:var(--x)}",
    "a variable taken over when unset": "article{--x:none} .x{--x:unset;display:var(--x)}",
    "a variable that has lost its value": "article{--x:block} .x{--x:initial;display:var(--x,none)}",
    "another for another for another": ".x{display:var(--a,var(--b,var(--c,none)))}",
    "variables in a circle": ".x{--a:var(--b,block);--b:var(--a,block);display:var(--a,none)}",
    "a variable of a variable without a value": ".x{--a:var(--gone);display:var(--a,none)}",
    "many empty variables": f".x{{--e:;display:{'var(--e)' * 300} none}}",
    "a condition and its other case": ".x{display:if(style(--y:1):block;else:none)}",
    "a condition of a variable": ".x{--y:1;display:if(style(--y:1):none;else:block)}",
    "a condition that a variable is there": ".x{--y:1;display:IF(style(--y) and style(--y:1):none;else:block)}",
    "a condition of the screen": ".x{display:if(media(width > 1px):none;else:block)}",
    "a condition of screens": ".x{display:if(media(screen):none;else:block)}",
    "a condition turned round": ".x{display:if(not media(print):none;else:block)}",
    "one condition of two": ".x{display:if(media(print) or media(screen):none;else:block)}",
    "a condition of support": ".x{display:if(supports(display:grid):none;else:block)}",
    "a condition nobody can tell": ".x{display:if(style(display:grid):none;else:block)}",
    "a condition nobody can tell, shown": ".x{display:if(style(--y > 1):block;else:none)}",
    "conditions that make no sense": ".x{display:if(media(print) xor media(print):none;else:block)}",
    "a condition in a sum of sides": ".x{margin:if(media(print):0;else:0 0 0 -9999px)}",
    "a condition in a variable": ".x{--y:if(else:none);display:var(--y)}",
    "an attribute that is not there": ".x{display:attr(data-d type(*),none)}",
    "a number in an attribute": ".x{opacity:attr(data-o type(<number>),1)}",
    "a length in an attribute": ".x{font-size:attr(data-o px)}",
    "an attribute of the wrong kind": ".x{opacity:attr(class type(<number>),0)}",
}
SHOWING = {
    "the first value of a variable": f"{_PROPERTY.replace('none', 'block')} .x{{display:var(--x)}}",
    "a declared variable that is taken over": (
        "@property --x{syntax:'none | block';inherits:true;initial-value:none} article{--x:block}.x{display:var(--x)}"
    ),
    "a declared variable of its kind": (
        "@property --o{syntax:'<number>';inherits:false;initial-value:0} .x{--o:1;opacity:var(--o)}"
    ),
    "a variable without a value": ".x{display:var(--gone)}",
    "variables in a circle": ".x{--a:var(--b,none);--b:var(--a,none);display:var(--a,block)}",
    "a condition that does not hold": ".x{display:if(media(print):none;style(--y:1):none)}",
    "a condition that holds": ".x{display:if(supports(display:grid):block;else:none)}",
    "a condition whose cases both show": ".x{display:if(style(color:red):block;else:flow-root)}",
    "a text in an attribute": ".x{display:attr(data-d)}",
    "an attribute in a text": ".x::before{content:attr(data-d)} .x{opacity:attr(data-o type(*),1)}",
    "an attribute without a number": ".x{font-size:attr(class px)}",
}
SUMS = {
    "least of two": "opacity:min(0,1)",
    "between two": "opacity:clamp(0,0,1)",
    "without its sign": "font-size:abs(0px)",
    "its sign": "opacity:sign(0)",
    "rounded": "opacity:round(0.2,1)",
    "what is left": "opacity:mod(2,2)",
    "what is left, as others count": "opacity:rem(4,2)",
    "of an angle": "opacity:sin(0)",
    "a power": "opacity:pow(0,2)",
    "a root": "opacity:sqrt(0)",
    "of a circle": "opacity:calc(0*pi)",
    "without end": "text-indent:calc(-infinity * 1px)",
    "scaled": "scale:min(0,1)",
    "never closed": "opacity:calc(0 + (0",
    "of many": f"opacity:calc({'0 + ' * 200}0)",
    "rounded down": "opacity:round(down, .9, 1)",
    "a font": "font:calc(1px) serif",
}
_PROBE = "<p class=x id=i data-o=0><b>{}</b></p>"


@pytest.mark.parametrize("css", HIDING.values(), ids=HIDING)
def test_a_value_that_comes_to_hide_hides(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(_PROBE.format(SECRET), f"<style>{css}</style>"))


@pytest.mark.parametrize("css", SHOWING.values(), ids=SHOWING)
def test_a_value_that_comes_to_show_costs_nothing(css: str) -> None:
    assert KEPT in text_of(page(f"<p class=x data-d=none>{KEPT}</p>", f"<style>{css}</style>"))


@pytest.mark.parametrize("css", SUMS.values(), ids=SUMS)
def test_a_sum_that_comes_to_nothing_hides(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(f"<p style='{css}'>{SECRET}</p>"))


@pytest.mark.parametrize(
    "css",
    [
        f".x{{display:{'var(--a,' * 250}none{')' * 250}}}",
        f".x{{display:{'var(--e)' * 3_000} none}}",
        "".join(f".x{{--v{n}:{f'var(--v{n + 1})' * 9}}}" for n in range(30)) + ".x{--v30:none;display:var(--v0)}",
        f".x{{opacity:calc({'0 + ' * 600}0)}}",
        f".x{{opacity:calc{'(' * 1_900}0)}}",
    ],
    ids=["too deep", "too long", "ninefold", "a sum without end", "brackets without end"],
)
def test_values_beyond_what_is_followed_count_as_hiding(css: str) -> None:
    assert "SECRET-WORD" not in text_of(page(_PROBE.format(SECRET), f"<style>{css}</style>"))
