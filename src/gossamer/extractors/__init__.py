"""Extractors: foreign bytes to text, one package per family of content types."""
