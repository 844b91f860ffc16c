"""Tables of short spellings, written as they are read best: one line of `code:spelling` after the other."""


def table(pairs: str) -> dict[str, str]:
    """`AT:austria GB:united_kingdom` as a table; an underscore stands for a space."""
    split = (pair.partition(":") for pair in pairs.split())
    return {code: spelling.replace("_", " ") for code, _, spelling in split}
