"""Animations: those that end in hiding, or never show, hide; those that only pass through it do not."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
LINE = "The harbour master keeps his dog in the lighthouse all winter."
OUT = "@keyframes out{to{opacity:0}}"
IN = "@keyframes in{from{opacity:0}to{opacity:1}}"
FADE = "@keyframes f{to{opacity:1}}"
FADED = ".x{opacity:0}.x"


def shows(css: str) -> bool:
    page = f"<title>Lamps</title><style>{css}</style><article><h1>Lamps</h1>{SAID}<p class=x>{LINE}</p>{SAID}</article>"
    return LINE in read_html(page, url="https://a.example/", view=View(selector="article")).text


HIDING = {
    "it ends unseen and stays so": f"{OUT}.x{{animation:out 0s forwards}}",
    "in words of their own": f"{OUT}.x{{animation-name:out;animation-fill-mode:both}}",
    "another name for it": "@-webkit-keyframes out{100%{visibility:hidden}}.x{-webkit-animation:1s out forwards}",
    "every step hides": "@keyframes never{0%,100%{opacity:0}50%{opacity:0}}.x{animation:never 3s infinite}",
    "it never begins": f"{IN}.x{{animation:in 1s paused both}}",
    "far away in the end": "@keyframes off{to{transform:translateX(-9999px)}}.x{animation:off 1s forwards}",
    "a name with a capital": "@keyframes fadeOut{to{opacity:0}}.x{animation:1s fadeOut FORWARDS}",
    "a name with a capital by a variable": (
        "@keyframes fadeOut{to{opacity:0}}.x{--a:1s fadeOut forwards;animation:var(--a)}"
    ),
    "the end by another figure": "@keyframes out{100.0%{opacity:0}}.x{animation:out 1s forwards}",
    "a name in quotes": "@keyframes 'out'{to{opacity:0}}.x{animation:'out' 1s forwards}",
    "it ends where it began": f"{IN}.x{{animation:in 1s 2 alternate forwards}}",
    "it runs backwards": f"{IN}.x{{animation:in 1s both;animation-direction:reverse}}",
    "it waits for ever to begin": f"{IN}.x{{animation:in 1s 100000s both}}",
    "the last of two hides": f"{FADE}{OUT}{FADED}{{animation:f 1s forwards, out 1s forwards}}",
}
UNSHOWN = {
    "it does not stay": "{animation:f 1s}",
    "it stays by a word that the shorthand takes back": "{animation-fill-mode:forwards;animation:f 1s}",
    "it never ends": "{animation:f 1s infinite forwards}",
    "it is paused": "{animation:f 1s forwards paused}",
    "it is paused elsewhere": "{animation:f 1s forwards;animation-play-state:paused}",
    "it begins too late": "{animation:f 1s 9999s forwards}",
    "it begins too late, said elsewhere": "{animation:f 1s forwards;animation-delay:1e6s}",
    "it takes too long": "{animation:f 3600s forwards}",
    "it is repeated too often": "{animation:f 1s 9999 forwards}",
    "its end is turned round": "{animation:f 1s reverse forwards}",
    "it is made for no time": "{animation:f 1s forwards;animation-timeline:--none}",
    "its pace ends at nothing": "{animation:f 1s linear(0, 0) forwards}",
    "what hides is important": "{opacity:0!important;animation:f 1s forwards}",
    "it is not displayed": "{display:none;animation:f 1s forwards}",
    "it is hidden otherwise too": "{font-size:0;animation:f 1s forwards}",
    "there is none": "{animation:none 1s forwards}",
    "only a change": "{transition:opacity 1s}",
}
UNSAID = {
    "of another name": "@keyframes g{to{opacity:1}}",
    "of another name by its capital": "@keyframes F{to{opacity:1}}",
    "in a comment": "/*@keyframes f{to{opacity:1}}*/",
    "in a text": "a{content:'@keyframes f{to{opacity:1}}'}",
    "on paper": "@media print{@keyframes f{to{opacity:1}}}",
    "on paper, with a brace in a text": "@media print{a{content:'}'}@keyframes f{to{opacity:1}}}",
    "on paper, with a brace in an address": "@media print{a{background:url(})}@keyframes f{to{opacity:1}}}",
    "on paper, with a brace in brackets": "@media print{a{b:(})}@keyframes f{to{opacity:1}}}",
    "on paper the second time": "@keyframes f{to{color:red}}@media print{@keyframes f{to{opacity:1}}}",
    "said in two ways": "@keyframes f{to{opacity:1}}@keyframes f{to{opacity:0}}",
    "important": "@keyframes f{to{opacity:1!important}}",
    "a variable": "@keyframes f{to{opacity:var(--x)}}",
    "too faint": "@keyframes f{to{opacity:.01}}",
    "in between": "@keyframes f{50%{opacity:1}}",
    "of something else": "@keyframes f{to{color:red}}",
    "far away": "@keyframes f{to{opacity:1;transform:translateX(-9999px)}}",
}
SHOWN = {
    "it fades in and stays": "{animation:f 1s forwards}",
    "in any order": "{animation:forwards .5s ease-in-out 200ms f}",
    "in words of their own": "{animation-name:f;animation-duration:1s;animation-fill-mode:both}",
    "by other names": "{-webkit-animation:f 1s;-webkit-animation-fill-mode:both}",
    "with a curve": "{animation:f 1s cubic-bezier(.2, 0, 0, 1) .1s both}",
    "in steps": "{animation:f 8s steps(1,end) 0s 1 normal both}",
    "three times to and fro": "{animation:f 1s 3 alternate forwards}",
    "beside another": "{animation:f 1s forwards, spin 3s infinite}",
    "by a variable": "{--a:f 1s forwards;animation:var(--a)}",
}
ARRIVED = {
    "from below": "@keyframes f{from{opacity:0;transform:translateY(40px)}to{opacity:1;transform:translateY(0)}}",
    "twice the same": "@-webkit-keyframes f{100%{opacity:1}}@keyframes f{100%{opacity:1}}",
    "behind other rules": "a{color:red}@media print{a{color:blue}}@keyframes f{0%{opacity:0}100%{opacity:1}}",
    "an end in two parts": "@keyframes f{to{opacity:1}50%,100%{transform:none}}",
}
SHOWING = {
    "it ends and is undone": f"{OUT}.x{{animation:out 1s}}",
    "it comes and goes": f"{OUT}.x{{animation:out 1s infinite forwards}}",
    "it fades in": f"{IN}.x{{animation:in 1s both}}",
    "one step in between hides": "@keyframes blink{0%,100%{opacity:1}50%{opacity:0}}.x{animation:blink 1s forwards}",
    "another part is animated": f"{OUT}.y{{animation:out 1s forwards}}",
    "nothing of that name": ".x{animation:out 1s forwards}",
    "it waits to begin, and is seen meanwhile": f"{IN}.x{{animation:in 1s paused}}",
}


@pytest.mark.parametrize("css", HIDING.values(), ids=HIDING)
def test_an_animation_that_comes_to_hiding_hides(css: str) -> None:
    assert not shows(css)


@pytest.mark.parametrize("css", SHOWING.values(), ids=SHOWING)
def test_an_animation_that_shows_in_the_end_does_not(css: str) -> None:
    assert shows(css)


@pytest.mark.parametrize("rule", SHOWN.values(), ids=SHOWN)
def test_what_fades_in_is_shown(rule: str) -> None:
    assert shows(f"{FADE}{FADED}{rule}")


@pytest.mark.parametrize("rule", UNSHOWN.values(), ids=UNSHOWN)
def test_what_nobody_waits_for_is_not_shown(rule: str) -> None:
    assert not shows(f"{FADE}{FADED}{rule}")


@pytest.mark.parametrize("steps", ARRIVED.values(), ids=ARRIVED)
def test_steps_that_end_in_sight_show(steps: str) -> None:
    assert shows(f"{FADED}{{animation:f 1s forwards}}{steps}")


@pytest.mark.parametrize("steps", UNSAID.values(), ids=UNSAID)
def test_steps_that_are_not_certain_show_nothing(steps: str) -> None:
    assert not shows(f"{FADED}{{animation:f 1s forwards}}{steps}")


@pytest.mark.parametrize(
    ("hidden", "end"),
    [
        ("visibility:hidden", "visibility:visible"),
        ("transform:scale(0)", "transform:scale(1)"),
        ("position:relative;left:-9999px", "left:0"),
        ("max-height:0;overflow:hidden", "max-height:40em"),
        ("filter:opacity(0)", "filter:none"),
    ],
)
def test_an_animation_shows_by_whatever_hid(hidden: str, end: str) -> None:
    assert shows(f"@keyframes f{{to{{{end}}}}}.x{{{hidden};animation:f 1s forwards}}")
    assert not shows(f"@keyframes f{{to{{{end}}}}}.x{{{hidden};animation:f 1s}}")


def test_a_name_keeps_its_capitals() -> None:
    assert shows(f"@keyframes fadeIn{{to{{opacity:1}}}}{FADED}{{animation:fadeIn 1s ease-OUT Forwards}}")
    assert not shows(f"@keyframes fadeIn{{to{{opacity:1}}}}{FADED}{{animation:fadein 1s forwards}}")


def test_a_page_that_fades_in_part_by_part_is_read_whole() -> None:
    css = "@keyframes f{to{opacity:1}}.s{opacity:0;animation:f 1s forwards}.s:nth-child(2){animation-delay:.2s}"
    parts = "".join(f"<section class=s><h2>Part {n}</h2>{SAID}</section>" for n in range(4))
    text = read_html(f"<style>{css}</style><main>{parts}</main>", url="https://a.example/", view=View()).text
    assert [f"Part {n}" in text for n in range(4)] == [True] * 4
