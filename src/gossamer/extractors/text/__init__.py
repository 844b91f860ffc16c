"""Plain text and Markdown that came as they are."""
