"""Makes a CRM org from a seed."""

from worksmith.tools.kinds.crm.generate.build import build
from worksmith.tools.kinds.crm.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.crm.generate.draft import Built

__all__ = ["DEFAULT_NOW", "Built", "build"]
