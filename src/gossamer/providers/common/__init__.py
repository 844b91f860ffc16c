"""What several providers have in common: how to ask, what is said back, how pages are gathered."""
