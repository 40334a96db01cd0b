"""The world of plain DSPy programs over examples: no tables, no tools."""
