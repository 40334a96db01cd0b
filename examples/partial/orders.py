"""Orders of which a clerk may read one region. Half of 40 tasks have a partial answer, and should say so."""

import sys
from pathlib import Path

from rich.console import Console

import worksmith as ws

CUSTOMERS = ["Alder", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gorse", "Hazel"]
CUSTOMERS += ["Iris", "Juniper", "Kapok", "Larch", "Maple", "Nettle", "Oak"]
TRAINED = 5
"""Of these customers tasks are for training; the ten others have the 40 tasks."""


def orders() -> list[dict[str, object]]:
    """Three orders in the north of each customer, and of every second one as many in the south."""
    regions = [
        (name, region) for n, name in enumerate(CUSTOMERS) for region in ("north", "south")[: 1 + n % 2]
    ]
    return [
        {
            "order_id": f"O-{10 * place + number}",
            "customer": name,
            "region": region,
            "status": "open" if (place + number) % 3 else "shipped",
        }
        for place, (name, region) in enumerate(regions, start=10)
        for number in range(3)
    ]


people = [
    {"id": "nora", "name": "Nora", "role": "clerk", "region": "north"},
    {"id": "ada", "name": "Ada", "role": "auditor", "region": ""},
]
env = ws.Environment.from_tables(
    {"orders": orders(), "people": people}, now="2026-01-05 09:00", personas="people"
)
env.use_policy(Path(__file__).with_name("policy.json"))


@env.tool(writes=False)
def find_orders(ctx: ws.Context, customer: str, column: str, value: str) -> list[dict[str, object]]:
    """The orders of a customer with this value in a column: status or region."""
    return ctx["orders"].find({"customer": customer, column: value})


def tasks() -> list[dict[str, object]]:
    """Four for each customer; Nora may read the north, Ada everything."""
    found = []
    for number, name in enumerate(CUSTOMERS):
        of = [row for row in orders() if row["customer"] == name]
        north = [row for row in of if row["region"] == "north"]
        for persona, intent, column, value, readable in (
            ("nora", "all open", "status", "open", north),
            ("nora", "all shipped", "status", "shipped", north),
            ("nora", "of her region", "region", "north", north),
            ("ada", "audit", "status", "open", of),
        ):
            arguments = {"customer": name, "column": column, "value": value}
            found.append(
                {
                    "query": f"Which orders of {name} are {'in the north' if column == 'region' else value}?",
                    "persona": persona,
                    "intent": intent,
                    "plan": [{"tool": "find_orders", "arguments": arguments}],
                    "answer": {"set": [row["order_id"] for row in readable if row[column] == value]},
                    "partial": intent.startswith("all"),
                    "split": "train" if number < TRAINED else "test",
                }
            )
    return found


if __name__ == "__main__":
    lm = sys.argv[1] if len(sys.argv) > 1 else "local/apprentice"
    suite = ws.Suite(env, tasks())
    agent = ws.Agent("act", env)
    better = ws.KNN(accept="best", lm=lm).compile(agent, trainset=suite.train)
    ws.compare([agent, better], suite.test, lm=lm).print_tables(Console(width=110))
