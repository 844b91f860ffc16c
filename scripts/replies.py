"""Everything that was recorded of any search service, as a reader would see it: one page, to be read by people.

    python scripts/replies.py            writes .cache/replies.md

Each recorded case stands there with what came of it: the list of results, or the error with its next step. Titles and
snippets hold no markup, dates are right, the order is the service's: no test can judge that as well as a look.
"""

import sys
from dataclasses import fields
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from gossamer.errors import GossamerError  # noqa: E402
from gossamer.model.search import Details, Found  # noqa: E402
from gossamer.providers import PROVIDERS  # noqa: E402
from gossamer.testing.recorded import Case, folders, replay, sample  # noqa: E402

CASES = ROOT / "tests" / "cases" / "providers"
PAGE = ROOT / ".cache" / "replies.md"


def shown(case: Case) -> list[str]:
    """One case as lines."""
    statuses = ", ".join(str(reply.status) for reply in case.replies)
    asked = f'"{case.query.text}" ({case.query.category}, {case.query.count} at most)'
    head = [f"## {case.name}", f"asked {asked}, answered {statuses}", ""]
    try:
        found = replay(sample(case.made), case.query, case.replies)
    except GossamerError as error:
        wait = "" if error.retry_after_s is None else f" [again in {error.retry_after_s:g} s]"
        return [*head, f"{error.outcome.upper()}: {error.message} NEXT: {error.hint}{wait}", ""]
    return [*head, *listed(found), ""]


def listed(found: Found) -> list[str]:
    """What was found, numbered."""
    lines: list[str] = []
    for number, hit in enumerate(found.hits, 1):
        dated = f"  ({hit.published})" if hit.published else ""
        lines += [f"{number}. {hit.title}{dated}  [{hit.engine}]", f"   {hit.url}", f"   {hit.snippet}"]
        told = {one.name: getattr(hit.details, one.name) for one in fields(Details)}
        lines += [f"   {name}: {value}" for name, value in told.items() if value not in ("", None, ())]
    said = {"total": found.total, "suggestions": found.suggestions, "engines": found.engines, "note": found.note}
    lines += [f"{name}: {value}" for name, value in said.items() if value]
    return lines or ["NO MATCH"]


def main() -> None:
    """Write the page and say where it is."""
    cases = [Case.load(folder, made) for name, made in PROVIDERS.items() for folder in folders(CASES / name)]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(line for case in cases for line in shown(case)), "utf-8")
    print(f"{len(cases)} cases: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
