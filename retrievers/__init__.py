"""Finding text: embedding, indexes, documents. Knows nothing of worlds or agents."""
