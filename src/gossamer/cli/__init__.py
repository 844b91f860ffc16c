"""The command line: people on a terminal, `--json` in a pipe."""
