"""Make a project of the retail domain of tau2-bench, whose checkout has the data; nothing of it is here.

    python examples/retail/convert.py CHECKOUT FOLDER

Each task gets a user who answers by rule. The facts are what the original's simulated user knows, and the
user says yes to the original's right calls. The gold plan makes these calls; before each it asks for and
reads what the call takes.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOMAIN = Path("data/tau2/domains/retail")
TABLES = {"users": "user_id", "products": "product_id", "orders": "order_id"}
LATER = ["cancel_reason", "exchange_items", "exchange_new_items", "exchange_payment_method_id"]
LATER += ["exchange_price_difference", "return_items", "return_payment_method_id"]
PROJECT = """\
[environment]
file = "shop.py"
name = "env"
tasks = "tasks.jsonl"

[defaults]
strategy = "act"
max_steps = 50
"""

VERBS = {
    "cancel_pending_order": "cancel",
    "exchange_delivered_order_items": "exchange",
    "return_delivered_order_items": "return",
    "modify_pending_order_address": "send elsewhere",
    "modify_pending_order_items": "modify",
    "modify_pending_order_payment": "pay otherwise",
    "modify_user_address": "move",
}
"""What a user agrees to, by the tool that does it."""

FORMS = {"email": r"[\w.]+@[\w.]+\w", "zip code": r"\b\d{5}\b", "user id": r"\b[a-z]+_[a-z]+_\d+\b"}
"""How facts look in the original's sentence of what the user knows."""

PERSONS = {"you are": "I am", "you were": "I was", "you're": "I'm", "yours": "mine", "yourself": "myself"}
PERSONS |= {"your": "my", "you": "I"}

WHO = "May I have your user id, your email, or else your first name, last name and zip code?"

Data = dict[str, dict[str, dict[str, Any]]]
Arguments = Mapping[str, Any]


def convert(checkout: Path, folder: Path) -> None:
    """Write the project of a checkout."""
    source = checkout / DOMAIN
    if not source.is_dir():
        raise SystemExit(f"{checkout} is no checkout of tau2-bench: it has no folder {DOMAIN}")
    data: Data = json.loads((source / "db.json").read_text(encoding="utf-8"))
    tasks = json.loads((source / "tasks.json").read_text(encoding="utf-8"))
    tests = json.loads((source / "split_tasks.json").read_text(encoding="utf-8"))["test"]
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        absent = dict.fromkeys(LATER) if name == "orders" else {}
        _write(folder / f"{name}.jsonl", ({**absent, **row} for row in data[name].values()))
    _write(folder / "tasks.jsonl", (Conversation(data, task, tests).line() for task in tasks))
    for file in (source / "policy.md", HERE / "shop.py", HERE / "metrics.py"):
        shutil.copy(file, folder)
    (folder / "worksmith.toml").write_text(PROJECT, encoding="utf-8")


class Conversation:
    """A task of the original as a conversation with a user who answers by rule."""

    def __init__(self, data: Data, task: Mapping[str, Any], tests: Sequence[str]) -> None:
        self.data, self.id = data, task["id"]
        self.split = "test" if self.id in tests else "dev" if int(self.id) % 4 == 0 else "train"
        self.told = task["user_scenario"]["instructions"]
        self.actions = task["evaluation_criteria"]["actions"] or []
        self.texts = task["evaluation_criteria"]["communicate_info"]
        self.wants = _first_person(self.told["reason_for_call"])
        self.shown = [self.wants]
        self.plan: list[dict[str, Any]] = []
        self.confirms: list[list[str]] = []
        self.facts, self.customer = self._known()

    def line(self) -> dict[str, Any]:
        """The line of the task file."""
        self._ask(WHO, self.facts)
        if not any(action["name"].startswith("find_user") for action in self.actions):
            self._find()
        for action in self.actions:
            self._prepare(action["arguments"])
            self._call(action["name"], action["arguments"])
        said = f"You wanted to know: {'; '.join(self.texts)}. " if self.texts else ""
        self._ask(f"{said}Is there anything else that I can do?")
        more = _first_person(self.told["task_instructions"])
        return {
            "id": f"retail-{self.id}",
            "query": f"A customer writes: {self.wants}",
            "context": f"Conversation {self.id}.",
            "split": self.split,
            "user": {"wants": f"{self.wants} {more}", "facts": self.facts, "confirms": self.confirms},
            "plan": self.plan,
            "calls": [step for step in self.plan if step["tool"] in VERBS],
            "reference": "\n".join(self.texts),
            **({"metric": "metrics:communicated"} if self.texts else {}),
        }

    def _known(self) -> tuple[dict[str, list[str] | None], dict[str, Any]]:
        """What the user knows, by the original's sentence and the calls that look for the user; who it is."""
        known = self.told["known_info"]
        facts = {name: _unique(re.findall(form, known)) for name, form in FORMS.items()}
        customer = self._customer(facts)
        for part, text in customer["name"].items():
            facts[_spaced(part)] = [text] if text in known else []
        for action in self.actions:
            for part, text in action["arguments"].items() if action["name"].startswith("find_user") else ():
                name = "zip code" if part == "zip" else _spaced(part)
                facts[name] = _unique([*facts[name], text])
        forgotten = {"email"} if "email" in (self.told["unknown_info"] or "") else set()
        return {name: texts or None for name, texts in facts.items() if texts or name in forgotten}, customer

    def _customer(self, facts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The record of the user whom the right calls are about, else of the one who fits the facts."""
        named = [action["arguments"] for action in self.actions]
        orders = [self.data["orders"].get(each.get("order_id")) for each in named]
        ids = {*facts["user id"], *(order["user_id"] for order in orders if order)}
        ids |= {each["user_id"] for each in named if "user_id" in each}
        for user in self.data["users"].values():
            called = all(part in self.told["known_info"] for part in user["name"].values())
            fits = not ids and called and user["address"]["zip"] in facts["zip code"]
            if user["user_id"] in ids or user["email"] in facts["email"] or fits:
                return user
        raise ValueError(f"nobody fits task {self.id}")

    def _find(self) -> None:
        """Find the user by what the user told."""
        if self.customer["email"] in (self.facts.get("email") or ()):
            self._call("find_user_id_by_email", {"email": self.customer["email"]})
        elif "user id" not in self.facts:
            zip_code = self.customer["address"]["zip"]
            self._call("find_user_id_by_name_zip", {**self.customer["name"], "zip": zip_code})

    def _prepare(self, arguments: Arguments) -> None:
        """Read what may show the values that a call takes, and ask for those that nothing shows."""
        for tool, wanted in self._reads(arguments):
            if not dict(self._lacking(arguments)):
                return
            if wanted not in [step["arguments"] for step in self.plan]:
                self._call(tool, wanted)
        if lacking := dict(self._lacking(arguments)):
            address = [value for name, value in arguments.items() if value and not name.endswith("_id")]
            asked = {"new address": address} if "zip" in arguments else lacking
            for name, value in asked.items():
                self.facts[_spaced(name)] = _unique([*(self.facts.get(_spaced(name)) or ()), *_listed(value)])
            names = [*map(_spaced, asked)]
            self._ask(f"What is your {' and your '.join(names)}?", names)

    def _reads(self, arguments: Arguments) -> Iterator[tuple[str, dict[str, str]]]:
        """The calls that may show what another call takes, the likeliest first."""
        yield "get_user_details", {"user_id": self.customer["user_id"]}
        own = self.customer["orders"]
        for number in sorted(own, key=lambda number: number != arguments.get("order_id")):
            yield "get_order_details", {"order_id": number}
            for item in self.data["orders"][number]["items"]:
                variants = self.data["products"][item["product_id"]]["variants"]
                if not variants.keys().isdisjoint(arguments.get("new_item_ids", ())):
                    yield "get_product_details", {"product_id": item["product_id"]}
        yield "list_all_product_types", {}

    def _lacking(self, arguments: Arguments) -> Iterator[tuple[str, Any]]:
        """The arguments with a value that nothing has shown yet. A summary is the agent's own."""
        shown = "\n".join(self.shown)
        for name, value in arguments.items():
            texts = re.findall(r"[\d.]+", value) if name == "expression" else _listed(value)
            if name != "summary" and any(text not in shown for text in texts):
                yield name, value

    def _call(self, tool: str, arguments: Arguments) -> None:
        """Make a call, after the user agreed if it changes something."""
        if tool in VERBS:
            values = {name: _listed(value) for name, value in arguments.items() if value}
            said = "; ".join(f"{_spaced(name)} {', '.join(texts)}" for name, texts in values.items())
            self._ask(f"I am about to {VERBS[tool]}: {said}. Shall I go ahead (yes or no)?")
            self.confirms.append(_unique([VERBS[tool], *chain(*values.values())]))
        self.plan.append({"tool": tool, "arguments": arguments})
        self.shown += [
            json.dumps(self.data[table][arguments[key]])
            for table, key in TABLES.items()
            if tool.startswith("get_") and arguments.get(key) in self.data[table]
        ]
        if tool.startswith("find_user"):
            self.shown.append(self.customer["user_id"])
        if tool == "list_all_product_types":
            self.shown += self.data["products"]

    def _ask(self, message: str, facts: Iterable[str] = ()) -> None:
        self.plan.append({"tool": "ask_user", "arguments": {"message": message}})
        self.shown += [text for name in facts for text in self.facts[name] or ()]


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _first_person(text: str) -> str:
    """A text about `you` as the user would say it."""

    def said(found: re.Match[str]) -> str:
        other = PERSONS[found[0].lower()]
        return other[0].upper() + other[1:] if found[0][0].isupper() else other

    words = "|".join(sorted(PERSONS, key=len, reverse=True))
    return re.sub(rf"\b(?:{words})\b", said, text.strip(" .\n"), flags=re.IGNORECASE) + "."


def _write(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    convert(*map(Path, sys.argv[1:]))
