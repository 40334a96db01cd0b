"""Tasks, and the suites that hold them."""
