"""Shared by providers: building requests, parsing results, mapping errors, paging."""
