"""A small set of questions in the published layouts, with wordings and ids of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worksmith.tools.kinds.crm.ids import make_id

USER = make_id("005", 61)
PRODUCT = make_id("01t", 17)
CONTACT = make_id("003", 5)
CASE = make_id("500", 900)
ARTICLE = make_id("ka0", 3)
ISSUE = make_id("a1M", 4)
SUBJECT, DESCRIPTION = "Wrong shoes", "I wanted the Tarn Slip-On and got boots."


def raw(task: str, query: str, answer: Any, **metadata: str) -> dict[str, Any]:
    """A record of the older layout."""
    return {"metadata": {**metadata, "task": task}, "query": query, "answer": answer}


RAW: dict[str, list[dict[str, Any]]] = {
    "handle_time": [
        raw(
            "handle_time",
            "Who closed cases slowest in the past 5 weeks, with over 2 cases?",
            [USER],
            today="2022-03-01",
        ),
        raw(
            "handle_time",
            "Who closed cases slowest in Q3 2021, with over 2 cases?",
            [None],
            today="2022-03-01",
        ),
    ],
    "transfer_time": [
        raw(
            "transfer_time",
            "Which agent made the fewest transfers in May 2021, with any cases?",
            [USER],
            today="2022-03-02",
        )
    ],
    "seasonality_identification": [
        raw(
            "seasonality_identification",
            "Did any month of the past 9 months stand out for Tarn Slip-On cases?",
            ["January"],
            today="2022-03-03",
            product_id=PRODUCT,
        )
    ],
    "top_issue_identification": [
        raw(
            "top_issue_identification",
            "What is the main complaint about the Tarn Slip-On over the past year?",
            [ISSUE],
            today="2022-03-04",
            product_id=PRODUCT,
        )
    ],
    "best_region_identification": [
        raw(
            "best_region_identification",
            "Where were cases closed soonest in spring 2021?",
            ["CA"],
            today="2022-03-05",
        )
    ],
    "named_entity_disambiguation": [
        raw(
            "named_entity_disambiguation",
            "Pull up the shoes without laces I bought a fortnight ago.",
            [PRODUCT],
            today="2022-03-06",
            customer_id=CONTACT,
        )
    ],
    "policy_violation_identification": [
        raw(
            "policy_violation_identification",
            "Was a policy broken by the agent here, and which article?",
            [ARTICLE],
            case_id=CASE,
        ),
        raw(
            "policy_violation_identification",
            "Was a policy broken by the agent here, and which article?",
            [None],
            case_id=make_id("500", 901),
        ),
    ],
    "case_routing": [
        raw(
            "case_routing",
            "Which agent should get this case?",
            [USER],
            case_subject=SUBJECT,
            case_description=DESCRIPTION,
            issue_id=ISSUE,
            product_id=PRODUCT,
        )
    ],
    "knowledge_qa": [raw("knowledge_qa", "For how long is store credit good?", ["Ninety days."])],
}
"""By published name of the family."""

LISTED: list[dict[str, Any]] = [
    {
        "idx": 0,
        "type": "top_issue_identification",
        "query": "What is the main complaint about the Ibex City Mid in Q2 2021? "
        f"The associated product Id is {PRODUCT}. Return only the issue Id.",
        "answer": ISSUE,
        "reward_metric": "exact_match",
        "metadata": {"required": "Today's date: 2022-04-01", "optional": "Q2 is from April to June."},
    },
    {
        "idx": 1,
        "task": "named_entity_disambiguation",
        "query": "Find the rainy day sneakers I ordered three days ago. Return only the product Id.",
        "answer": None,
        "reward_metric": "exact_match",
        "metadata": {"required": f"- Contact Id interacting: {CONTACT}\n- Today's date: 2022-04-02"},
    },
    {
        "idx": 2,
        "type": "case_routing",
        "query": "Use the routing policy to find the agent that suits the case best. "
        "Return only the agent Id.\n"
        f"Case Subject: {SUBJECT}\nCase Description: {DESCRIPTION}",
        "answer": [USER],
        "reward_metric": "exact_match",
        "metadata": {"required": "The policy."},
    },
    {
        "idx": 3,
        "type": "policy_violation_identification",
        "query": "Did the agent act against a rule in this chat? Which article says so? "
        "Return only its Id or None.",
        "answer": "None",
        "metadata": {"required": f"Case Id: {CASE}"},
    },
    {
        "idx": 4,
        "type": "knowledge_qa",
        "query": "Which remedies are there for late parcels?",
        "answer": "A discount code.",
        "reward_metric": "fuzzy_match",
        "metadata": {"required": "Be short.", "optional": ""},
    },
]
"""The newer layout."""


def write_raw(folder: Path) -> Path:
    """All files of the older layout."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in RAW.items():
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}_queries.jsonl").write_text(lines)
    return folder


def write_list(folder: Path, records: list[dict[str, Any]] | None = None) -> Path:
    """A list of tasks as one JSON file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tasks.json").write_text(json.dumps(LISTED if records is None else records))
    return folder
