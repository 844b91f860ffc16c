"""Truncates many texts to what a model reads in good time, keeping the beginning of each."""

from collections.abc import Sequence


def beginnings(texts: Sequence[str], *, most: int) -> list[str]:
    """The texts as they are, or if they have more than `most` characters together, of each an equal share at most."""
    if sum(map(len, texts)) <= most:
        return list(texts)
    share = max(1, most // len(texts))
    return [text[:share] for text in texts]
