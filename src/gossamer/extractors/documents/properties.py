"""What an office file says of itself."""

from gossamer.extractors.about.meta import iso_date
from gossamer.extractors.characters import clean_line
from gossamer.extractors.documents.package import Package
from gossamer.extractors.documents.xml import local
from gossamer.model.page import PageInfo


def properties(package: Package) -> tuple[str, PageInfo]:
    """Title, author, description and day; all of it may be missing."""
    root = package.tree("docProps/core.xml")
    said = {local(el): el.text or "" for el in root} if root is not None else {}
    info = PageInfo(
        author=clean_line(said.get("creator", ""), limit=200),
        description=clean_line(said.get("description", ""), limit=1000),
        published=iso_date(said.get("created", "") or said.get("modified", "")),
    )
    return clean_line(said.get("title", ""), limit=300), info
