"""Pure functions over addresses and replies: canonical form, freshness, walls."""
