"""One database file on disk that many processes share: locks, identity, recovery; for SQLite and DuckDB."""
