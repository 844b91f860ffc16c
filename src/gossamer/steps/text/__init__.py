"""Pure functions over text: sentences, words, Markdown, quoting."""
