"""Passages to drafted sentences."""
