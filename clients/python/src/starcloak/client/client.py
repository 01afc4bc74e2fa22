"""A client of the service: ask and wait, over lines that may break at any time.

A query lives in the service under an id. The client shows up there every few seconds with a request
that waits for the outcome; as long as it does so within each lease, the query stays. If the line
breaks, attempts go on until the query cannot have an outcome any more.

Times: an outcome comes within max_wait_s and what the provider may take (provider_s), and a client
that was away may need a lease more to find it. One attempt may take as long as it asked the service
to wait, and margin_s.
"""

import base64
import json
import secrets
import ssl
import threading
import time
from typing import Any, Dict, List, Optional, cast

from .outcomes import ForgottenError, Outcome, UnreachableError, Withdrawn, outcome_of
from .requests import Position, Query
from .transport import Reply, Token, Transport, _Sealed, backoff, checked, now, pause, refusal, sealed_json

QUERIES = "/v1/queries"


class Client:
    """Asks one service for one user; may be used by several threads.

    token       a text, or a function that gives a current one; it is called again after a 401
    patience_s  seconds for which a query that is refused for the moment, or finds no line, is tried again
    margin_s    seconds that a reply may take beyond what the service was asked to wait
    provider_s  seconds that an outcome may take after max_wait_s: the provider's time
    max_wait_s  of queries that leave it to the operator: the longest that the operator allows
    plain       allow http:// to another machine, where the network itself protects what it carries
    context     for certificates of your own
    """

    def __init__(
        self,
        url: str,
        token: Token,
        *,
        patience_s: float = 30.0,
        margin_s: float = 5.0,
        provider_s: float = 15.0,
        max_wait_s: float = 60.0,
        plain: bool = False,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = Transport(url, token, plain, context)
        self._patience_s = patience_s
        self._margin_s = margin_s
        self._provider_s = provider_s
        self._max_wait_s = max_wait_s

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close idle connections; queries stay as long as their leases."""
        self._transport.close()

    def ask(
        self,
        query: Query,
        *,
        held: bool = False,
        key: Optional[str] = None,
        stop: Optional[threading.Event] = None,
    ) -> Outcome:
        """Ask, and wait for the outcome.

        A query that the service has lost in a restart is asked once more, under the same key, as
        long as its max_wait_s has not passed.

        held  ask by a single request that stays open until the outcome
        key   the same key means the same query, also after a restart of the application
        stop  give up waiting when it is set; the query is withdrawn when its lease ends
        """
        wait_s, written = self._wait_of(query), sealed_json(query)
        del query  # from this frame: see transport.py
        body = checked(written)
        sealed_key = _Sealed(key or _random_key())
        del key
        if held:
            return self._ask_held(body, wait_s, sealed_key, stop)
        ends = now() + wait_s
        pending = self._start(body, wait_s, sealed_key, stop)
        try:
            return pending.wait(stop=stop)
        except ForgottenError:
            if now() >= ends:
                raise
        return self._start(body, wait_s, sealed_key, stop).wait(stop=stop)

    def start(self, query: Query, *, key: Optional[str] = None, stop: Optional[threading.Event] = None) -> "Pending":
        """Ask, and return as soon as the service has accepted the query."""
        wait_s, written = self._wait_of(query), sealed_json(query)
        del query
        body = checked(written)
        sealed_key = _Sealed(key or _random_key())
        del key
        return self._start(body, wait_s, sealed_key, stop)

    def resume(self, handle: str) -> "Pending":
        """Go on with a query that was started before, from what its `handle` was."""
        return Pending(self._transport, json.loads(handle), self._margin_s, self._patience_s)

    def about(self) -> Dict[str, Any]:
        """The bounds of profiles and requests."""
        return cast(Dict[str, Any], self._page("GET", "/v1/about", None, True))

    def categories(self) -> List[Dict[str, Any]]:
        """The categories that a request may name."""
        return cast(List[Dict[str, Any]], self._page("GET", "/v1/categories", None, True)["categories"])

    def zone(self, position: Position) -> Dict[str, Any]:
        """The zone of a position, sealed for the user of the token."""
        written = sealed_json({"position": position})
        del position
        body = checked(written)
        return cast(Dict[str, Any], self._page("POST", "/v1/zone", body, False))

    def _page(self, method: str, path: str, body: Optional[_Sealed], is_public: bool) -> Any:
        reply = self._transport.request(
            method,
            path,
            body=body,
            is_public=is_public,
            attempt_s=self._margin_s,
            margin_s=self._margin_s,
            until=now() + self._patience_s,
        )
        if reply.status != 200:
            raise refusal(reply)
        return reply.body

    def _start(self, body: _Sealed, wait_s: float, key: _Sealed, stop: Optional[threading.Event]) -> "Pending":
        reply = self._transport.request(
            "POST",
            QUERIES,
            headers=_Headers({"Prefer": "respond-async", "Idempotency-Key": key.open()}),
            body=body,
            attempt_s=self._margin_s,
            margin_s=self._margin_s,
            until=now() + self._patience_s,
            stop=stop,
        )
        outcome = outcome_of(reply.status, reply.body)
        if outcome is None and reply.status != 202:
            raise refusal(reply)
        told = reply.body if isinstance(reply.body, dict) else {}
        lease_s = float(told.get("lease_s", 15))
        parts = {
            "id": told.get("id") or (reply.location or "").split("/")[-1],
            "key": key.open(),
            "until_s": time.time() + wait_s + self._provider_s + lease_s,
            "lease_s": lease_s,
            "max_poll_s": float(told.get("max_poll_s", lease_s)),
        }
        return Pending(self._transport, parts, self._margin_s, self._patience_s, outcome)

    def _ask_held(self, body: _Sealed, wait_s: float, key: _Sealed, stop: Optional[threading.Event]) -> Outcome:
        whole_s = wait_s + self._provider_s + self._margin_s
        reply = self._transport.request(
            "POST",
            QUERIES,
            headers=_Headers({"Idempotency-Key": key.open()}),
            body=body,
            attempt_s=whole_s,
            margin_s=self._margin_s,
            until=now() + max(whole_s, self._patience_s),
            stop=stop,
        )
        outcome = outcome_of(reply.status, reply.body)
        if outcome is None:
            raise refusal(reply)
        return outcome

    def _wait_of(self, query: Query) -> float:
        return float((query.get("profile") or {}).get("max_wait_s") or self._max_wait_s)


class Pending:
    """A query that the service has accepted. Use Client.start() or Client.resume()."""

    def __init__(
        self,
        transport: Transport,
        parts: Dict[str, Any],
        margin_s: float,
        patience_s: float,
        outcome: Optional[Outcome] = None,
    ) -> None:
        self._transport = transport
        self._parts = _Parts(parts)
        self._margin_s = margin_s
        self._patience_s = patience_s
        self._outcome = outcome
        self._state = outcome.outcome if outcome else "waiting"
        self._is_cancelled = False

    @property
    def handle(self) -> str:
        """A text that resumes this query, in another process too, until it is forgotten.

        Together with a token of the same user it reads the outcome: keep it as you keep the token.
        """
        return json.dumps(self._parts)

    @property
    def state(self) -> str:
        """As of the last contact: waiting, cloaked, answered, dropped, failed or withdrawn."""
        return self._state

    @property
    def outcome(self) -> Optional[Outcome]:
        """None until there is one."""
        return self._outcome

    def look(self, wait_s: int = 0, *, stop: Optional[threading.Event] = None) -> str:
        """Ask once how things are, and renew the lease; the service may wait that long for the outcome."""
        return self._look_until(wait_s, now() + max(self._patience_s, wait_s), stop)

    def wait(self, *, stop: Optional[threading.Event] = None) -> Outcome:
        """Wait for the outcome, over lines that break. Raises UnreachableError when none can come any more."""
        until = now() + self._parts["until_s"] - time.time()
        # Twice in a lease, so that one request may be lost; whole seconds are the service's.
        poll_s = max(1, int(min(self._parts["max_poll_s"], self._parts["lease_s"] / 2)))
        early = 0
        while self._outcome is None:
            began = now()
            # A last look, even if the time passed while the application slept.
            self._look_until(poll_s, max(until, began + self._margin_s), stop)
            if self._outcome is None and now() >= until:
                error = UnreachableError("no outcome came in the time in which one can")
                error.handle = self.handle
                raise error
            if self._outcome is None and now() - began < poll_s / 2:
                # A service about to stop, or a proxy, does not wait as it was asked to.
                pause(backoff(early), stop)
                early += 1
        return self._outcome

    def cancel(self) -> None:
        """Withdraw the query: it no longer counts for others, and its outcome is forgotten."""
        self._is_cancelled = True
        reply = self._request("DELETE", "", self._margin_s, now() + self._patience_s, None)
        if reply.status not in (204, 404):
            raise refusal(reply)
        self._settle(Withdrawn("client"))

    def _look_until(self, wait_s: int, until: float, stop: Optional[threading.Event]) -> str:
        if self._outcome is not None:
            return self._state
        reply = self._request("GET", f"?wait={wait_s}" if wait_s > 0 else "", wait_s + self._margin_s, until, stop)
        if self._outcome is not None:
            return self._state
        if reply.status == 404 and self._is_cancelled:
            self._settle(Withdrawn("client"))
            return self._state
        if reply.status != 200:
            raise refusal(reply)
        outcome = outcome_of(reply.status, reply.body)
        if outcome is not None:
            self._settle(outcome)
        else:
            told = reply.body.get("state") if isinstance(reply.body, dict) else None
            self._state = "cloaked" if told == "cloaked" else "waiting"
        return self._state

    def _settle(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._state = outcome.outcome

    def _request(
        self, method: str, query: str, attempt_s: float, until: float, stop: Optional[threading.Event]
    ) -> Reply:
        path = _Path(f"{QUERIES}/{self._parts['id']}{query}")
        try:
            return self._transport.request(
                method, path, attempt_s=attempt_s, margin_s=self._margin_s, until=until, stop=stop
            )
        except UnreachableError as error:
            error.handle = self.handle
            raise


class _Parts(Dict[str, Any]):
    def __repr__(self) -> str:
        return "<handle>"


class _Headers(Dict[str, str]):
    def __repr__(self) -> str:
        return "<headers>"


class _Path(str):
    def __repr__(self) -> str:
        return f"'{QUERIES}/...'"


def _random_key() -> str:
    """128 random bits, 22 characters of base64url."""
    return base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
