"""Every setting once; the only reader of environment and files."""
