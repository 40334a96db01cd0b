"""A live org that can be asked, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlencode

from worksmith.tools.errors import InfrastructureError
from worksmith.tools.kinds.crm.live.login import (
    Credentials,
    ExpiredError,
    PassingError,
    as_input,
    check_installed,
    failure,
    told_apart,
)
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.results import Record
from worksmith.tools.kinds.crm.soql.soql_engine import Limits, QueryResult
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult

T = TypeVar("T")

_LONGEST_ADDRESS = 8_000
"""Bytes of a statement in an address; longer ones go in a body. The platform takes 16,384 with headers."""
_ATTEMPTS = 4
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 20.0
"""Seconds between attempts, growing, of random length."""


class SalesforceOrg:
    """A live Salesforce org. Thread-safe; implements `worksmith.tools.kinds.crm.orgs.org.Org`.

    It is read-only by construction: it sends queries and searches.

    Args:
        sleep: waits this number of seconds.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        limits: Limits | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        check_installed()
        self._credentials = credentials
        self._limits = limits or Limits()
        self._sleep = sleep
        self._lock = Lock()
        with told_apart(), as_input():
            self._client = credentials.connect()
        self.host: str = self._client.sf_instance

    @classmethod
    def from_env(
        cls, environment: Mapping[str, str] | None = None, *, limits: Limits | None = None
    ) -> SalesforceOrg:
        """The org that the environment names (see `Credentials.from_env`), once it has answered.

        Raises:
            InputError: variables are missing or wrong, or simple-salesforce is not installed.
            InfrastructureError: the org does not answer.
        """
        named = Credentials.from_env(os.environ if environment is None else environment)
        org = cls(named, limits=limits)
        with as_input():
            org.retried(lambda client: client.restful(""))
        return org

    def __str__(self) -> str:
        return f"Salesforce org at {self.host}"

    def query(self, soql: str) -> QueryResult:
        """See `Org`; all pages of it.

        Raises:
            InfrastructureError: the org does not answer.
        """
        page = self._asked("query", soql, "totalSize", "done", "records")
        if page["totalSize"] > self._limits.rows:
            most = self._limits.rows
            message = f"the result has more than {most} records; filter, aggregate, or use LIMIT"
            raise QueryError("OPERATION_TOO_LARGE", message)
        return QueryResult(page["totalSize"], self._whole(page))

    def search(self, sosl: str) -> SearchResult:
        """See `Org`.

        Raises:
            InfrastructureError: the org does not answer.
        """
        return SearchResult(self._asked("search", sosl, "searchRecords")["searchRecords"])

    def describe(self, name: str) -> dict[str, Any] | None:
        """The org's description of the object `name`; None without one."""

        def ask(client: Any) -> Any:
            try:
                return client.restful(f"sobjects/{name}/describe")
            except _not_found():
                return None

        found: dict[str, Any] | None = self.retried(ask)
        return found

    def retried(self, ask: Callable[[Any], T]) -> T:
        """What `ask` gets out of the client. Asks again after failures that may pass: not for changes.

        Raises:
            QueryError, InfrastructureError: see `told_apart`.
        """
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential
        from tenacity.nap import sleep

        attempts = Retrying(
            retry=retry_if_exception_type(PassingError),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_random_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT),
            sleep=self._sleep or sleep,
            reraise=True,
        )
        found: T = attempts(lambda: self.once(ask))
        return found

    def once(self, ask: Callable[[Any], T]) -> T:
        """The result of `ask` with the client, logged in again if needed: a refused request has no effect.

        Raises:
            QueryError, InfrastructureError: see `told_apart`.
        """
        client = self._client
        try:
            with told_apart():
                return ask(client)
        except ExpiredError:
            if not self._credentials.renewable:
                raise
        with told_apart():
            return ask(self._renewed(client))

    def _renewed(self, stale: Any) -> Any:
        with self._lock:
            if self._client is stale:
                self._client = self._credentials.connect()
            return self._client

    def _asked(self, kind: str, statement: str, *keys: str) -> dict[str, Any]:
        """The first answer to a query or search, which must have some keys."""
        found = self._first(kind, statement)
        if not (isinstance(found, dict) and set(keys) <= found.keys()):
            raise InfrastructureError(f"the org's answer cannot be understood: it has no {', '.join(keys)}")
        return found

    def _first(self, kind: str, statement: str) -> Any:
        parameters = {"q": statement}
        if len(urlencode(parameters)) <= _LONGEST_ADDRESS:
            return self._answer(lambda client: client.restful(kind, parameters))

        def in_a_body(client: Any) -> Any:
            path = f"/services/data/v{client.sf_version}/{kind}?{urlencode(parameters)}"
            part = {"method": "GET", "url": path, "referenceId": "statement"}
            whole = client.restful("composite", method="POST", json={"compositeRequest": [part]})
            return whole["compositeResponse"][0]

        found = self._answer(in_a_body)
        if found["httpStatusCode"] >= 300:
            raise failure(found["httpStatusCode"], found["body"])
        return found["body"]

    def _answer(self, ask: Callable[[Any], Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.retried(ask)
        return found

    def _whole(self, page: dict[str, Any]) -> list[Record]:
        records: list[Record] = page["records"]
        while not page["done"]:
            page = self._next(page["nextRecordsUrl"])
            records = [*records, *page["records"]]
        return [self._with_children(record) for record in records]

    def _next(self, address: str) -> dict[str, Any]:
        return self._answer(lambda client: client.query_more(address, identifier_is_url=True))

    def _with_children(self, record: Record) -> Record:
        return {
            name: {"totalSize": value["totalSize"], "done": True, "records": self._whole(value)}
            if isinstance(value, dict) and "nextRecordsUrl" in value
            else value
            for name, value in record.items()
        }


def _not_found() -> type[Exception]:
    from simple_salesforce.exceptions import SalesforceResourceNotFound

    found: type[Exception] = SalesforceResourceNotFound
    return found
