"""PDF manuals of Debian packages beside their HTML editions: code, headings and their order are those of the HTML."""

import gzip
import os
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html

from gossamer.extractors.pdf.reader import read_pdf
from gossamer.model.page import View
from tests import components

SHARE = Path(os.environ.get("MANUALS", "/usr/share"))
INSTALLED = {
    "r-doc-pdf, r-doc-html: R-intro": ("R/doc/manual/R-intro.pdf", "R/doc/manual/R-intro.html"),
    "r-doc-pdf, r-doc-html: R-data": ("R/doc/manual/R-data.pdf", "R/doc/manual/R-data.html"),
    "maint-guide": ("doc/maint-guide/maint-guide.en.pdf", "doc/maint-guide/html/*.en.html"),
}
UNPACKED = {
    "bash-doc: the reference": ("bash", "doc/bash-doc/bashref.pdf", "doc/bash-doc/bashref.html"),
    "bash-doc: the manual page": ("bash", "doc/bash-doc/bash.pdf", "doc/bash-doc/bash.html"),
    "debian-policy": ("policy", "doc/debian-policy/policy.pdf.gz", "doc/debian-policy/policy.html/*.html"),
    "debian-policy: the hierarchy of files": (
        *("policy", "doc/debian-policy/fhs/fhs-3.0.pdf.gz", "doc/debian-policy/fhs/fhs-3.0.html"),
    ),
}
CODE, HEADINGS, IN_ORDER = 0.85, 0.85, 0.97
FEWEST_LINES = 10
"""A manual with less code shows nothing by it."""
NUMBER = re.compile(r"^(?:chapter |appendix )?[\dA-Z]{0,2}(?:\.\d+)*\.?\s+", re.IGNORECASE)
SIGNS = {ord(sign): None for sign in "’'`‘"} | {ord("…"): "..."}


@pytest.mark.large
@pytest.mark.parametrize(("pdf", "edition"), INSTALLED.values(), ids=INSTALLED)
def test_an_installed_manual_has_the_code_and_the_headings_of_its_html_edition(pdf: str, edition: str) -> None:
    if not (SHARE / pdf).exists():
        pytest.skip("the package is not installed; MANUALS names another folder than /usr/share")
    check(SHARE, pdf, edition)


@pytest.mark.large
@pytest.mark.component("packages")
@pytest.mark.parametrize(("package", "pdf", "edition"), UNPACKED.values(), ids=UNPACKED)
def test_a_manual_has_the_code_and_the_headings_of_its_html_edition(package: str, pdf: str, edition: str) -> None:
    check(components.find("packages") / package / "usr" / "share", pdf, edition)


def check(folder: Path, pdf: str, edition: str) -> None:
    files = sorted(folder.glob(edition))
    pages = [html.parse(path, html.HTMLParser(encoding="utf-8")).getroot() for path in files]
    body = (folder / pdf).read_bytes()
    text = read_pdf(gzip.decompress(body) if pdf.endswith(".gz") else body, view=View()).text
    fences = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)

    known = Counter(bare(line) for page in pages for el in page.iter("pre") for line in el.text_content().splitlines())
    read = Counter(bare(line) for fence in fences for line in fence.splitlines())
    del known[""]
    assert known.total() < FEWEST_LINES or (known & read).total() >= CODE * known.total()

    titles = [plain(el.text_content()) for page in pages for el in page.xpath("//*[self::h1 or self::h2 or self::h3]")]
    heads = [plain(line) for line in re.findall(r"^#{3,} (.*)", text, re.MULTILINE)]
    whole = bare(text)
    titles = [title for title in dict.fromkeys(titles) if title and bare(title) in whole]
    assert sum(title in heads for title in titles) >= HEADINGS * len(titles)

    if len(files) == 1:
        places = [heads.index(title) for title in titles if title in heads]
        assert sum(before < after for before, after in pairwise(places)) >= IN_ORDER * (len(places) - 1)


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text.translate(SIGNS))


def plain(heading: str) -> str:
    return re.sub(r"\W+", " ", NUMBER.sub("", heading.strip().rstrip("¶"))).strip()
