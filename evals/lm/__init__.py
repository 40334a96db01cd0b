"""Language models as the harness asks them: counted, tried again, priced, and told apart when they fail."""
