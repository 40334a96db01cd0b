"""Make a project of the retail domain of tau2-bench, whose checkout has the data; nothing of it is here.

    python examples/retail/convert.py CHECKOUT FOLDER

Each task gets a user who answers by rule. The facts are what the original lets its simulated user know; what the
user says yes to are the original's right calls. The gold plan makes these calls, and before them asks and reads
what they take.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOMAIN = Path("data/tau2/domains/retail")
TABLES = {"users": "user_id", "products": "product_id", "orders": "order_id"}
LATER = ("cancel_reason", "exchange_items", "exchange_new_items", "exchange_payment_method_id")
LATER += ("exchange_price_difference", "return_items", "return_payment_method_id")
PROJECT = '[environment]\nfile = "shop.py"\nname = "env"\ntasks = "tasks.jsonl"\n\n[defaults]\nstrategy = "act"\nmax_steps = 50\n'

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

PATTERNS = {"email": r"[\w.]+@[\w.]+\w", "zip code": r"\b\d{5}\b", "user id": r"\b[a-z]+_[a-z]+_\d+\b"}
"""How the user's facts look in the original's sentence of what the user knows."""

PERSONS = {"you are": "I am", "you were": "I was", "you're": "I'm", "yours": "mine", "yourself": "myself"}
PERSONS |= {"your": "my", "you": "I"}

WHO = "May I have your user id, your email, or else your first name, last name and zip code?"
MAY_I = "Shall I go ahead (yes or no)?"

Data = dict[str, dict[str, dict[str, Any]]]


def convert(checkout: Path, folder: Path) -> None:
    """Write the project of a checkout."""
    source = checkout / DOMAIN
    data: Data = json.loads((source / "db.json").read_text(encoding="utf-8"))
    tests = json.loads((source / "split_tasks.json").read_text(encoding="utf-8"))["test"]
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        absent = dict.fromkeys(LATER) if name == "orders" else {}
        _write(folder / f"{name}.jsonl", ({**absent, **row} for row in data[name].values()))
    tasks = json.loads((source / "tasks.json").read_text(encoding="utf-8"))
    _write(folder / "tasks.jsonl", (Conversation(data, task, tests).line() for task in tasks))
    shutil.copy(source / "policy.md", folder)
    for name in ("shop.py", "metrics.py"):
        shutil.copy(HERE / name, folder)
    (folder / "worksmith.toml").write_text(PROJECT, encoding="utf-8")


class Conversation:
    """A task of the original as a conversation with an exact user."""

    def __init__(self, data: Data, task: Mapping[str, Any], tests: Sequence[str]) -> None:
        self.data, self.task = data, task
        self.split = "test" if task["id"] in tests else "dev" if int(task["id"]) % 4 == 0 else "train"
        told = task["user_scenario"]["instructions"]
        self.actions = task["evaluation_criteria"]["actions"] or []
        self.wants = _first_person(told["reason_for_call"])
        self.more = _first_person(told["task_instructions"])
        self.shown = [self.wants]
        self.facts = self._known(told)
        self.confirms: list[list[str]] = []
        self.plan: list[dict[str, Any]] = []

    def line(self) -> dict[str, Any]:
        """The line of the task file."""
        self._ask(WHO, *self.facts)
        if not any(action["name"].startswith("find_user") for action in self.actions):
            self._find()
        for action in self.actions:
            self._prepare(action["arguments"])
            self._call(action["name"], action["arguments"])
        texts = self.task["evaluation_criteria"]["communicate_info"]
        said = f"You wanted to know: {'; '.join(texts)}. " if texts else ""
        self._ask(f"{said}Is there anything else that I can do?")
        metric = {"metric": "metrics:communicated"} if texts else {}
        return {
            "id": f"retail-{self.task['id']}",
            "query": f"A customer writes: {self.wants}",
            "context": f"Conversation {self.task['id']}.",
            "split": self.split,
            "user": {"wants": f"{self.wants} {self.more}", "facts": self.facts, "confirms": self.confirms},
            "plan": self.plan,
            "calls": [{k: s[k] for k in ("tool", "arguments")} for s in self.plan if s["tool"] in VERBS],
            "reference": "\n".join(texts),
            **metric,
        }

    def _known(self, told: Mapping[str, str]) -> dict[str, Any]:
        """What the user knows: of the original's sentence, and of its calls that look for the user."""
        facts: dict[str, Any] = {
            name: list(dict.fromkeys(re.findall(pattern, told["known_info"]))) for name, pattern in PATTERNS.items()
        }
        self.customer = self._customer(facts)
        for name, text in self.customer["name"].items():
            facts[name.replace("_", " ")] = [text] if text in told["known_info"] else []
        for action in self.actions:
            if action["name"].startswith("find_user"):
                for name, text in action["arguments"].items():
                    known = facts["zip code" if name == "zip" else name.replace("_", " ")]
                    known += [] if text in known else [text]
        forgotten = {"email": None} if "email" in (told["unknown_info"] or "") else {}
        return {name: values for name, values in facts.items() if values} | (
            forgotten if not facts["email"] else {}
        )

    def _customer(self, facts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The record of the user: of the one whom the right calls are about, else who fits the facts."""
        named = [action["arguments"] for action in self.actions]
        ids = [found["user_id"] for found in named if "user_id" in found]
        orders = [self.data["orders"].get(found.get("order_id")) for found in named]
        ids += [order["user_id"] for order in orders if order]
        for user in self.data["users"].values():
            if user["user_id"] in (*ids, *facts["user id"]) or user["email"] in facts["email"]:
                return user
        (zip_code,) = facts["zip code"]
        known = self.task["user_scenario"]["instructions"]["known_info"]
        return next(
            user
            for user in self.data["users"].values()
            if user["address"]["zip"] == zip_code and all(part in known for part in user["name"].values())
        )

    def _find(self) -> None:
        """Find the user by what the user told."""
        name = self.customer["name"]
        if "user id" in self.facts:
            return
        if self.customer["email"] in (self.facts.get("email") or ()):
            self._call("find_user_id_by_email", {"email": self.customer["email"]})
        else:
            self._call("find_user_id_by_name_zip", {**name, "zip": self.customer["address"]["zip"]})

    def _prepare(self, arguments: Mapping[str, Any]) -> None:
        """Read, and at last ask, whatever a call takes and nothing has shown yet."""
        for name, arguments_read in self._reads(arguments):
            if not list(self._lacking(arguments)):
                return
            if json.dumps(arguments_read) not in [json.dumps(step["arguments"]) for step in self.plan]:
                self._call(name, arguments_read)
        if lacking := dict(self._lacking(arguments)):
            parts = [value for name, value in arguments.items() if value and not name.endswith("_id")]
            asked = {"new address": parts} if "zip" in arguments else lacking
            for name, value in asked.items():
                known = self.facts.setdefault(name.replace("_", " "), [])
                known += [each for each in (value if isinstance(value, list) else [value]) if each not in known]
            self._ask(f"What is your {' and your '.join(asked).replace('_', ' ')}?", *map(_spaced, asked))

    def _reads(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
        """The calls that may show what another call takes, in the order in which they are of use."""
        yield "get_user_details", {"user_id": self.customer["user_id"]}
        own = self.customer["orders"]
        orders = [arguments["order_id"]] if arguments.get("order_id") in own else []
        orders += [number for number in own if number not in orders]
        for number in orders:
            yield "get_order_details", {"order_id": number}
            for item in self.data["orders"][number]["items"]:
                news = {*arguments.get("new_item_ids", ())} & {*self.data["products"][item["product_id"]]["variants"]}
                if news:
                    yield "get_product_details", {"product_id": item["product_id"]}
        yield "list_all_product_types", {}

    def _lacking(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The arguments with a value that nothing has shown yet; the agent writes summaries itself."""
        shown = "\n".join(self.shown)
        for name, value in arguments.items():
            texts = re.findall(r"[\d.]+", value) if name == "expression" else value
            if name != "summary" and any(text not in shown for text in (texts if isinstance(texts, list) else [texts])):
                yield name, value

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Make a call, after the user agreed if it changes something."""
        if tool in VERBS:
            told = {_spaced(name): value for name, value in arguments.items() if value}
            said = "; ".join(f"{name} {', '.join(v) if isinstance(v, list) else v}" for name, v in told.items())
            self._ask(f"I am about to {VERBS[tool]}: {said}. {MAY_I}")
            values = [text for v in told.values() for text in (v if isinstance(v, list) else [v])]
            self.confirms.append([VERBS[tool], *dict.fromkeys(values)])
        self.plan.append({"tool": tool, "arguments": dict(arguments)})
        for table, key in TABLES.items():
            if tool.startswith("get_") and arguments.get(key) in self.data[table]:
                self.shown.append(json.dumps(self.data[table][arguments[key]]))
        if tool.startswith("find_user"):
            self.shown.append(self.customer["user_id"])
        if tool == "list_all_product_types":
            self.shown.append(json.dumps({key: each["name"] for key, each in self.data["products"].items()}))

    def _ask(self, message: str, *facts: str) -> None:
        self.plan.append({"tool": "ask_user", "arguments": {"message": message}})
        self.shown += [text for name in facts for text in self.facts[name] or ()]


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _first_person(text: str) -> str:
    """A text about `you` as the user would say it."""

    def said(found: re.Match[str]) -> str:
        other = PERSONS[found[0].lower()]
        return other[0].upper() + other[1:] if found[0][0].isupper() else other

    words = "|".join(sorted(PERSONS, key=len, reverse=True))
    return re.sub(rf"\b(?:{words})\b", said, text.strip(" .\n"), flags=re.IGNORECASE) + "."


def _write(file: Path, rows: Iterator[Mapping[str, Any]]) -> None:
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
