"""Makes an enterprise world from a seed."""

from worksmith.tools.kinds.enterprise.generate.build import build
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.latent import Built

__all__ = ["DEFAULT_NOW", "Built", "build"]
