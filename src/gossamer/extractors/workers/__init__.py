"""The processes that read pages: who waits, who reads, what passes between."""
