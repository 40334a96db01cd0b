"""Models that can be fetched by name."""
