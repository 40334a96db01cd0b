"""Whether a generated world is sound."""

from __future__ import annotations

from tools.enterprise.generate.latent import Built


def verify(built: Built) -> list[str]:
    """What is wrong with a world; nothing if it is sound."""
    return []
