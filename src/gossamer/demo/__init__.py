"""The mini web and the demo that runs on it."""
