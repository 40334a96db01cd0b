"""Small functions with tests, and faults planted in them."""
