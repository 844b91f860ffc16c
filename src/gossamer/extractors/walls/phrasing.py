"""How the words of walls are looked for: anywhere, as a whole heading, or as what a sentence begins with."""

import re

_EXCLAIMS = (
    r"(?:(?:hm{1,3}|oups|oops|ooops|sorry|whoops|uh[- ]?oh|hoppla|ups|oh no|desolé|désolé|lo sentimos)\b[\s,.!:;…–-]*)?"
)
_COURTESIES = (
    r"please|sorry|oops|we['’]re sorry|let['’]?s|let us|to (?:continue|proceed)|in order to continue|but|"
    r"before (?:we|you) continue|bitte|leider|um fortzufahren|veuillez|merci de|désolé|(?:pour|afin de) continuer|"
    r"por favor|lo sentimos|para continuar|per favore|per continuare|пожалуйста|чтобы продолжить|для продолжения|"
    r"прежде чем продолжить|proszę|aby kontynuować|lütfen|devam etmek için|om door te gaan"
)
_AIM = r"(?:(?:to|um|para|pour|per|чтобы|для)\s[^.,!?]{3,50},\s)?"


def either(*phrases: str) -> str:
    """A part of a pattern: one of them."""
    return f"(?:{'|'.join(phrases)})"


def anywhere(*phrases: str) -> re.Pattern[str]:
    """For `search`."""
    return re.compile("|".join(phrases), re.IGNORECASE)


def whole(*phrases: str) -> re.Pattern[str]:
    """For `fullmatch`: a heading that says this and nothing else, but for exclamations round it."""
    return re.compile(rf"\W{{0,3}}{_EXCLAIMS}(?:{'|'.join(phrases)})[\s.,!?…:;()）]*", re.IGNORECASE)


def opening(*phrases: str) -> re.Pattern[str]:
    """For `match`: a sentence that begins with it, a courtesy or what it is for apart.

    What a page says to its visitor opens a sentence; what it reports stands amid one.
    """
    before = rf"\W{{0,3}}(?:(?:{_COURTESIES})(?!\w)[\s,.!:…–-]{{0,3}}){{0,3}}{_AIM}"
    return re.compile(rf"{before}(?:{'|'.join(phrases)})", re.IGNORECASE)
