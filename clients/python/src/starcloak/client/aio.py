"""The same client for asyncio: each call runs in a thread of the loop's executor.

A task that is cancelled gives up its waiting: the thread ends after the request under way, which
is at most half a lease and margin_s.
"""

import asyncio
import functools
import threading
from typing import Any, Callable, Dict, List, Optional, TypeVar

from .client import Client, Pending
from .outcomes import Outcome
from .requests import Position, Query

T = TypeVar("T")


async def _in_thread(function: Callable[..., T], *args: Any, **options: Any) -> T:
    stop = threading.Event()
    call = functools.partial(function, *args, stop=stop, **options)
    try:
        return await asyncio.get_running_loop().run_in_executor(None, call)
    finally:
        stop.set()


class AsyncClient:
    """Client for asyncio; takes the same arguments."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._client = Client(*args, **options)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    async def ask(self, query: Query, *, held: bool = False, key: Optional[str] = None) -> Outcome:
        return await _in_thread(self._client.ask, query, held=held, key=key)

    async def start(self, query: Query, *, key: Optional[str] = None) -> "AsyncPending":
        return AsyncPending(await _in_thread(self._client.start, query, key=key))

    def resume(self, handle: str) -> "AsyncPending":
        return AsyncPending(self._client.resume(handle))

    async def about(self) -> Dict[str, Any]:
        return await asyncio.to_thread(self._client.about)

    async def categories(self) -> List[Dict[str, Any]]:
        return await asyncio.to_thread(self._client.categories)

    async def zone(self, position: Position) -> Dict[str, Any]:
        return await asyncio.to_thread(self._client.zone, position)


class AsyncPending:
    """Pending for asyncio."""

    def __init__(self, pending: Pending) -> None:
        self._pending = pending

    @property
    def handle(self) -> str:
        return self._pending.handle

    @property
    def state(self) -> str:
        return self._pending.state

    @property
    def outcome(self) -> Optional[Outcome]:
        return self._pending.outcome

    async def look(self, wait_s: int = 0) -> str:
        return await _in_thread(self._pending.look, wait_s)

    async def wait(self) -> Outcome:
        return await _in_thread(self._pending.wait)

    async def cancel(self) -> None:
        await asyncio.to_thread(self._pending.cancel)
