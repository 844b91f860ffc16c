"""What the tools look like from outside: translate and render, nothing cleverer."""
