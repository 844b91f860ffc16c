"""Visibility: what a reader of a page can see, by the computed style of every element."""
