"""Office files and books: archives of XML, read by our own small readers within strict bounds."""
