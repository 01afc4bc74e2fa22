"""One request after another until there is a reply that counts, or no time left.

What is safe to repeat is repeated: every POST has an Idempotency-Key, so that the service takes a
repeated one for the same query; GET and DELETE are so by nature. Between attempts it waits as long
as the service says (Retry-After), or longer each time, with a random share so that clients that
lost the same server do not return at the same moment.

Tools that report errors collect the local variables of every frame. So what is secret here is
carried by _Sealed, which shows nothing, and errors of the standard library, whose frames have the
body and the headers of the request, never become the context of ours.
"""

import email.utils
import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union
from urllib.parse import urlsplit

from .outcomes import ForgottenError, RefusedError, StarCloakError, UnreachableError, problem_of

Token = Union[str, Callable[[], str]]

FIRST_DELAY_S = 0.2
# Below the shortest lease that is of use, so that a line that is back is found in time.
LONGEST_DELAY_S = 3.0
# Of a reply: far above any answer that a service gives.
LARGEST_REPLY = 16 << 20
# An idle connection is used again for so long: polls follow each other closely, and one that is older
# may be of an address that this machine no longer has, which only a timeout would show.
IDLE_S = 4.0


class _Sealed:
    """A text that no repr shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def open(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "<sealed>"


def sealed_json(value: Any) -> Optional[_Sealed]:
    """None if it cannot be written: the caller drops its own variable before it raises."""
    try:
        return _Sealed(json.dumps(value, separators=(",", ":"), allow_nan=False))
    except (TypeError, ValueError):
        return None


def checked(written: Optional[_Sealed]) -> _Sealed:
    if written is None:
        raise StarCloakError("a query is made of dicts, lists, texts and finite numbers")
    return written


class Reply(NamedTuple):
    """Of one attempt. Its repr is short: the body has the answer."""

    status: int
    body: Any
    location: Optional[str]
    retry_after_s: Optional[float]

    def __repr__(self) -> str:
        return f"Reply({self.status})"


class Stopped(StarCloakError):
    """Waiting was given up by the application."""


now = time.monotonic


def backoff(attempt: int, draw: Callable[[], float] = random.random) -> float:
    """Seconds before attempt number `attempt` + 1: doubled each time, and between half of that and all."""
    most = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** min(attempt, 16))
    return most * (0.5 + draw() / 2)


def retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds of a Retry-After header; None without one. The service sends numbers, proxies may send dates."""
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", header):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def is_passing(status: int, body: Any) -> bool:
    """Whether a reply with this status is worth another attempt: an outcome is not, whatever its status."""
    if isinstance(body, dict) and "outcome" in body:
        return False
    return status in (408, 429, 500, 502, 503, 504)


def refusal(reply: Reply) -> RefusedError:
    """The error for a reply that is no success."""
    problem = problem_of(reply.status, reply.body)
    if reply.status == 404:
        return ForgottenError(reply.status, problem)
    return RefusedError(reply.status, problem, reply.retry_after_s)


def pause(seconds: float, stop: Optional[threading.Event]) -> None:
    if stop is not None:
        stop.wait(seconds)
    else:
        time.sleep(seconds)


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host) is not None


class Transport:
    """Connections to one service; of any number of threads."""

    def __init__(self, url: str, token: Token, plain: bool, context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http") or not parts.hostname:
            raise StarCloakError("the address of the service must begin with https://")
        if parts.scheme == "http" and not plain and not _is_local(parts.hostname):
            raise StarCloakError(
                "http:// would send positions readable for all in between: use https://, "
                "or set plain if the network itself protects them"
            )
        self._is_tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._context = context or (ssl.create_default_context() if self._is_tls else None)
        self._token = token if callable(token) else _Sealed(token)
        self._known: Optional[_Sealed] = None
        self._lock = threading.Lock()
        # With the time since when each is idle.
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []

    def request(
        self,
        method: str,
        path: str,
        *,
        attempt_s: float,
        until: float,
        margin_s: float,
        headers: Optional[Dict[str, str]] = None,
        body: Optional[_Sealed] = None,
        is_public: bool = False,
        stop: Optional[threading.Event] = None,
    ) -> Reply:
        """The first reply that is not worth another attempt. Raises what outcomes.py has, or Stopped.

        `attempt_s`: seconds that one attempt may take, of which `margin_s` to connect.
        `until`: when to stop trying, on the clock of now(). `stop`: looked at between attempts.
        """
        is_refreshed = False
        attempt = 0
        while True:
            if stop is not None and stop.is_set():
                raise Stopped("waiting was given up")
            left = min(attempt_s, max(until - now(), 1.0))
            token = None if is_public else self._current_token()
            reply = self._attempt(method, path, headers, body, token, min(margin_s, left), left)
            if reply is not None and reply.status == 401 and callable(self._token) and not is_refreshed:
                is_refreshed = True
                self._known = None
                continue
            if reply is not None and not is_passing(reply.status, reply.body):
                return reply
            asked = reply.retry_after_s if reply is not None else None
            delay = (asked or 0.0) + backoff(attempt)
            attempt += 1
            if now() + delay >= until:
                if reply is None:
                    raise UnreachableError("the service could not be reached in time")
                raise refusal(reply)
            pause(delay, stop)

    def close(self) -> None:
        """Close connections that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _attempt(
        self,
        method: str,
        path: str,
        headers: Optional[Dict[str, str]],
        body: Optional[_Sealed],
        token: Optional[_Sealed],
        connect_s: float,
        attempt_s: float,
    ) -> Optional[Reply]:
        """None if no reply came."""
        while True:
            connection = self._idle_connection()
            is_new = connection is None
            if connection is None:
                connection = self._connection(connect_s)
            try:
                if connection.sock is None:
                    connection.connect()
                # Polls are small, and their latency is what people wait for.
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sock.settimeout(attempt_s)
                return self._exchange(connection, method, path, headers, body, token)
            except socket.timeout:
                # A line that is dead, or another address: idle connections are of no use either.
                connection.close()
                self.close()
                return None
            except (OSError, http.client.HTTPException, ValueError):
                connection.close()
                # An idle connection may have been closed by the service: that says nothing of the line.
                if is_new:
                    return None

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        headers: Optional[Dict[str, str]],
        body: Optional[_Sealed],
        token: Optional[_Sealed],
    ) -> Reply:
        sent = {"Accept": "application/json", "User-Agent": "starcloak-client", **(headers or {})}
        if token is not None:
            sent["Authorization"] = "Bearer " + token.open()
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection.request(method, self._base + path, body.open().encode() if body else None, sent)
        response = connection.getresponse()
        data = response.read(LARGEST_REPLY + 1)
        if len(data) > LARGEST_REPLY:
            raise http.client.HTTPException("the reply is too large")
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((now(), connection))
        try:
            read = json.loads(data) if data else None
        except ValueError:
            read = None
        return Reply(
            response.status, read, response.getheader("Location"), retry_after(response.getheader("Retry-After"))
        )

    def _idle_connection(self) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if now() - since < IDLE_S:
                return connection
            connection.close()

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._is_tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout_s, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout_s)

    def _current_token(self) -> _Sealed:
        if isinstance(self._token, _Sealed):
            return self._token
        known = self._known
        if known is None:
            try:
                known = _Sealed(self._token())
            except Exception:  # whatever it raises: its frames may have the token
                known = None
            if known is None:
                raise StarCloakError("the function that gives the token has failed")
            self._known = known
        return known
