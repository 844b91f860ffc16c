"""Evidence: what all that was read says together about whether the question is answered at all."""

from typing import TYPE_CHECKING

from gossamer.steps.answers.features import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OF_BEST = (
    "bm25_raw", "exact", "soft", "context_exact", "context_soft", "passage_exact", "passage_soft", "head_soft",
    "heaviest", "heaviest_context", "heaviest_passage", "missing", "missing_passage", "close", "pairs", "fits",
    "focus", "numbers", "names", "defines", "causes", "means", "dangles", "nth", "length", "page", "score",
    "negates", "row", "code",
)  # fmt: skip
_OF_ANY = (
    "bm25_raw", "exact", "soft", "context_soft", "passage_exact", "passage_soft", "heaviest_context",
    "heaviest_passage", "close", "pairs", "score", "focus",
)  # fmt: skip
_OF_ALL = ("asked", "statements")
_PLACES = 3


def evidence(rows: Rows, likely: "NDArray[np.float64]") -> "tuple[tuple[str, ...], NDArray[np.float32]]":
    """One row of numbers: of the statement that most likely answers, of the best of each kind, and of the question."""
    import numpy as np

    place = {name: number for number, name in enumerate(rows.names)}
    order = np.argsort(-likely, kind="stable")
    best = rows.values[order[0]]
    ranked = [float(likely[order[nth]]) if nth < len(order) else 0.0 for nth in range(_PLACES)]
    row: dict[str, float] = {f"likely_{nth}": value for nth, value in enumerate(ranked)}
    row["likely_all"] = 1 - float(np.prod(1 - likely[order[:8]]))
    row |= {f"best_{name}": float(best[place[name]]) for name in _OF_BEST}
    row |= {f"any_{name}": float(rows.values[:, place[name]].max()) for name in _OF_ANY}
    row["least_missing"] = float(rows.values[:, place["missing_passage"]].min())
    near = rows.near.max(axis=0) if rows.near.size else np.zeros(0, np.float32)
    row["covered"] = float(near @ rows.weights / max(1e-6, float(rows.weights.sum()))) if len(near) else 0.0
    row["lowest"] = float(near.min()) if len(near) else 0.0
    row["absent"] = float((near < 1).sum())
    row |= _lacks("best", rows.near[order[0]], rows)
    row |= _lacks("beside", rows.context[order[0]], rows)
    row |= _lacks("anywhere", rows.context.max(axis=0), rows)
    row |= {name: float(best[place[name]]) for name in (*_OF_ALL, *(n for n in rows.names if n.startswith("asks_")))}
    return tuple(row), np.array([list(row.values())], np.float32)


def _lacks(name: str, near: "NDArray[np.float32]", rows: Rows) -> dict[str, float]:
    """What of the question is lacking there: how many words, how near the two worst come, and of names and numbers."""
    import numpy as np

    low = np.sort(near)
    heavy = near[np.array(rows.heavy, bool)] if len(near) else near
    return {
        f"{name}_lacks": float((near < 1).sum()),
        f"{name}_lowest": float(low[0]) if len(low) else 0.0,
        f"{name}_second": float(low[1]) if len(low) > 1 else 1.0,
        f"{name}_heavy": float(len(heavy)),
        f"{name}_heavy_lacks": float((heavy < 1).sum()),
    }
