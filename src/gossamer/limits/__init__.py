"""What one user may ask for, counted over all processes that share a state."""
