"""Makes a CRM org from a seed."""

from tools.crm.generate.build import build
from tools.crm.generate.company import DEFAULT_NOW
from tools.crm.generate.latent import Built
from tools.crm.generate.verify import verify

__all__ = ["DEFAULT_NOW", "Built", "build", "verify"]
