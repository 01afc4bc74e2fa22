"""What can become of a query, and of an attempt to ask: outcomes are values, the rest is raised.

An outcome is what the service decided about a query that it had accepted. Errors are for all else:
the service did not accept it (RefusedError), does not know it any more (ForgottenError), or could
not be reached (UnreachableError). No text of an error has a position, a token, a query's id or key,
and the repr of an answer leaves out what tells where the traveller is: applications log both.
"""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union


@dataclass(frozen=True)
class Problem:
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: Optional[str] = None
    field: Optional[str] = None


@dataclass(frozen=True)
class Cloak:
    """The cloak that hid the traveller among the others."""

    id: str
    users: int
    segments: int


@dataclass(frozen=True)
class Found:
    """One object of an answer."""

    id: str
    name: str
    category: str
    distance_m: float
    duration_s: Optional[float] = None
    street: Optional[str] = None
    position: Optional[Dict[str, float]] = None


@dataclass(frozen=True)
class Answered:
    """The exact answer for the traveller's own position, nearest first."""

    wait_s: float
    cloak: Cloak
    metric: str
    objects: List[Found] = field(repr=False)
    street: Optional[str] = field(default=None, repr=False)
    outcome: str = field(default="answered", init=False)


@dataclass(frozen=True)
class Dropped:
    """No cloak was found; `advice` says in words what would help."""

    reason: str
    wait_s: float
    advice: str
    demands: Optional[List[str]] = None
    later_s: Optional[float] = None
    outcome: str = field(default="dropped", init=False)


@dataclass(frozen=True)
class Failed:
    """A cloak was found, but no answer came: `reason` says why, `problem` what to do."""

    reason: str
    problem: Problem
    outcome: str = field(default="failed", init=False)


@dataclass(frozen=True)
class Withdrawn:
    """The query has ended without an outcome.

    `reason` is client, by cancel(), or lease: the service had not been in contact with this client
    for so long.
    """

    reason: str
    outcome: str = field(default="withdrawn", init=False)


Outcome = Union[Answered, Dropped, Failed, Withdrawn]


class StarCloakError(Exception):
    """What all errors of this package have in common."""


class RefusedError(StarCloakError):
    """The service refused, and to repeat it was of no use.

    `retry_after_s`: seconds after which it may be accepted; None if never as it is.
    """

    def __init__(self, status: int, problem: Problem, retry_after_s: Optional[float] = None) -> None:
        detail = f"; {problem.detail}" if problem.detail else ""
        super().__init__(f"the service refused ({status}): {problem.title}{detail}")
        self.status = status
        self.problem = problem
        self.retry_after_s = retry_after_s


class ForgottenError(RefusedError):
    """The service does not know this query: its outcome is gone after a while, or it has restarted."""


class UnreachableError(StarCloakError):
    """No reply came in the time there was.

    The query may still be there: `handle`, if it had been accepted, resumes it.
    """

    handle: Optional[str] = None


def _known(body: Any, kind: Any) -> Dict[str, Any]:
    """The members that `kind` has: a newer service may send more."""
    names = kind.__dataclass_fields__
    return {name: value for name, value in body.items() if name in names and name != "outcome"}


def problem_of(status: int, body: Any) -> Problem:
    """The problem details of a reply; made up from the status if the reply is of something in between."""
    if isinstance(body, dict) and isinstance(body.get("type"), str) and isinstance(body.get("title"), str):
        return Problem(body["type"], body["title"], status, body.get("detail"), body.get("field"))
    return Problem("about:blank", f"HTTP status {status}", status)


def outcome_of(status: int, body: Any) -> Optional[Outcome]:
    """The outcome that a body tells, of the held form or of a look; None if it tells none."""
    if not isinstance(body, dict):
        return None
    kind = body.get("outcome") or body.get("state")
    if kind == "answered":
        members = _known(body, Answered)
        members["cloak"] = Cloak(**_known(body["cloak"], Cloak))
        members["objects"] = [Found(**_known(found, Found)) for found in body["objects"]]
        return Answered(**members)
    if kind == "dropped":
        return Dropped(**_known(body, Dropped))
    if kind == "failed":
        return Failed(str(body.get("reason")), problem_of(int(body.get("status", status)), body))
    if kind == "withdrawn":
        return Withdrawn("client" if body.get("reason") == "client" else "lease")
    return None
