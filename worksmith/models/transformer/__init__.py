"""Language models that run in this process, by transformers."""
