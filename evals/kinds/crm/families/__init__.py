"""The nine families of questions."""
