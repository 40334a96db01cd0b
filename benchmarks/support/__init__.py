"""What several benchmarks need."""
