"""CSS as far as it can hide text: parsing, selectors, conditions, cascade."""
