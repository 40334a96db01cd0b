"""The facts that the texts of a generated enterprise state, read back from them."""
