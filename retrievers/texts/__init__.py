"""What is indexed: documents, passages, PDF pages."""
