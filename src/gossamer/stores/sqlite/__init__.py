"""Pages in a SQLite file: the default store."""
