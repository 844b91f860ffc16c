"""What a reader of a page can see: the computed style of every element, and what it hides."""
