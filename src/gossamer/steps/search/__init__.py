"""Pure functions of searching: which provider, which site, how good a page is."""
