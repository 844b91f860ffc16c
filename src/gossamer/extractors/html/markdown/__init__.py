"""Rendering: a page's tree to Markdown, plain text or sanitised HTML."""
