"""The version, as a constant: reading package metadata costs 20 ms at every start."""

__version__ = "0.1.0"
