"""MCP clients: how each one is told to start Gossamer, and the careful edit of its own file."""
