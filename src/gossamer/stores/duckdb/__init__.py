"""Pages in one DuckDB file, which belongs to one process at a time and changes hands by a lease. The extra `duckdb`."""
