"""The employees and their hierarchy."""
