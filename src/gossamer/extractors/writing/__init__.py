"""A page's tree to Markdown, text or clean HTML."""
