"""The functions of SOQL: which fields they take and what they are in SQL."""

from __future__ import annotations

from dataclasses import dataclass

from tools.kinds.crm.schema import IDS, NUMBERS, FieldType

_DATES = frozenset({"date", "datetime"})
_TEXTS = frozenset({"string", "picklist", "email", "phone", "url"})
_COUNTABLE = _DATES | _TEXTS | IDS | NUMBERS


@dataclass(frozen=True)
class Function:
    """A function of one field.

    Attributes:
        aggregate: whether it sums up many records.
        takes: types of fields that it can be applied to.
        gives: the type of its value; None: that of the field.
        sql: with `{x}` for the field's value; a number is put in as such.
    """

    name: str
    aggregate: bool
    takes: frozenset[str]
    gives: FieldType | None
    sql: str


def _date_part(
    name: str, sql: str, takes: frozenset[str] = _DATES, gives: FieldType = "int"
) -> list[Function]:
    names = [name]
    if name.startswith("CALENDAR_"):
        names.append(name.replace("CALENDAR_", "FISCAL_"))
    return [Function(each, False, takes, gives, sql) for each in names]


_DAY_OF_YEAR = "CAST(strftime('%j', substr({x}, 1, 10)) AS INTEGER)"
_DAY_OF_MONTH = "CAST(substr({x}, 9, 2) AS INTEGER)"
_TIMES = frozenset({"datetime"})

FUNCTIONS = {
    function.name: function
    for function in [
        Function("COUNT", True, _COUNTABLE, "int", "COUNT({x})"),
        Function("COUNT_DISTINCT", True, _COUNTABLE, "int", "COUNT(DISTINCT {x})"),
        Function("SUM", True, NUMBERS, "double", "SUM({x})"),
        Function("AVG", True, NUMBERS, "double", "AVG({x})"),
        Function("MIN", True, _COUNTABLE, None, "MIN({x})"),
        Function("MAX", True, _COUNTABLE, None, "MAX({x})"),
        *_date_part("CALENDAR_YEAR", "CAST(substr({x}, 1, 4) AS INTEGER)"),
        *_date_part("CALENDAR_QUARTER", "(CAST(substr({x}, 6, 2) AS INTEGER) + 2) / 3"),
        *_date_part("CALENDAR_MONTH", "CAST(substr({x}, 6, 2) AS INTEGER)"),
        *_date_part("DAY_IN_MONTH", _DAY_OF_MONTH),
        *_date_part("DAY_IN_WEEK", "CAST(strftime('%w', substr({x}, 1, 10)) AS INTEGER) + 1"),
        *_date_part("DAY_IN_YEAR", _DAY_OF_YEAR),
        *_date_part("WEEK_IN_MONTH", f"({_DAY_OF_MONTH} - 1) / 7 + 1"),
        *_date_part("WEEK_IN_YEAR", f"({_DAY_OF_YEAR} - 1) / 7 + 1"),
        *_date_part("HOUR_IN_DAY", "CAST(substr({x}, 12, 2) AS INTEGER)", _TIMES),
        *_date_part("DAY_ONLY", "substr({x}, 1, 10)", _TIMES, "date"),
    ]
}
