"""Answers judged without a model: values in text, wrong and missing ones, leaks."""
