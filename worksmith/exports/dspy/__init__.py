"""A suite's tasks as plain examples for DSPy, and the episodes behind them."""

from worksmith.exports.dspy.episodes import Episodes

__all__ = ["Episodes"]
