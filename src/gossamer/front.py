"""The first milliseconds of stdio: answers from a snapshot with the standard library alone, then hands over."""
