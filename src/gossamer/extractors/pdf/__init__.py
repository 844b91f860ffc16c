"""PDF: characters to lines, lines to structure, invisible text left out."""
