"""Which sources are checked for coherence, and by which function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.tools.kinds.enterprise.generate.checks.coherence.clients import incoherent_client
from tests.tools.kinds.enterprise.generate.checks.coherence.conversations import incoherent_talk
from tests.tools.kinds.enterprise.generate.checks.coherence.mail import incoherent_mail
from tests.tools.kinds.enterprise.generate.checks.coherence.overflow import incoherent_thread
from tests.tools.kinds.enterprise.generate.checks.coherence.posts import incoherent_post
from tests.tools.kinds.enterprise.generate.checks.coherence.resumes import incoherent_resume
from tests.tools.kinds.enterprise.generate.checks.coherence.sentiments import incoherent_review
from tests.tools.kinds.enterprise.generate.checks.coherence.support_chats import incoherent_chat
from tests.tools.kinds.enterprise.generate.checks.coherence.tickets import incoherent_ticket
from tests.tools.kinds.enterprise.generate.checks.coherence.vendors import incoherent_vendor
from worksmith.evals.kinds.enterprise.facts import Facts, Record, ref
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.latent import Built

Check = Callable[[Record, Facts], Iterable[str]]
"""Says what does not belong together in a record.

It compares the record's own text, and that of records it refers to, with the tables in `generate/texts`. It
does not look at latent facts, so that it finds a text that was changed as well as one that was drawn wrongly.
The facts are there to look records up.
"""

CHECKS: dict[str, Check] = {
    "clients": incoherent_client,
    "conversations": incoherent_talk,
    "mail": incoherent_mail,
    "posts": incoherent_post,
    "overflow": incoherent_thread,
    "sentiments": incoherent_review,
    "resumes": incoherent_resume,
    "support_chats": incoherent_chat,
    "tickets": incoherent_ticket,
    "vendors": incoherent_vendor,
}
"""By source. A source whose records are drawn from more than one list has a function here."""


def verify_coherence(built: Built, every: int = 1) -> Iterator[str]:
    """Records that make no sense, one line each: the reference, then why; one of `every` is looked at."""
    facts = Facts(built, DEFAULT_NOW)
    for source, check in CHECKS.items():
        for record in facts.all(source)[::every]:
            for reason in check(record, facts):
                yield f"{ref(source, record)}: {reason}"
