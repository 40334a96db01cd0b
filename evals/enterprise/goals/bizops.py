"""Business operations: clients in trial or contract, vendors, and the people who look after them."""

from __future__ import annotations

from evals.enterprise.facts import Record
from evals.enterprise.goals import entities
from evals.enterprise.goals.goal import Book, Slots, Values
from evals.enterprise.goals.messages import manager_of
from evals.enterprise.goals.sales import in_year, latest, span
from evals.enterprise.goals.scene import Draw, Scene, clear_best
from evals.enterprise.goals.script import Row, Script, UnfitError
from evals.task import Entity

BOOK = Book("BizOps", "bizops.toml", departments=("BU",))
SUBAREA = "client/vendor"

MANAGEMENT = ("MA",)
"""Vendors are theirs."""

YEARS = tuple(str(year) for year in range(2017, 2023))


# --- clients --------------------------------------------------------------------------------------------


def draw_client_terms(scene: Scene) -> Draw | None:
    """Any client."""
    client = _client(scene)
    if client is None:
        return None
    answer = [entities.date(client["renewal_date"]), entities.amount(client["monthly_revenue"])]
    return _draw(scene, {"client": client["business_name"]}, client, answer)


@BOOK.goal(SUBAREA, steps=1, draw=draw_client_terms)
def client_terms(slots: Slots, call: Script) -> Values:
    """One look at the clients."""
    client = find_client(call, slots)
    return client["renewal_date"], client["monthly_revenue"]


def draw_client_plan(scene: Scene) -> Draw | None:
    """A client by id, and what is planned."""
    client = _client(scene)
    told = _told(scene, "clients", client)
    if client is None or not {"units", "next_day"} <= told.keys():
        return None
    answer = [entities.number(int(told["units"])), entities.date(told["next_day"])]
    return _draw(scene, {"client": client["client_id"]}, client, answer)


@BOOK.goal(SUBAREA, steps=1, draw=draw_client_plan, denials=("wrong_department",))
def client_plan(slots: Slots, call: Script) -> Values:
    """Read what is written of the client."""
    client = call.one("clients", "I open that client's record.", client_id=slots["client"])
    return call.fact(client, "units"), call.fact(client, "next_day")


def draw_clients_in_year(scene: Scene) -> Draw | None:
    """An industry and a year with new clients or without."""
    industry = scene.rng.choice(scene.facts.all("clients"))["industry"]
    year = scene.rng.choice(YEARS)
    rows = in_year(scene.facts.where("clients", industry=industry), "onboarding_date", year)
    slots = {"industry": industry, "year": year}
    if not rows:
        return scene.draw(slots, nothing=True)
    last = latest(rows, "onboarding_date")
    if last is None or len(rows) < 2:
        return None
    answer = [entities.number(len(rows)), entities.text(last["business_name"])]
    return scene.draw(slots, answer=answer)


@BOOK.goal(SUBAREA, steps=1, draw=draw_clients_in_year, empty=True)
def clients_in_year(slots: Slots, call: Script) -> Values:
    """Count them; the newest comes first."""
    rows = call.every(
        "clients", f"I look for the clients of that industry that we won in {slots['year']}.",
        industry=slots["industry"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), rows[0]["business_name"]) if rows else call.none(rows)


def draw_client_contact(scene: Scene) -> Draw | None:
    """Who looks after a client."""
    found = _with_representative(scene, "clients")
    if found is None:
        return None
    client, person = found
    answer = [entities.person(person), entities.ident("email", person["email"])]
    return _draw(scene, {"client": client["business_name"]}, client, answer)


@BOOK.goal(SUBAREA, steps=2, draw=draw_client_contact)
def client_contact(slots: Slots, call: Script) -> Values:
    """The client, then the directory."""
    person = representative(call, find_client(call, slots))
    return person["name"], person["email"]


def draw_client_product(scene: Scene) -> Draw | None:
    """What a client tries out, and whether we have it."""
    found = _with_product(scene)
    if found is None:
        return None
    client, product = found
    answer = [entities.text(product["product_name"]), entities.number(int(product["stock"]))]
    return _draw(scene, {"client": client["business_name"]}, client, answer)


@BOOK.goal(SUBAREA, steps=2, draw=draw_client_product)
def client_product(slots: Slots, call: Script) -> Values:
    """The client, then the product."""
    product = find_product(call, find_client(call, slots))
    return product["product_name"], product["stock"]


def draw_client_manager(scene: Scene) -> Draw | None:
    """The manager of who looks after a client."""
    found = _with_representative(scene, "clients")
    manager = scene.facts.manager(found[1]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    client, person = found
    answer = [entities.person(person), entities.ident("email", manager["email"])]
    return _draw(scene, {"client": client["business_name"]}, client, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_client_manager)
def client_manager(slots: Slots, call: Script) -> Values:
    """The client, then two entries of the directory."""
    person = representative(call, find_client(call, slots))
    return person["name"], manager_of(call, person)["email"]


def draw_client_reviews(scene: Scene) -> Draw | None:
    """What others think of the product a client tries out."""
    found = _with_product(scene)
    reviews = scene.facts.where("sentiments", product_id=found[1]["product_id"]) if found else []
    if found is None or not 0 < len(reviews) <= 50:
        return None
    client, product = found
    answer = [entities.rating(product["rating"]), entities.number(len(reviews))]
    return _draw(scene, {"client": client["business_name"]}, client, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_client_reviews)
def client_reviews(slots: Slots, call: Script) -> Values:
    """The client, the product, its reviews."""
    product = find_product(call, find_client(call, slots))
    reviews = call.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    return product["rating"], str(reviews.total)


def draw_client_reviews_in_year(scene: Scene) -> Draw | None:
    """The reviews of a year on the product a client tries out, or that there are none."""
    found, year = _with_product(scene), scene.rng.choice(YEARS)
    if found is None:
        return None
    client, product = found
    rows = in_year(scene.facts.where("sentiments", product_id=product["product_id"]), "review_date", year)
    slots = {"client": client["business_name"], "year": year}
    last = latest(rows, "review_date")
    if not rows:
        return scene.draw(slots, nothing=True, about=[("clients", client)])
    if last is None:
        return None
    answer = [entities.number(len(rows)), entities.date(last["review_date"])]
    return _draw(scene, slots, client, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_client_reviews_in_year, empty=True)
def client_reviews_in_year(slots: Slots, call: Script) -> Values:
    """The client, the product, its reviews of the year."""
    product = find_product(call, find_client(call, slots))
    reviews = call.every(
        "sentiments", f"Now its reviews of {slots['year']}.",
        product_id=product["product_id"], **span(slots["year"]),
    )  # fmt: skip
    return (str(reviews.total), reviews[0]["review_date"]) if reviews else call.none(reviews)


def draw_other_clients(scene: Scene) -> Draw | None:
    """Whether who looks after a client has clients in some industry."""
    found = _with_representative(scene, "clients")
    industry = scene.rng.choice(scene.facts.all("clients"))["industry"]
    if found is None or industry == found[0]["industry"]:
        return None
    rows = scene.facts.where("clients", emp_id=found[1]["emp_id"], industry=industry)
    slots = {"client": found[0]["business_name"], "industry": industry}
    if len(rows) > 5:
        return None
    answer = [entities.text(row["business_name"]) for row in rows]
    return scene.draw(slots, answer=answer, nothing=not rows, about=[("clients", found[0])])


@BOOK.goal(SUBAREA, steps=2, draw=draw_other_clients, empty=True)
def other_clients(slots: Slots, call: Script) -> Values:
    """The client, then all of that colleague's in the industry."""
    client = find_client(call, slots)
    rows = call.every(
        "clients", "Now the clients of that colleague in the other industry.",
        representative=client["emp_id"], industry=slots["industry"],
    )  # fmt: skip
    return tuple(row["business_name"] for row in rows) if rows else call.none(rows)


def draw_richer_client(scene: Scene) -> Draw | None:
    """Two clients, of which one brings clearly more."""
    first, second = _client(scene), _client(scene)
    if first is None or second is None or first is second:
        return None
    revenue = {row["business_name"]: float(row["monthly_revenue"]) for row in (first, second)}
    best = clear_best(revenue)
    if best is None:
        return None
    row = first if first["business_name"] == best else second
    slots = {"client": first["business_name"], "other": second["business_name"]}
    answer = [entities.text(best), entities.amount(row["monthly_revenue"])]
    return scene.draw(slots, answer=answer, about=[("clients", first), ("clients", second)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_richer_client)
def richer_client(slots: Slots, call: Script) -> Values:
    """Both clients, and the larger revenue."""
    rows = [_client_called(call, name) for name in (slots["client"], slots["other"])]
    call.weigh(*rows)
    best = max(rows, key=lambda row: float(row["monthly_revenue"]))
    return best["business_name"], best["monthly_revenue"]


def draw_top_client(scene: Scene) -> Draw | None:
    """The client of an industry that brings most, and who looks after it."""
    industry = scene.rng.choice(scene.facts.all("clients"))["industry"]
    rows = scene.facts.where("clients", industry=industry)
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    client = scene.facts.get("clients", best) if best and len(rows) <= 50 else None
    person = scene.facts.colleague(client["emp_id"]) if client else None
    manager = scene.facts.manager(person["emp_id"]) if person else None
    if client is None or person is None or manager is None:
        return None
    answer = [
        entities.text(client["business_name"]),
        entities.person(person),
        entities.ident("email", manager["email"]),
    ]
    return _draw(scene, {"industry": industry}, client, answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_top_client)
def top_client(slots: Slots, call: Script) -> Values:
    """All clients of the industry, the best one's representative, the manager."""
    rows = call.every("clients", "I need all clients of that industry.", industry=slots["industry"])
    best = clear_best({row["client_id"]: float(row["monthly_revenue"]) for row in rows})
    if best is None:
        raise UnfitError("no client leads clearly")
    client = call.pick(next(row for row in rows if row["client_id"] == best))
    person = representative(call, client)
    return client["business_name"], person["name"], manager_of(call, person)["email"]


def draw_client_overview(scene: Scene) -> Draw | None:
    """Who looks after a client, who is above, and whether the product is there."""
    return _overview(scene, reviews=False)


@BOOK.goal(SUBAREA, steps=4, draw=draw_client_overview)
def client_overview(slots: Slots, call: Script) -> Values:
    """The client, two entries of the directory, the product."""
    client, values = _people(call, slots)
    return (*values, find_product(call, client)["stock"])


def draw_client_report(scene: Scene) -> Draw | None:
    """The same with the number of reviews."""
    return _overview(scene, reviews=True)


@BOOK.goal(SUBAREA, steps=5, draw=draw_client_report)
def client_report(slots: Slots, call: Script) -> Values:
    """And the reviews."""
    client, values = _people(call, slots)
    product = find_product(call, client)
    reviews = call.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    return (*values, product["stock"], str(reviews.total))


def draw_client_report_reviewer(scene: Scene) -> Draw | None:
    """The same with where the latest review comes from."""
    draw = _overview(scene, reviews=True)
    client = scene.facts.at(draw.about[0]) if draw else None
    product = _product_of(scene, client) if client else None
    rows = scene.facts.where("sentiments", product_id=product["product_id"]) if product else []
    review = latest(rows, "review_date")
    reviewer = scene.facts.get("customers", review["customer_id"]) if review else None
    if draw is None or client is None or reviewer is None:
        return None
    return _draw(scene, draw.slots, client, [*draw.answer, entities.text(reviewer["region"])])


@BOOK.goal(SUBAREA, steps=6, draw=draw_client_report_reviewer)
def client_report_reviewer(slots: Slots, call: Script) -> Values:
    """And the author of the latest review."""
    client, values = _people(call, slots)
    product = find_product(call, client)
    reviews = call.every("sentiments", "How many reviews has it?", product_id=product["product_id"])
    author = reviews[0]["customer_id"]
    reviewer = call.one("customers", "Where is the author of the latest?", customer_id=author)
    return (*values, product["stock"], str(reviews.total), reviewer["region"])


# --- vendors --------------------------------------------------------------------------------------------


def draw_vendor_terms(scene: Scene) -> Draw | None:
    """A vendor by id, and the terms."""
    vendor = scene.pick("vendors")
    told = _told(scene, "vendors", vendor)
    if vendor is None or not {"contract_end", "lead_time"} <= told.keys():
        return None
    answer = [entities.date(told["contract_end"]), entities.number(int(told["lead_time"]))]
    return scene.draw({"vendor": vendor["vendor_id"]}, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_vendor_terms, departments=MANAGEMENT, denials=("wrong_department",))
def vendor_terms(slots: Slots, call: Script) -> Values:
    """Read what is written of the vendor."""
    vendor = call.one("vendors", "I open that vendor's record.", vendor_id=slots["vendor"])
    return call.fact(vendor, "contract_end"), call.fact(vendor, "lead_time")


def draw_vendor_contact(scene: Scene) -> Draw | None:
    """Who looks after a vendor."""
    found = _with_representative(scene, "vendors")
    if found is None:
        return None
    vendor, person = found
    answer = [entities.person(person), entities.ident("email", person["email"])]
    slots = {"vendor": vendor["business_name"]}
    return scene.draw(slots, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_vendor_contact, departments=MANAGEMENT)
def vendor_contact(slots: Slots, call: Script) -> Values:
    """The vendor, then the directory."""
    person = representative(call, find_vendor(call, slots))
    return person["name"], person["email"]


def draw_vendor_manager(scene: Scene) -> Draw | None:
    """The end of the contract, and the manager of who looks after it."""
    found = _with_representative(scene, "vendors")
    manager = scene.facts.manager(found[1]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    vendor, _ = found
    told = _told(scene, "vendors", vendor)
    if "contract_end" not in told:
        return None
    answer = [
        entities.date(told["contract_end"]),
        entities.person(manager),
        entities.ident("email", manager["email"]),
    ]
    slots = {"vendor": vendor["business_name"]}
    return scene.draw(slots, answer=answer, about=[("vendors", vendor)])


@BOOK.goal(SUBAREA, steps=3, draw=draw_vendor_manager, departments=MANAGEMENT)
def vendor_manager(slots: Slots, call: Script) -> Values:
    """The vendor, then two entries of the directory."""
    vendor = find_vendor(call, slots)
    end = call.fact(vendor, "contract_end")
    manager = manager_of(call, representative(call, vendor))
    return end, manager["name"], manager["email"]


# --- parts ----------------------------------------------------------------------------------------------


def find_client(call: Script, slots: Slots) -> Row:
    """The client that the text names."""
    return _client_called(call, slots["client"])


def find_vendor(call: Script, slots: Slots) -> Row:
    """The vendor that the text names."""
    return call.one("vendors", "I look the vendor up.", business_name=slots["vendor"])


def find_product(call: Script, client: Row) -> Row:
    """The product that a client tries out."""
    name = client["current_poc_product"]
    return call.one("products", f"They try the {name}, so I look that up.", product_name=name)


def representative(call: Script, partner: Row) -> Row:
    """Who looks after a client or vendor."""
    return call.one("employees", "I look up who looks after them.", emp_id=partner["emp_id"])


def _client_called(call: Script, name: str) -> Row:
    return call.one("clients", f"I look up {name}.", business_name=name)


def _people(call: Script, slots: Slots) -> tuple[Row, tuple[str, ...]]:
    client = find_client(call, slots)
    person = representative(call, client)
    return client, (person["name"], manager_of(call, person)["email"])


def _client(scene: Scene) -> Record | None:
    return _named(scene, "clients")


def _named(scene: Scene, source: str) -> Record | None:
    """A client or vendor whose name is no part of another's."""
    row = scene.pick(source)
    if row is None:
        return None
    name = row["business_name"].lower()
    alike = [other for other in scene.facts.all(source) if name in other["business_name"].lower()]
    return row if len(alike) == 1 else None


def _told(scene: Scene, source: str, row: Record | None) -> dict[str, str]:
    key = next(iter(row.values())) if row else ""
    latent = scene.facts.latent(source, key)
    return dict(latent.facts) if latent else {}


def _with_representative(scene: Scene, source: str) -> tuple[Record, Record] | None:
    row = _named(scene, source)
    person = scene.facts.colleague(row["emp_id"]) if row else None
    return (row, person) if row and person and person["emp_id"] != scene.me["emp_id"] else None


def _product_of(scene: Scene, client: Record) -> Record | None:
    rows = scene.facts.where("products", product_name=client["current_poc_product"])
    return rows[0] if len(rows) == 1 else None


def _with_product(scene: Scene) -> tuple[Record, Record] | None:
    client = _client(scene)
    product = _product_of(scene, client) if client else None
    return (client, product) if client and product else None


def _overview(scene: Scene, *, reviews: bool) -> Draw | None:
    found = _with_representative(scene, "clients")
    manager = scene.facts.manager(found[1]["emp_id"]) if found else None
    product = _product_of(scene, found[0]) if found else None
    if found is None or manager is None or product is None:
        return None
    rows = scene.facts.where("sentiments", product_id=product["product_id"])
    if reviews and not 0 < len(rows) <= 50:
        return None
    answer: list[Entity] = [entities.person(found[1]), entities.ident("email", manager["email"])]
    answer += [entities.number(int(product["stock"]))]
    answer += [entities.number(len(rows))] if reviews else []
    return _draw(scene, {"client": found[0]["business_name"]}, found[0], answer)


def _draw(scene: Scene, slots: Slots, client: Record, answer: list[Entity]) -> Draw | None:
    return scene.draw(slots, answer=answer, about=[("clients", client)])
