"""PDF manuals of Debian packages beside their HTML editions: code and headings are those that HTML marks."""

import gzip
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import html

from gossamer.extractors.pdf.reader import read_pdf
from gossamer.model.page import View

SHARE = Path(os.environ.get("MANUALS", "/usr/share"))
MANUALS = {
    "r-doc-pdf, r-doc-html: R-intro": ("R/doc/manual/R-intro.pdf", "R/doc/manual/R-intro.html"),
    "r-doc-pdf, r-doc-html: R-data": ("R/doc/manual/R-data.pdf", "R/doc/manual/R-data.html"),
    "maint-guide": ("doc/maint-guide/maint-guide.en.pdf", "doc/maint-guide/html/*.en.html"),
    "debian-policy": ("doc/debian-policy/policy.pdf.gz", "doc/debian-policy/policy.html/*.html"),
}
CODE, HEADINGS = 0.85, 0.85
NUMBER = re.compile(r"^(?:chapter |appendix )?[\dA-Z]{0,2}(?:\.\d+)*\.?\s+", re.IGNORECASE)


@pytest.mark.large
@pytest.mark.parametrize(("pdf", "edition"), MANUALS.values(), ids=MANUALS)
def test_a_manual_has_the_code_and_the_headings_of_its_html_edition(pdf: str, edition: str) -> None:
    pages = [html.parse(path, html.HTMLParser(encoding="utf-8")).getroot() for path in sorted(SHARE.glob(edition))]
    if not pages or not (SHARE / pdf).exists():
        pytest.skip("the package is not installed; MANUALS names another folder than /usr/share")
    body = (SHARE / pdf).read_bytes()
    text = read_pdf(gzip.decompress(body) if pdf.endswith(".gz") else body, view=View()).text
    fences = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)

    known = Counter(bare(line) for page in pages for el in page.iter("pre") for line in el.text_content().splitlines())
    read = Counter(bare(line) for fence in fences for line in fence.splitlines())
    del known[""]
    assert (known & read).total() >= CODE * known.total()

    titles = [plain(el.text_content()) for page in pages for el in page.xpath("//*[self::h1 or self::h2 or self::h3]")]
    heads, whole = {plain(line) for line in re.findall(r"^#{3,} (.*)", text, re.MULTILINE)}, bare(text)
    titles = [title for title in dict.fromkeys(titles) if title and bare(title) in whole]
    assert sum(title in heads for title in titles) >= HEADINGS * len(titles)


def bare(text: str) -> str:
    return re.sub(r"[\s’'`‘]+", "", text)


def plain(heading: str) -> str:
    return re.sub(r"\W+", " ", NUMBER.sub("", heading.strip().rstrip("¶"))).strip()
