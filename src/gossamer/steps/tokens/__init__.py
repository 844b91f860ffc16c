"""Pure functions over token budgets: counting, cutting, continuing."""
