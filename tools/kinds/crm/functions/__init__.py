"""The functions that agents of a CRM world are given, made for its nine kinds of questions.

`Functions` has them as methods; `toolkits` makes tools of them.
"""

from worksmith.tools.kinds.crm.functions.cases import Cases
from worksmith.tools.kinds.crm.functions.customers import Customers
from worksmith.tools.kinds.crm.functions.dates import Reckoning
from worksmith.tools.kinds.crm.functions.staff import Staff

NAMES = (
    "get_agents_with_max_cases",
    "get_agents_with_min_cases",
    "calculate_average_handle_time",
    "get_start_date",
    "get_period",
    "get_agent_handled_cases_by_period",
    "get_qualified_agent_ids_by_case_count",
    "get_cases",
    "get_non_transferred_case_ids",
    "get_agent_transferred_cases_by_period",
    "get_shipping_state",
    "calculate_region_average_closure_times",
    "get_order_item_ids_by_product",
    "get_issue_counts",
    "find_id_with_max_value",
    "find_id_with_min_value",
    "get_account_id_by_contact_id",
    "get_purchase_history",
    "get_month_to_case_count",
    "search_knowledge_articles",
    "search_products",
    "get_issues",
    "get_email_messages_by_case_id",
    "get_livechat_transcript_by_case_id",
)
"""All of them, in the published order."""


class Functions(Reckoning, Staff, Cases, Customers):
    """All functions over one org, see `Base`."""


__all__ = ["NAMES", "Functions"]
