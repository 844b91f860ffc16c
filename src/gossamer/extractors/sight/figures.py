"""Numbers as style sheets write them: however many digits one has, each is looked at once.

Where digits could be shared out between two parts of a pattern, all ways would be tried before it gives up. So the
quantifiers are possessive: what a part has taken it keeps.
"""

FIGURE = r"(?:\d++(?:\.\d*+)?|\.\d++)"
"""A number without its sign."""
EXPONENT = r"(?:e[+-]?\d++)?"
