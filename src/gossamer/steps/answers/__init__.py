"""What of the passages answers a question: statements, how well each answers, which are told."""
