"""References of texts to records that people mention in passing."""

from __future__ import annotations

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.latent import Built


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
