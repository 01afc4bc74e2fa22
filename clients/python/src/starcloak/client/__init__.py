"""Ask a StarCloak service what is near, over lines that may break at any time.

    from starcloak.client import Client

    client = Client("https://cloak.example", token)
    outcome = client.ask({"position": {"lon": 8.01, "lat": 49.99}, "request": {"type": "knn", "k": 3}})

docs/clients.md of StarCloak tells how. AsyncClient is the same for asyncio.
"""

from .aio import AsyncClient, AsyncPending
from .client import Client, Pending
from .outcomes import (
    Answered,
    Cloak,
    Dropped,
    Failed,
    ForgottenError,
    Found,
    Outcome,
    Problem,
    RefusedError,
    StarCloakError,
    UnreachableError,
    Withdrawn,
)
from .requests import Position, Profile, Query, Request

__all__ = [
    "Answered",
    "AsyncClient",
    "AsyncPending",
    "Client",
    "Cloak",
    "Dropped",
    "Failed",
    "ForgottenError",
    "Found",
    "Outcome",
    "Pending",
    "Position",
    "Problem",
    "Profile",
    "Query",
    "RefusedError",
    "Request",
    "StarCloakError",
    "UnreachableError",
    "Withdrawn",
]
