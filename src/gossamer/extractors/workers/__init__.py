"""Worker processes: the pool on the server's side, the wire format, and the sandbox they read pages in."""
