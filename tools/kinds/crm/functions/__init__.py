"""The functions that agents of a CRM world are given, made for its nine kinds of questions.

`Functions` has them as methods; `toolkits` makes tools of them.
"""

from worksmith.tools.kinds.crm.functions.cases import Cases
from worksmith.tools.kinds.crm.functions.customers import Customers
from worksmith.tools.kinds.crm.functions.dates import Reckoning
from worksmith.tools.kinds.crm.functions.staff import Staff


class Functions(Reckoning, Staff, Cases, Customers):
    """All functions over one org, see `Base`."""


__all__ = ["Functions"]
