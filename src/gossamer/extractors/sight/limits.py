"""What is beyond what we follow of a style sheet: a page that goes there is not read, rather than half understood."""

from gossamer.errors import TooComplex


def too_complex() -> TooComplex:
    """The error of a page whose style sheets ask for more than any honest one."""
    return TooComplex(
        "The page has style sheets too complex to tell what it hides.",
        hint="It is not read; look for another source.",
    )
