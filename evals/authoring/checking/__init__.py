"""Checks of tasks: whether their gold plans and expectations hold, and whether any tool could do them."""
