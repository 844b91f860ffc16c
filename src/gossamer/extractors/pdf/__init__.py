"""PDF: characters to lines, lines to blocks, and what nobody can see left out."""
