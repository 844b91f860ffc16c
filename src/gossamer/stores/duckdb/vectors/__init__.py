"""Vectors of the DuckDB store: rows and nearest-neighbour search."""
