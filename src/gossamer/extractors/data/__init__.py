"""Data formats: JSON, XML, YAML, CSV and OpenAPI."""
