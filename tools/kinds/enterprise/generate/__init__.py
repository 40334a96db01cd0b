"""Makes an enterprise world from a seed."""

from tools.kinds.enterprise.generate.build import build
from tools.kinds.enterprise.generate.company import DEFAULT_NOW
from tools.kinds.enterprise.generate.latent import Built

__all__ = ["DEFAULT_NOW", "Built", "build"]
