"""One client over standard input and output."""
