"""MCP: binds contracts to an engine and serves them."""
