"""What jobs record in MLflow."""
