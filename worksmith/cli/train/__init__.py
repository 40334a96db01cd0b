"""`worksmith train`: models trained on exported data."""
