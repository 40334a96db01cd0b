"""Commands on worlds and suites."""
