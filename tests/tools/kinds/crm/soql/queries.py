"""Random valid queries over the schema."""

from __future__ import annotations

import random
from typing import Any

from tests.tools.kinds.crm.soql.model import Both, Cmp, Expr, In, Key, Neg, Path, Period, Select, Semi
from tests.tools.kinds.crm.soql.org import Org, random_value
from worksmith.tools.kinds.crm.schema import CrmObject, Field, Schema

_NUMBERS = ("int", "double", "currency")
_TEXTS = ("string", "picklist", "email", "phone", "url")
_DATES = ("date", "datetime")
_NAME_FIELDS = ("Id", "Name", "FirstName", "LastName", "Email", "Alias", "Username", "Phone")
_PARTS = (
    "CALENDAR_YEAR",
    "CALENDAR_QUARTER",
    "CALENDAR_MONTH",
    "FISCAL_YEAR",
    "DAY_IN_MONTH",
    "DAY_IN_WEEK",
    "DAY_IN_YEAR",
    "WEEK_IN_MONTH",
    "WEEK_IN_YEAR",
)
_UNITS = ("DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
_ORDERED = ("<", "<=", ">", ">=")


class Chooser:
    """Draws queries over `org` from `random`."""

    def __init__(self, random: random.Random, schema: Schema, org: Org) -> None:
        self.random = random
        self.schema = schema
        self.org = org

    def query(self) -> Select:
        """Any query."""
        kind = self.random.choice(("records", "records", "children", "grouped", "grouped", "total", "count"))
        each = self.random.choice(self.schema.objects)
        where = self.where(each) if self.random.random() < 0.8 else None
        if kind == "count":
            return Select(each.name, (), where, **self.page())
        if kind == "total":
            return Select(
                each.name, tuple(self.aggregate(each) for _ in range(self.random.randint(1, 3))), where
            )
        if kind == "grouped":
            return self.grouped(each, where)
        items: list[Any] = list(self.fields(each))
        children = self.schema.children(each.name)
        if kind == "children" and children:
            child = self.random.choice(children)
            items.insert(self.random.randint(0, len(items)), (child.name, self.records(child.object)))
        order = tuple(self.key(Expr(self.path(each, sort=True))) for _ in range(self.random.randint(0, 2)))
        return Select(each.name, tuple(items), where, order=order, **self.page())

    def records(self, name: str) -> Select:
        """A query for records, as children are asked for."""
        each = self.schema.object(name)
        assert each is not None
        where = self.where(each, semi=False) if self.random.random() < 0.5 else None
        order = (self.key(Expr(self.path(each, sort=True))),)
        limit = self.random.choice((None, None, 1, 2))
        return Select(name, tuple(self.fields(each)), where, order=order, limit=limit)

    def grouped(self, each: CrmObject, where: Any) -> Select:
        group = {expr.text: expr for expr in (self.group_key(each) for _ in range(self.random.randint(1, 2)))}
        names = [expr.path[-1] for expr in group.values() if not expr.function]
        if len(set(names)) < len(names):  # two fields of one name would need aliases
            group = dict(list(group.items())[:1])
        keys = tuple(group.values())
        taken = {expr.path for expr in keys if not expr.function}
        sums = [expr for expr in (self.aggregate(each) for _ in range(2)) if expr.path not in taken]
        items = [*keys, *sums]
        self.random.shuffle(items)
        having = self.having(keys, sums) if sums and self.random.random() < 0.4 else None
        order = tuple(self.key(self.random.choice(items)) for _ in range(self.random.randint(0, 2)))
        return Select(each.name, tuple(items), where, keys, having, order, **self.page())

    def page(self) -> dict[str, Any]:
        limit = self.random.choice((None, None, 0, 1, 3, 50))
        return {"limit": limit, "offset": self.random.choice((None, None, None, 0, 1, 4))}

    def fields(self, each: CrmObject) -> list[Expr]:
        paths = {self.path(each) for _ in range(self.random.randint(1, 4))}
        return [Expr(path) for path in sorted(paths)]

    def key(self, expr: Expr) -> Key:
        return Key(expr, self.random.random() < 0.5, self.random.random() < 0.5)

    def path(self, each: CrmObject, sort: bool = False, types: tuple[str, ...] = ()) -> Path:
        """A field of the object or of a parent; () where there is none of these types."""
        names: Path = ()
        through: Field | None = None
        while self.random.random() < 0.3 and not (through and through.polymorphic):
            links = [field for field in each.queryable if field.parent]
            if not links or len(names) == 5:
                break
            through = self.random.choice(links)
            names = (*names, through.parent)
            parent = self.schema.object(through.targets[0])
            assert parent is not None
            each = parent
        fields = [f for f in each.queryable if not (sort and f.type == "textarea")]
        fields = [f for f in fields if not types or f.type in types]
        if through and through.polymorphic:
            fields = [f for f in fields if f.name in _NAME_FIELDS]
        return (*names, self.random.choice(fields).name) if fields else ()

    def field(self, each: CrmObject, path: Path) -> Field:
        for name in path[:-1]:
            link = each.parent(name)
            assert link is not None
            parent = self.schema.object(link.targets[0])
            assert parent is not None
            each = parent
        field = each.field(path[-1])
        assert field is not None
        return field

    def group_key(self, each: CrmObject) -> Expr:
        if self.random.random() < 0.3 and (path := self.path(each, types=_DATES)):
            return Expr(path, self.part(self.field(each, path)))
        return Expr(self.path(each, types=("id", "reference", "boolean", "date", *_TEXTS)) or ("Id",))

    def part(self, field: Field) -> str:
        return self.random.choice(_PARTS + (("HOUR_IN_DAY", "DAY_ONLY") if field.type == "datetime" else ()))

    def aggregate(self, each: CrmObject) -> Expr:
        if self.random.random() < 0.5 and (path := self.path(each, types=_NUMBERS)):
            return Expr(path, self.random.choice(("SUM", "AVG", "MIN", "MAX", "COUNT", "COUNT_DISTINCT")))
        path = self.path(each, types=("id", "reference", *_DATES, *_TEXTS)) or ("Id",)
        return Expr(path, self.random.choice(("COUNT", "COUNT_DISTINCT", "MIN", "MAX")))

    def having(self, keys: tuple[Expr, ...], sums: list[Expr]) -> Any:
        counts = [Expr(expr.path, "COUNT") for expr in sums]
        part = Cmp(
            self.random.choice(counts), self.random.choice(("=", "!=", *_ORDERED)), self.random.randint(0, 3)
        )
        return self.random.choice((part, Neg(part), Both("OR", (part, Cmp(counts[0], "=", 1)))))

    def where(self, each: CrmObject, semi: bool = True) -> Any:
        parts = [self.condition(each, 2) for _ in range(self.random.randint(1, 3))]
        if semi and self.random.random() < 0.25 and (found := self.semi(each)):
            parts.append(found)
            return Both("AND", tuple(parts))
        return parts[0] if len(parts) == 1 else Both(self.random.choice(("AND", "OR")), tuple(parts))

    def condition(self, each: CrmObject, depth: int) -> Any:
        kind = self.random.random() if depth else 0
        if kind > 0.85:
            return Neg(self.condition(each, depth - 1))
        if kind > 0.7:
            parts = tuple(self.condition(each, depth - 1) for _ in range(2))
            return Both(self.random.choice(("AND", "OR")), parts)
        return self.term(each)

    def term(self, each: CrmObject) -> Any:
        path = self.path(each, sort=True)
        field = self.field(each, path)
        if field.type in _DATES and self.random.random() < 0.4:
            return self.of_part(Expr(path, self.part(field)), field)
        if self.random.random() < 0.3:
            values = tuple(self.value(field) for _ in range(self.random.randint(1, 4)))
            return In(Expr(path), self.random.random() < 0.5, values)
        if field.type in _TEXTS and self.random.random() < 0.3:
            return Cmp(Expr(path), "LIKE", self.pattern())
        value = self.value(field)
        operators = ("=", "!=") if value is None or field.type == "boolean" else ("=", "!=", *_ORDERED)
        return Cmp(Expr(path), self.random.choice(operators), value)

    def of_part(self, expr: Expr, field: Field) -> Any:
        operator = self.random.choice(("=", "!=", *_ORDERED))
        if expr.function == "DAY_ONLY":
            return Cmp(
                expr, operator, self.random.choice((random_value(self.random, field).date(), self.period()))
            )
        return Cmp(expr, operator, self.random.choice((1, 2, 4, 12, 30, 2022)))

    def semi(self, each: CrmObject) -> Semi | None:
        lefts = [f for f in each.queryable if f.type == "id" or f.targets]
        left = self.random.choice(lefts)
        targets = {each.name} if left.type == "id" else set(left.targets)
        inners = [
            (other, field.name)
            for other in self.schema.objects
            if other is not each
            for field in other.queryable
            if (({other.name} if field.type == "id" else set(field.targets)) & targets)
        ]
        if not inners:
            return None
        other, name = self.random.choice(inners)
        where = self.where(other, semi=False) if self.random.random() < 0.7 else None
        return Semi(Expr((left.name,)), self.random.random() < 0.5, other.name, name, where)

    def value(self, field: Field) -> Any:
        """A literal for a field; often one that is there."""
        if self.random.random() < 0.1:
            return None
        if field.type in _DATES and self.random.random() < 0.4:
            return self.period()
        if field.type in ("id", "reference"):
            targets = [t for t in field.targets if t in self.org] or [self.random.choice(list(self.org))]
            return self.random.choice(self.org[targets[0]])["Id"]
        return random_value(self.random, field)

    def period(self) -> Period:
        unit = self.random.choice(_UNITS)
        count = self.random.choice((0, 1, 2, 5, 13))
        side = self.random.choice(("LAST", "NEXT", "THIS"))
        if unit == "DAY":
            near = self.random.choice(("YESTERDAY", "TODAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS"))
        else:
            near = f"{side}_{unit}"
        counted = f"{'LAST' if side == 'THIS' else side}_N_{unit}S"
        kinds = (Period(near), Period(counted, max(count, 1)), Period(f"N_{unit}S_AGO", count))
        return self.random.choice(kinds)

    def pattern(self) -> tuple[str, ...]:
        parts = ("%", "_", "a", "A", "lph", "_1", "%", "é", "\\", "'", "100%")
        return tuple(self.random.choice(parts) for _ in range(self.random.randint(1, 3)))
