"""Settings: every one defined once, read from files, environment and flags here and nowhere else."""
