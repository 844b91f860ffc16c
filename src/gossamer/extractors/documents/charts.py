"""Charts of office formats: what they show as a table, out of the values that the document keeps of them."""

from html import escape

from gossamer.extractors.documents.blocks import Blocks
from gossamer.extractors.documents.xml import all_text, below, child, children, value, whole
from gossamer.extractors.tree import Element

MAX_SERIES = 20
MAX_POINTS = 200


def tell_chart(root: Element, blocks: Blocks) -> None:
    """Tell a chart's title, and a row for each category with the value of every series."""
    title = child(root, "chart", "title", "tx", "rich")
    if title is not None:
        blocks.paragraph(escape(" ".join(all_text(title).split()), quote=False))
    series = list(below(root, "ser"))[:MAX_SERIES]
    columns = [_points(one, "val", "yVal") for one in series]
    if not any(columns):
        return
    names = [_points(one, "tx").get(0, "") for one in series]
    labels: dict[int, str] = {}
    for one in series:
        labels = _points(one, "cat", "xVal") | labels
    places = sorted({*labels, *(at for column in columns for at in column)})[:MAX_POINTS]
    blocks.table([["", *names], *([labels.get(at, ""), *(one.get(at, "") for one in columns)] for at in places)])


def _points(series: Element, *names: str) -> dict[int, str]:
    """The kept points of one of a series' parts, by their places."""
    points = (point for part in children(series, *names) for point in below(part, "pt"))
    return {
        whole(value(point, "idx")): escape("".join(map(all_text, children(point, "v"))).strip(), quote=False)
        for point in points
    }
