"""Commands that run programs: eval, compile, compare and what belongs to them."""
