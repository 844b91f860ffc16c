"""Gossamer: the web for AI agents."""
