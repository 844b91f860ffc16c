"""The smallest PDF that readers open: one page, one font, drawn by the operators given."""


def one_page(operators: str) -> bytes:
    """Write a PDF with one page on letter paper."""
    content = operators.encode("latin-1")
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 %b>>>>>>" % font,
        b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
    )
    body, table = b"%PDF-1.7\n", b"0000000000 65535 f \n"
    for number, written in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    count = len(objects) + 1
    return body + b"xref\n0 %d\n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        count,
        table,
        count,
        len(body),
    )
