"""What models and optimizers reach."""
