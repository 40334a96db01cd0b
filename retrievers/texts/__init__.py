"""Texts to index: documents, passages, PDF pages."""
