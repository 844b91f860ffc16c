"""Streamable HTTP: many clients, their logins and limits, one process."""
