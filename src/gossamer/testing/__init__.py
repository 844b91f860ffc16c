"""Contract suites that anyone can inherit, and sites that misbehave."""
