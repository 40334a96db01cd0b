"""The nine families of questions, one module each."""
