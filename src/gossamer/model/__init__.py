"""Frozen values: what travels between the parts."""
