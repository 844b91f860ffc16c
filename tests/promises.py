"""The promise list: every requirement of the five specifications on a line of its own, and what became of it.

A line of `cases/promises/NNN.tsv` has four columns: its id, the specification's own words, the tests that prove it, and
where we differ on purpose the row of `docs/mcp-servers.md` that says so. A test tells by
`@pytest.mark.promise("003.7")` which lines it proves.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTS = ROOT / "tests" / "cases" / "promises"
DOCUMENT = ROOT / "docs" / "mcp-servers.md"
SPECIFICATIONS = ROOT.parent / "shared" / "seeds"
LEAST = 300
_ID = re.compile(r"(00[0-4])\.([1-9][0-9]*)")
_ROW = re.compile(r'^\| <a id="([a-z0-9-]+)"></a>', re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Promise:
    """One requirement."""

    number: str
    quote: str
    tests: tuple[str, ...] = ()
    row: str = ""
    """The row of the document that tells where we differ."""
    why: str = ""

    @property
    def specification(self) -> str:
        """The three digits of the specification that says it."""
        return self.number.partition(".")[0]


def read(folder: Path = LISTS) -> list[Promise]:
    """Every line of every list."""
    return [_promise(line) for file in sorted(folder.glob("*.tsv")) for line in _lines(file)]


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def _promise(line: str) -> Promise:
    number, quote, tests, differs = line.split("\t")
    row, _, why = differs.partition(": ")
    return Promise(number=number, quote=quote, tests=tuple(tests.split()), row=row, why=why)


def marked(folder: Path = ROOT / "tests") -> dict[str, tuple[str, ...]]:
    """Every test by its path and name, and the promises that its mark names."""
    return {
        f"{file.relative_to(folder.parent).as_posix()}::{name}": numbers
        for file in sorted(folder.rglob("test_*.py"))
        for name, numbers in _marked_in(ast.parse(file.read_text(encoding="utf-8")).body)
    }


def _marked_in(body: Iterable[ast.stmt], within: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _marked_in(node.body, f"{within}{node.name}::")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield within + node.name, tuple(_numbers(node.decorator_list))


def _numbers(decorators: Iterable[ast.expr]) -> Iterator[str]:
    for one in decorators:
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "pytest.mark.promise":
            yield from (ast.literal_eval(argument) for argument in one.args)


def rows(document: str) -> set[str]:
    """The rows of the document that tell where we differ, by their anchors."""
    return set(_ROW.findall(document))


def said(text: str) -> str:
    """A text with all white space alike, so that a quote may cross a line."""
    return " ".join(text.split())


def complaints(
    promises: list[Promise], tests: Mapping[str, tuple[str, ...]], told: set[str], least: int = LEAST
) -> list[str]:
    """What does not fit together, one sentence each."""
    known = {promise.number: promise for promise in promises}
    found = [] if len(promises) >= least else [f"{len(promises)} promises are fewer than {least}"]
    found += _in_itself(promises, tests, told)
    for test, numbers in tests.items():
        found += [f"{test} proves {one}, which is not in the list" for one in numbers if one not in known]
        found += [
            f"{test} proves {one}, which names other tests"
            for one in numbers
            if one in known and test not in known[one].tests
        ]
        found += [f"{test} names a promise twice"] if len(set(numbers)) < len(numbers) else []
    unused = told - {promise.row for promise in promises}
    return found + [f"the row {row} tells of a difference that no promise has" for row in sorted(unused)]


def _in_itself(promises: list[Promise], tests: Mapping[str, tuple[str, ...]], told: set[str]) -> Iterator[str]:
    seen: set[str] = set()
    for one in promises:
        if not _ID.fullmatch(one.number):
            yield f"{one.number} is no id"
        if one.number in seen:
            yield f"{one.number} is there twice"
        if f"{one.specification} {one.quote}" in seen:
            yield f"{one.number} says what another line says"
        seen |= {one.number, f"{one.specification} {one.quote}"}
        if not (one.tests or one.row):
            yield f"{one.number} has neither a test nor a difference"
        if one.row and (one.row not in told or not one.why):
            yield f"{one.number} differs as in {one.row}, which the document does not tell, or gives no reason"
        for test in one.tests:
            if test not in tests:
                yield f"{one.number} names {test}, which is no test"
            elif one.number not in tests[test]:
                yield f"{one.number} names {test}, whose mark does not name it"


def misquoted(promises: list[Promise], specifications: Path = SPECIFICATIONS) -> list[str]:
    """Promises whose words their specification does not hold."""
    texts = {file.name[:3]: said(file.read_text(encoding="utf-8")) for file in specifications.glob("00[0-4]_*.txt")}
    return [one.number for one in promises if said(one.quote) not in texts[one.specification]]
