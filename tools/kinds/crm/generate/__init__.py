"""Makes a CRM org from a seed."""

from tools.kinds.crm.generate.build import build
from tools.kinds.crm.generate.company import DEFAULT_NOW
from tools.kinds.crm.generate.latent import Built
from tools.kinds.crm.generate.verify import verify

__all__ = ["DEFAULT_NOW", "Built", "build", "verify"]
