"""What every contract renders with: clean strings, the envelope of a result, one page, the log of a reading."""
