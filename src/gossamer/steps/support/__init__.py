"""Whether a cited text supports a claim, told without a model."""
