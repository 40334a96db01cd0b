"""Orgs that tools ask: of a world, or live, as far as a persona may read them."""
