"""Every relative link and anchor of README.md, docs/ and their neighbours leads somewhere."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
        *ROOT.glob(".github/**/*.md"),
    ]
)
_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1`*[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def prose(text: str) -> str:
    """A page without its code, in which brackets mean something else."""
    return _CODE.sub("", _FENCED.sub("", text))


def links(text: str) -> list[str]:
    """The targets of a page's links."""
    return _LINK.findall(prose(text))


def anchors(text: str) -> set[str]:
    """The names that a link to this page may end with: GitHub's names of headings, and explicit ones."""
    names = set(_ANCHOR.findall(text))
    seen: Counter[str] = Counter()
    for heading in _HEADING.findall(_FENCED.sub("", text)):
        words = re.sub(r"<[^>]+>|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = _NOT_IN_ANCHORS.sub("", words.lower()).replace(" ", "-")
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def trouble(page: Path, target: str) -> str:
    """Why a link of a page leads nowhere; empty: it leads somewhere, or out of the repository."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return ""
    path, _, anchor = target.partition("#")
    goal = (page.parent / path).resolve() if path else page
    if not goal.is_relative_to(ROOT) or not goal.exists():
        return f"{target}: no such file"
    if anchor and anchor not in anchors(goal.read_text(encoding="utf-8")):
        return f"{target}: no such heading"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [complaint for target in links(text) if (complaint := trouble(page, target))] == []


@pytest.mark.parametrize("folder", ["docs", "docs/decisions", "docs/lab"])
def test_every_page_is_linked_from_the_index_of_its_folder(folder: str) -> None:
    index = ROOT / folder / ("index.md" if folder == "docs" else "README.md")
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in links(index.read_text("utf-8"))}
    assert [page.name for page in sorted((ROOT / folder).glob("*.md")) if page != index and page not in linked] == []


def test_links_in_code_are_no_links_and_headings_in_code_no_anchors() -> None:
    text = (
        "# One\n\n```md\n# Two\n[a](b.md)\n```\n\n`[c](d.md)` [e](f.md#g)\n\n## One\n\n## `x`: a [link](y.md), *so*\n"
    )
    assert links(text) == ["f.md#g", "y.md"]
    assert anchors(text) == {"one", "one-1", "x-a-link-so"}


def test_a_dead_link_is_noticed() -> None:
    page = ROOT / "README.md"
    assert trouble(page, "docs/nowhere.md") == "docs/nowhere.md: no such file"
    assert trouble(page, "docs/errors.md#nowhere") == "docs/errors.md#nowhere: no such heading"
    assert trouble(page, "../outside.md") == "../outside.md: no such file"
    assert trouble(page, "https://example.org/nowhere") == ""
