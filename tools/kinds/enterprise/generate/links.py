"""Records that people mention in passing: tickets, issues, products, mail threads."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import Built, reference


@dataclass(frozen=True)
class Citable:
    """A record that a chat or a mail may mention.

    Attributes:
        ref: the record, `source/key`.
        key: how people name it: its key, of a mail that of its thread.
        day: since when it exists.
        people: the ids of those who know of it; everybody if empty.
        name: what goes with the key in the text, for a product its name.
    """

    ref: str
    key: str
    day: date
    people: frozenset[str] = frozenset()
    name: str = ""

    def known_to(self, *readers: Employee) -> bool:
        """Whether one of `readers` knows of it."""
        return not self.people or any(one.emp_id in self.people for one in readers)

    def mention(self, numbers: random.Random) -> str:
        """A sentence that names it."""
        forms = grammar("conversations").data["cite"][self.ref.partition("/")[0]]
        form: str = numbers.choice(forms)
        return form.format(key=self.key, name=self.name)


def cite(draft: Draft, project: str, one: Citable) -> None:
    """Let people of a project mention a record from now on."""
    draft.citable.setdefault(project, []).append(one)


def cite_products(draft: Draft) -> None:
    """Let people mention the product that their project is for."""
    for project in draft.projects:
        if project.product is not None:
            key = project.product.product_id
            one = Citable(reference("products", key), key, project.start, name=project.product.name)
            cite(draft, project.name, one)


def unnamed(built: Built, latent: Latent, text: str) -> list[str]:
    """Which of the records that a text is said to mention it does not name."""
    found = []
    for ref in latent.refs:
        source, _, key = ref.partition("/")
        name = _thread(built, key) if source == "mail" else key
        if name not in text:
            found.append(f"{latent.ref}: {ref} is not named")
    return found


def _thread(built: Built, email_id: str) -> str:
    """The thread of a mail. Ids are numbered in the order of the rows."""
    row = built.rows["mail"][int(email_id.removeprefix("EM-")) - 1]
    assert row[0] == email_id
    return str(row[1])
