"""What every contract renders with: the envelope of a result and its clean strings, one page, the log of a reading."""
