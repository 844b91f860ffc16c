"""Office files and EPUB books: ZIP archives of XML, read by our own small readers within strict bounds."""
