"""HTML: from markup to what a reader sees, and of that the content."""
