"""How the product meets failure and load: retry policy, circuit breaker, single-flight, pacing, deadline shares."""
