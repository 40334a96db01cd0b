"""Budgets: limits on calls, tokens, dollars and minutes, and what was spent."""
