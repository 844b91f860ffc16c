"""Where pages are kept."""
