"""Faults between records, and the records for quarantine."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from pathlib import PurePosixPath

from worksmith.tools.importing.raw import folded
from worksmith.tools.kinds.enterprise.importing.documents import ORDER_FOLDER
from worksmith.tools.kinds.enterprise.importing.fields import LINKS, PEOPLE
from worksmith.tools.kinds.enterprise.importing.rows import Reading, Row
from worksmith.tools.kinds.enterprise.schema import KEYS


class Checks:
    """Looks at everything that was read, reports what does not fit, and repairs faults.

    Args:
        now: the clock of the world: who left before it has left.
    """

    def __init__(self, reading: Reading, now: datetime) -> None:
        self._reading = reading
        self._report = reading.report
        self._now = now
        self._employees = {str(row["emp_id"]): row for row in reading.tables.get("employees", ())}

    def run(self) -> None:
        self._managers()
        self._activity()
        self._leaves()
        self._addresses()
        self._mail_people()
        self._dangling()
        self._with_themselves()
        self._signatures()
        self._support_chats()
        self._tickets()
        self._resumes()
        self._order_paths()

    def _rows(self, source: str) -> list[Row]:
        return self._reading.tables.get(source, [])

    def _place(self, reference: str) -> str:
        return self._reading.places.get(reference, "")

    def _warn(self, kind: str, reference: str, reason: str) -> None:
        self._report.warn(kind, self._place(reference), reference, reason)

    def _flag(self, kind: str, reference: str, reason: str) -> None:
        self._report.flag(kind, reference, reason)

    def _managers(self) -> None:
        """`reports_to` names the manager; `reportees` should agree, without circles."""
        listed: dict[str, list[str]] = defaultdict(list)
        for emp_id, row in self._employees.items():
            for reportee in (row.pop("reportees", None) or "").split(","):
                if reportee:
                    listed[reportee].append(emp_id)
        for emp_id, row in self._employees.items():
            manager, reference = row["reports_to"], f"employees/{emp_id}"
            if manager is not None and manager not in self._employees:
                self._warn(
                    "unknown_manager", reference, f"reports to {manager}, who is not there; left empty"
                )
                row["reports_to"] = None
            elif any(lister != manager for lister in listed[emp_id]):
                self._warn(
                    "asymmetric_manager", reference, f"reports to {manager}, is listed by {listed[emp_id]}"
                )
        self._break_circles()

    def _break_circles(self) -> None:
        sound: set[str] = set()
        for emp_id in self._employees:
            path: list[str] = []
            person: str | None = emp_id
            while person is not None and person not in sound and person not in path:
                path.append(person)
                person = self._employees[person]["reports_to"]
            if person is not None and person in path:
                reference = f"employees/{path[-1]}"
                self._warn(
                    "manager_circle", reference, f"is below and above {person}; the manager is left empty"
                )
                self._employees[path[-1]]["reports_to"] = None
            sound.update(path)

    def _activity(self) -> None:
        """A former employee is not valid, for any value of the flag."""
        today = self._now.date().isoformat()
        for emp_id, row in self._employees.items():
            left = row["dol"] is not None and row["dol"] < today
            if left and row["is_valid"] != "FALSE":
                reason = f"left on {row['dol']}; is_valid {row['is_valid']} becomes FALSE"
                self._warn("left_but_valid", f"employees/{emp_id}", reason)
                row["is_valid"] = "FALSE"
            elif row["is_valid"] is None:
                row["is_valid"] = "TRUE"

    def _leaves(self) -> None:
        for emp_id, row in self._employees.items():
            kinds = ("casual", "sick", "vacation")
            cells = [(row[f"total_{kind}_leaves"], row[f"remaining_{kind}_leaves"]) for kind in kinds]
            if row["total_leaves_taken"] is None or any(a is None or b is None for a, b in cells):
                continue
            taken = sum(int(total or 0) - int(remaining or 0) for total, remaining in cells)
            if taken != int(row["total_leaves_taken"]):
                reason = f"{row['total_leaves_taken']} leaves taken, but the balances make {taken}"
                self._warn("leaves_do_not_add_up", f"employees/{emp_id}", reason)

    def _addresses(self) -> None:
        holders: dict[str, list[str]] = defaultdict(list)
        for emp_id, row in self._employees.items():
            if row["email"]:
                holders[row["email"].lower()].append(emp_id)
        for address, people in holders.items():
            if len(people) > 1:
                reason = f"{address} belongs to {', '.join(people)}"
                self._warn("shared_address", f"employees/{people[0]}", reason)

    def _mail_people(self) -> None:
        """Sender and recipient by id; where the id is missing, by an address of one person only."""
        holders = Counter(row["email"].lower() for row in self._employees.values() if row["email"])
        single = {
            row["email"].lower(): emp_id
            for emp_id, row in self._employees.items()
            if row["email"] and holders[row["email"].lower()] == 1
        }
        for row in self._rows("mail"):
            for role in ("sender", "recipient"):
                address = row[f"{role}_email"]
                if row[f"{role}_emp_id"] is None and address and (found := single.get(address.lower())):
                    row[f"{role}_emp_id"] = found
                    self._warn(
                        "person_by_address", f"mail/{row['email_id']}", f"the {role} is taken from {address}"
                    )

    def _dangling(self) -> None:
        links: dict[str, list[tuple[str, str]]] = {
            source: [(column, "employees") for column in columns] for source, columns in PEOPLE.items()
        }
        for source, more in LINKS.items():
            links.setdefault(source, []).extend(more.items())
        keys = {
            target: {row[KEYS[target]] for row in self._rows(target)}
            for target in ("employees", "products", "customers", "overflow")
        }
        for source, pairs in links.items():
            for row in self._rows(source):
                for column, target in pairs:
                    # A missing source is reported once, not for every record.
                    if row.get(column) is None or not keys[target] or row[column] in keys[target]:
                        continue
                    reference = f"{source}/{row[KEYS[source]]}"
                    reason = f"{column} {row[column]} is not among the {target}"
                    self._warn("dangling", reference, reason)
                    self._flag("dangling", reference, reason)

    def _with_themselves(self) -> None:
        for source, kind in (("conversations", "self_conversation"), ("mail", "self_mail")):
            for row in self._rows(source):
                if row["sender_emp_id"] and row["sender_emp_id"] == row["recipient_emp_id"]:
                    reference = f"{source}/{row[KEYS[source]]}"
                    self._flag(kind, reference, f"{row['sender_emp_id']} talks to themselves")

    def _signatures(self) -> None:
        for row in self._rows("mail"):
            sender = self._employees.get(row["sender_emp_id"] or "")
            name = (sender and sender["name"]) or row["sender_name"]
            if name and name.split()[-1] not in (row["signature"] or ""):
                reason = f"the signature does not name {name}"
                self._flag("foreign_signature", f"mail/{row['email_id']}", reason)

    def _support_chats(self) -> None:
        bought: dict[tuple[str | None, str | None], str] = {}
        for row in self._rows("sales"):
            pair, day = (row["product_id"], row["customer_id"]), row["date_of_purchase"]
            if day is not None:
                bought[pair] = min(day, bought.get(pair, day))
        if not bought:
            return
        for row in self._rows("support_chats"):
            first = bought.get((row["product_id"], row["customer_id"]))
            reference = f"support_chats/{row['chat_id']}"
            if first is None:
                self._flag("chat_without_purchase", reference, "the customer never bought the product")
            elif row["interaction_date"] and row["interaction_date"] < first:
                reason = f"held on {row['interaction_date']}, first bought on {first}"
                self._flag("chat_before_purchase", reference, reason)

    def _tickets(self) -> None:
        for row in self._rows("tickets"):
            resolver = self._employees.get(row["emp_id"] or "")
            left = resolver and resolver["dol"]
            if left and row["assigned_date"] and row["assigned_date"] > left:
                reason = f"assigned on {row['assigned_date']} to {row['emp_id']}, who left on {left}"
                self._flag("ticket_after_leaving", f"tickets/{row['ticket_id']}", reason)

    def _resumes(self) -> None:
        """The original's resumes are other people's; even one that fits is not to be relied on."""
        for row in self._rows("resumes"):
            employee = self._employees.get(row["emp_id"] or "")
            fits = bool(employee and row["name"] and folded(employee["name"] or "") == folded(row["name"]))
            reason = "it has the employee's name" if fits else f"it is not {row['emp_id']}'s"
            self._flag("resume", f"resumes/{row['resume_id']}", reason)

    def _order_paths(self) -> None:
        """Paths of order documents lead to where these lie beside the world."""
        there = {folded(PurePosixPath(row["path"] or "").name): row["path"] for row in self._rows("orders")}
        for row in self._rows("customers"):
            reference = f"customers/{row['customer_id']}"
            for column in ("invoice_path", "purchase_order_path", "shipping_order_path"):
                old = row[column]
                if not old:
                    continue
                name = PurePosixPath(old.replace("\\", "/")).name
                row[column] = there.get(folded(name)) or f"{ORDER_FOLDER}/{name}"
                if folded(name) not in there:
                    self._warn("order_document_missing", reference, f"{old} is not there")
