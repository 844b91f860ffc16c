"""Pure functions, one verb each."""
