"""Own-data projects by seed: tables, tools, access rules, search and tasks with their gold plans."""

from __future__ import annotations

import csv
import json
import tomllib
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from worksmith.tools.seeding import rng

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text())
_VERBS = {
    "read": ("read", "get", "fetch", "show"),
    "find": ("find", "list", "query", "select"),
    "set": ("set", "change", "edit", "mark"),
    "close": ("finish", "end", "settle"),
    "give": ("give", "assign", "entrust"),
    "drop": ("drop", "delete", "remove"),
    "add": ("add", "create", "note"),
}
_FORMS = ("{v}_{s}", "{s}_{v}", "{v}_one_{s}", "{v}{s}")
_KEYS = ("{s}_id", "id", "{s}_no", "ref")
_TEAMS = ("Harbour", "Hill", "Market")
_ROWS, _EACH = (12, 30), 6
"""Rows of a table, and tasks of an intent."""

_TOOL = '''
@env.tool(writes={writes})
def {name}(ctx: ws.Context, {arguments}) -> Any:
    """{doc}"""
    {body}
'''


class Project:
    """A project on its way.

    Args:
        place: its folder.
    """

    def __init__(self, place: Path, seed: int) -> None:
        self._place, self._draw = place, rng(seed, "project")
        # Three of five projects are English.
        self._said: dict[str, Any] = _WORDS[("en", "en", "en", "de", "zh")[seed % 5]]
        self._join = "" if self._said["end"] == "。" else " "
        draw, names = self._draw, self._said["names"].split()
        chosen = draw.sample(names, draw.randint(4, 7))
        self._people = [
            {"id": f"u{at:02}", "name": name, "team": _TEAMS[at % len(_TEAMS)]}
            for at, name in enumerate(chosen)
        ]
        self._ruled = draw.random() < 0.5
        self._now = date(2021, 1, 1) + timedelta(days=draw.randrange(2_000))
        self._tables: dict[str, tuple[str, list[dict[str, str]]]] = {"people": ("id", self._people)}
        self._tools: list[str] = []
        self._tasks: list[dict[str, Any]] = []

    def write(self) -> None:
        """Draw all and write the project's files."""
        for thing in self._draw.sample(self._said["things"], self._draw.randint(1, 3)):
            self._thing(*thing.split())
        searched = self._draw.random() < 0.5
        if searched:
            self._guides()
        self._place.mkdir(parents=True, exist_ok=True)
        for name, (_, rows) in self._tables.items():
            with (self._place / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        types = {name: dict.fromkeys(rows[0], "text") for name, (_, rows) in self._tables.items()}
        lines = [
            "from typing import Any",
            "import worksmith as ws",
            f"env = ws.Environment.from_tables({ {name: f'{name}.csv' for name in self._tables} }, "
            f"now='{self._now} 09:00', personas='people', types={types}, "
            f"keys={ {name: key for name, (key, _) in self._tables.items()} })",
        ]
        if self._ruled:
            lines.append("env.use_policy('policy.json')")
            rules = {name: {"rules": list(_rules(name))} for name in self._tables}
            (self._place / "policy.json").write_text(json.dumps({"sources": rules}))
        if searched:
            lines.append("env.index('pages', text='{title} {body}')")
        (self._place / "environment.py").write_text("\n".join([*lines, *self._tools]), encoding="utf-8")
        self._draw.shuffle(self._tasks)
        tasks = "".join(json.dumps(task, ensure_ascii=False) + "\n" for task in self._tasks)
        (self._place / "tasks.jsonl").write_text(tasks, encoding="utf-8")
        settings = '[environment]\nfile = "environment.py"\nname = "env"\ntasks = "tasks.jsonl"\n'
        (self._place / "worksmith.toml").write_text(settings)

    def _thing(self, table: str, one: str, many: str) -> None:
        """A table with its tools and tasks."""
        draw, said = self._draw, self._said
        short = table[:-3] + "y" if table.endswith("ies") else table[:-1]
        key = draw.choice(_KEYS).format(s=short)
        columns = draw.sample([name for name, words in said["columns"].items() if len(words) > 1], 2)
        values = {name: said["columns"][name][1:] for name in columns}
        start, mark = (
            draw.choice((1, 100, 2_000)),
            draw.choice((f"{short[0].upper()}-", short[:2].upper(), "")),
        )
        titles = _titles(said["words"].split(), self._join, draw)
        rows = []
        for at in range(draw.randint(*_ROWS)):
            row = {key: f"{mark}{start + at}", "title": titles.pop()}
            row |= {name: draw.choice(values[name]) for name in columns}
            row |= {"keeper": draw.choice(self._people)["name"], "remark": ""}
            rows.append(row | ({"team": draw.choice(_TEAMS)} if self._ruled else {}))
        self._tables[table] = key, rows
        form = draw.choice(_FORMS)
        names = {use: form.format(v=draw.choice(verbs), s=short) for use, verbs in _VERBS.items()}
        column = columns[0]
        self._table_tools(table, key, column, names)

        wordings = {use: draw.sample(said[use], draw.randint(1, len(said[use]))) for use in _USES}
        told = {"s": one, "e": many}
        for _ in range(_EACH):
            row, value, other = draw.choice(rows), draw.choice(values[column]), draw.choice(columns)
            name, known = draw.choice(self._people)["name"], draw.choice(values[column])
            note, key_of = draw.choice(said["remarks"]), {key: row[key]}
            hits = [each[key] for each in rows if each[other] == row[other]]
            look, put = (names["read"], key_of), (names["set"], {**key_of, column: value})
            seek = {"column": other, "value": row[other]}
            by_title = {"column": "title", "value": row["title"]}
            new = {"title": titles.pop(), column: value}
            plans: dict[str, tuple[list[tuple[str, dict[str, str]]], Any]] = {
                "read": ([look], row[other]),
                "list": ([(names["find"], seek)], {"set": hits}),
                "count": ([(names["find"], seek)], len(hits)),
                "set": ([put], None),
                "find": ([(names["find"], by_title), put], None),
                "check": ([look, put] if row[column] == known else [look], None),
                "close": ([(names["close"], {**key_of, "remark": note})], None),
                "give": ([(names["give"], {**key_of, "keeper": name})], None),
                "drop": ([(names["drop"], key_of)], None),
                "add": ([(names["add"], new)], None),
            }
            for use, (plan, answer) in plans.items():
                asked = other if use in ("read", "list", "count") else column
                words = {"c": said["columns"][asked][0], "i": row[key], "a": known, "n": note, "p": name}
                words |= {"v": row[other] if asked == other and use != "read" else value, **told}
                words["t"] = new["title"] if use == "add" else row["title"]
                writes = use not in ("read", "list", "count", "add") and plan != [look]
                self._task(
                    draw.choice(wordings[use]), words, f"{short} {use}", plan, answer, row if writes else None
                )

    def _table_tools(self, table: str, key: str, column: str, names: dict[str, str]) -> None:
        own = ", 'team': ctx.persona.team" if self._ruled else ""
        done = f"; return {self._draw.choice((None, 'done', 'saved'))!r}"
        this, rows, change = f"{key}: str", f"ctx[{table!r}]", f"ctx[{table!r}].update({key}, "
        new = f"{{'title': title, {column!r}: {column}{own}}}"
        for use, arguments, body, doc in (
            ("read", this, f"return {rows}.get({key})", "Read one"),
            ("find", "column: str, value: str", f"return {rows}.find({{column: value}})", "With a value"),
            ("set", f"{this}, {column}: str", f"{change}{column}={column}){done}", f"Set {column}"),
            ("close", f"{this}, remark: str", f"{change}remark=remark){done}", "End with a remark"),
            ("give", f"{this}, keeper: str", f"{change}keeper=keeper){done}", "Give to a person"),
            ("drop", this, f"{rows}.delete({key}){done}", "Delete one"),
            ("add", f"title: str, {column}: str", f"return {rows}.insert({new})", "Add one"),
        ):
            writes = use not in ("read", "find")
            told = {"name": names[use], "arguments": arguments, "body": body, "doc": f"{doc}: {table}."}
            self._tools.append(_TOOL.format(writes=writes, **told))

    def _guides(self) -> None:
        """Pages to search in."""
        draw, said = self._draw, self._said
        topics = draw.sample(said["words"].split(), 10)
        titles = [draw.choice(said["pages"]).format(t=topic) for topic in topics]
        rows = [
            {"page": f"P{at}", "title": title, "body": draw.choice(said["remarks"])}
            for at, title in enumerate(titles)
        ]
        self._tables["pages"] = "page", rows
        name, argument = (
            draw.choice(("search_pages", "pages_on", "look_in_pages")),
            draw.choice(("words", "topic")),
        )
        told = {"arguments": f"{argument}: str", "body": f"return ctx['pages'].search({argument}, k=1)"}
        self._tools.append(_TOOL.format(writes=False, name=name, doc="The page that fits best.", **told))
        for topic, title in zip(topics, titles, strict=True):
            self._task(
                draw.choice(said["guide"]), {"t": topic}, "guide", [(name, {argument: topic})], title, None
            )

    def _task(
        self,
        wording: str,
        words: dict[str, str],
        intent: str,
        plan: Any,
        answer: Any,
        row: dict[str, str] | None,
    ) -> None:
        """A task of a person who may do it, or of one who may not, and whose call is denied.

        Args:
            row: that is changed; only its own team may.
        """
        query = wording.format(**words)
        query += "" if query.endswith("?") else self._said["end"]
        if any(task["query"] == query for task in self._tasks):
            return
        person = self._draw.choice(self._people)
        if row is not None and self._ruled and person["team"] != row["team"]:
            if len(plan) == 1 and self._draw.random() < 0.3:
                answer, intent = {"status": "denied"}, f"{intent} denied"
            else:
                person = next(each for each in self._people if each["team"] == row["team"])
        steps = [{"tool": tool, "arguments": arguments} for tool, arguments in plan]
        task = {"query": query, "persona": person["id"], "split": "train", "intent": intent, "plan": steps}
        self._tasks.append(task if answer is None else {**task, "answer": answer})


_USES = (*_VERBS, "list", "count", "check")


def _titles(words: list[str], join: str, draw: Random) -> list[str]:
    """Titles of two words, all different."""
    pairs = [join.join((one, other)) for one in words for other in words if one != other]
    draw.shuffle(pairs)
    return pairs


def _rules(table: str) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = [
        {"id": f"SEE-{table.upper()}", "operations": ["read"], "when": {"always": True}}
    ]
    if table not in ("people", "pages"):
        own = {
            "id": f"OWN-{table.upper()}",
            "operations": ["create", "update", "delete"],
            "when": {"same": "team"},
        }
        rules.append(own)
    return rules
