"""Choosing which demonstrations of a bank a prompt shows: strategies behind one protocol.

    display = selection_called("mixture").choose(Selector(bank.demonstrations), 16, seed=0)
    program, demonstrations = shown(program, display, tokens=4000)

A strategy says which demonstrations are always shown and which are searched for each task; showing them,
within a number of tokens, is the same for all.
"""

from __future__ import annotations

from optimizers.demos.selection.pool import Selector
from optimizers.demos.selection.strategies import SELECTIONS, Display, Selection, selection_called

__all__ = ["SELECTIONS", "Display", "Selection", "Selector", "selection_called"]
