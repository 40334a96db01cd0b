"""Training of local models on exported data."""
