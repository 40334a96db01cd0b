"""Budgets: limits on calls, tokens, dollars and minutes, and the cost so far."""
