"""One extractor over many pages, in a process of its own: `python bench/_extract.py NAME FOLDER [FOLDS]`.

Reads one record a line ({"id", "file", "url"}), answers with one ({"id", "out", "cpu_s"}). Needs nothing of ours but
for the name `gossamer`, so that it runs in the peers' environment too.
"""

import gzip
import json
import logging
import re
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

Extract = Callable[[bytes, str], str]
_META = re.compile(rb"<meta[^>]{0,300}charset\s*=\s*[\"']?\s*([-\w]{1,30})", re.IGNORECASE)


def decoded(body: bytes) -> str:
    """Bytes as text, as a fair start for peers that leave it to others."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    found = _META.search(body[:100_000])
    name = found[1].decode("ascii").lower() if found else "gb18030"
    name = "gb18030" if name.startswith("gb") else name
    try:
        return body.decode(name, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def trafilatura() -> Extract:
    from trafilatura import extract

    def run(body: bytes, url: str) -> str:
        text = decoded(body)
        options = {"include_comments": False, "include_tables": True, "include_links": True, "include_formatting": True}
        return extract(text, url=url, output_format="markdown", **options) or ""

    return run


def resiliparse() -> Extract:
    from html_to_markdown import convert
    from resiliparse.extract.html2text import extract_plain_text

    def run(body: bytes, _: str) -> str:
        found = extract_plain_text(decoded(body), main_content=True, preserve_formatting="minimal_html", links=True)
        return convert(found).content or ""

    return run


def readability() -> Extract:
    from html_to_markdown import convert
    from readability import Document

    return lambda body, _: convert(Document(decoded(body)).summary()).content or ""


def mcp_server_fetch() -> Extract:
    from mcp_server_fetch.server import extract_content_from_html

    def run(body: bytes, _: str) -> str:
        with redirect_stderr(StringIO()):  # it complains of every page that there is no Node
            return extract_content_from_html(decoded(body))

    return run


def gossamer() -> Extract:
    from gossamer.errors import GossamerError
    from gossamer.extractors.dispatch import read
    from gossamer.model.page import View

    def run(body: bytes, url: str) -> str:
        try:
            return read(body, content_type="text/html", url=url, view=View()).text
        except GossamerError:
            return ""

    return run


EXTRACTORS = {"gossamer": gossamer, "trafilatura": trafilatura, "resiliparse": resiliparse}
EXTRACTORS |= {"readability-lxml": readability, "mcp-server-fetch": mcp_server_fetch}


def fold_judges(folder: str) -> Callable[[str], None]:
    """Give each page the judge that saw nothing of its site."""
    import numpy as np

    from gossamer.extractors.html.content import selection

    deal: dict[str, int] = json.loads((Path(folder) / "folds.json").read_text())
    judges = [selection.Forest(dict(np.load(file))) for file in sorted(Path(folder).glob("fold*.npz"))]

    def take(page: str) -> None:
        selection.forest = lambda: judges[deal.get(page, 0)]

    return take


def main(name: str, folder: str, folds: str = "") -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    run = EXTRACTORS[name]()
    take = fold_judges(folds) if folds else lambda _: None
    is_warm = False
    for line in sys.stdin:
        record = json.loads(line)
        body = gzip.decompress((Path(folder) / record["file"]).read_bytes())
        take(record["id"])
        if not is_warm:
            run(body, record["url"])
            is_warm = True
        since = time.process_time()
        try:
            out = run(body, record["url"])
        except Exception:  # noqa: BLE001  # whatever a peer raises, it gave no text
            out = ""
        said = {"id": record["id"], "out": out, "cpu_s": time.process_time() - since}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
