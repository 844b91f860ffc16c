"""Foreign bytes to text, one content type a file."""
