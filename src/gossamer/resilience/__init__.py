"""How the product meets failure: single-flight, circuit breaker, retry policy."""
