"""Vectors of the SQLite store: rows, their 2-bit copies, nearest-neighbour search."""
