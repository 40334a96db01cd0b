"""Records that people mention in passing: tickets, issues, products, mail threads."""

from __future__ import annotations

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Citable
from tools.kinds.enterprise.generate.latent import Built, reference


def cite_products(draft: Draft) -> None:
    """Let people mention the product that their project is for."""
    for project in draft.projects:
        if project.product is not None:
            key = project.product.product_id
            one = Citable(reference("products", key), key, project.start, name=project.product.name)
            draft.cite(project.name, one)


def unnamed(built: Built, latent: Latent, text: str) -> list[str]:
    """References of a text that the text does not name."""
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
