"""The promise list: every requirement of the five specifications on a line of its own, and what became of it.

A line of `cases/promises/NNN.tsv` has four columns: its id, the specification's own words, the tests that prove it, and
a remark. A line is in one of three states:

- proven: tests, and no remark. Each of its tests fails when the behaviour is taken out.
- different: the remark is `ROW: reason`, where ROW is the row of `docs/mcp-servers.md` that tells where we differ on
  purpose. Its tests, if any, prove what we do instead.
- open: the remark is `open: reason`. It is not kept, no test carries it, and the document lists it as open.

A test tells by `@pytest.mark.promise("003.7")` which lines it proves.
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
_OPEN_ROW = re.compile(r"^\| (00[0-4]\.[1-9][0-9]*) \|", re.MULTILINE)
_OPEN = "open"


@dataclass(frozen=True, kw_only=True, slots=True)
class Promise:
    """One requirement."""

    number: str
    quote: str
    tests: tuple[str, ...] = ()
    row: str = ""
    """The row of the document that tells where we differ; `open` where the requirement is not kept."""
    why: str = ""

    @property
    def is_open(self) -> bool:
        """It is not kept."""
        return self.row == _OPEN

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
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.promise":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def rows(document: str) -> set[str]:
    """The rows of the document that tell where we differ, by their anchors."""
    return set(_ROW.findall(document))


def open_rows(document: str) -> set[str]:
    """The requirements that the document lists as open, by their ids."""
    return set(_OPEN_ROW.findall(document))


def one_spaced(text: str) -> str:
    """A text with all white space alike, so that a quote may cross a line."""
    return " ".join(text.split())


def complaints(
    promises: list[Promise], tests: Mapping[str, tuple[str, ...]], document: str, least: int = LEAST
) -> list[str]:
    """What does not fit together, one sentence each."""
    known = {promise.number: promise for promise in promises}
    problems = [] if len(promises) >= least else [f"{len(promises)} promises are fewer than {least}"]
    problems += _in_itself(promises, tests, rows(document))
    problems += _open(promises, open_rows(document))
    for test, numbers in tests.items():
        problems += [f"{test} proves {number}, which is not in the list" for number in numbers if number not in known]
        problems += [
            f"{test} proves {number}, which {'is open' if known[number].is_open else 'names other tests'}"
            for number in numbers
            if number in known and test not in known[number].tests
        ]
        problems += [f"{test} names a promise twice"] if len(set(numbers)) < len(numbers) else []
    unused = rows(document) - {promise.row for promise in promises}
    return problems + [f"the row {row} tells of a difference that no promise has" for row in sorted(unused)]


def _in_itself(promises: list[Promise], tests: Mapping[str, tuple[str, ...]], told: set[str]) -> Iterator[str]:
    seen: set[str] = set()
    for promise in promises:
        if not _ID.fullmatch(promise.number):
            yield f"{promise.number} is no id"
        if promise.number in seen:
            yield f"{promise.number} is there twice"
        if f"{promise.specification} {promise.quote}" in seen:
            yield f"{promise.number} says what another line says"
        seen |= {promise.number, f"{promise.specification} {promise.quote}"}
        if not (promise.tests or promise.row):
            yield f"{promise.number} has neither a test nor a difference"
        if promise.row and not promise.is_open and (promise.row not in told or not promise.why):
            yield f"{promise.number} differs as in {promise.row}, which the document does not tell, or gives no reason"
        for test in promise.tests:
            if test not in tests:
                yield f"{promise.number} names {test}, which is no test"
            elif promise.number not in tests[test]:
                yield f"{promise.number} names {test}, whose mark does not name it"


def _open(promises: list[Promise], listed: set[str]) -> Iterator[str]:
    """What is wrong with the requirements that are not kept."""
    still_open = [promise for promise in promises if promise.is_open]
    for promise in still_open:
        if promise.tests:
            yield f"{promise.number} is open, and a test carries it"
        if not promise.why:
            yield f"{promise.number} is open without a reason"
    for number in sorted({promise.number for promise in still_open} ^ listed):
        yield f"{number} is open in the list or in the document alone"


def misquoted(promises: list[Promise], specifications: Path = SPECIFICATIONS) -> list[str]:
    """Promises whose words their specification does not hold."""
    texts = {
        file.name[:3]: one_spaced(file.read_text(encoding="utf-8")) for file in specifications.glob("00[0-4]_*.txt")
    }
    return [promise.number for promise in promises if one_spaced(promise.quote) not in texts[promise.specification]]
