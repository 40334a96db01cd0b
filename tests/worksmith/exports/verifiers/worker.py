"""A model that cancels meetings, rightly or wrongly as the meeting says, over HTTP."""

from __future__ import annotations

import threading
from typing import Any

from tests.chat_server import ChatServer, Reply, called, said

SEARCH, DELETE = "calendar__search_events", "calendar__delete_event"

PLANS: dict[str, list[Reply]] = {
    "Budget review": [
        called((SEARCH, {"query": "Budget review"})),
        called((DELETE, {"event_id": "00000000"})),
        said("It is cancelled."),
    ],
    "Team sync": [called((DELETE, {"event_id": "00000002"})), said("It is cancelled.")],
    "Launch call": [said("There is no such meeting.")],
    "Retro": [
        called((DELETE, "{not json"), ("nothing__there", {}), (DELETE, {"id": 3})),
        called((DELETE, {"event_id": "00000003"}), (DELETE, {"event_id": "99999999"})),
        said("It is cancelled."),
    ],
}
"""What it says, by the meeting to cancel: done, the wrong one deleted, nothing done, done after mistakes."""

RIGHT = {"cancel-0": 1.0, "cancel-1": 0.0, "cancel-2": 0.0, "cancel-3": 1.0}


class Worker(ChatServer):
    """Follows `PLANS`, unless there is something else to say.

    Attributes:
        instead: the reply to all requests.
        waiting: set once a request waits for `go`.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.instead: Reply | None = None
        self.go, self.waiting = threading.Event(), threading.Event()
        self.go.set()

    def answer(self, body: dict[str, Any]) -> Reply:
        self.bodies.append(body)
        if not self.go.is_set():
            self.waiting.set()
            self.go.wait(20)
        if self.instead is not None:
            return self.instead
        (title,) = [title for title in PLANS if title in body["messages"][1]["content"]]
        said = sum(message["role"] == "assistant" for message in body["messages"])
        reply: Reply = PLANS[title][said]
        return reply
