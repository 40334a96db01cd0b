"""What things cost in time and memory."""
