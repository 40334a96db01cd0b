"""Makes an enterprise world from a seed."""

from tools.enterprise.generate.build import build
from tools.enterprise.generate.company import DEFAULT_NOW
from tools.enterprise.generate.latent import Built
from tools.enterprise.generate.verify import verify

__all__ = ["DEFAULT_NOW", "Built", "build", "verify"]
