#!/usr/bin/env python3
"""Ask, and come back for the outcome in another process: the handle is kept in a file.

usage: resume.py URL TOKEN_FILE HANDLE_FILE [LON LAT]      with a position: ask; without: fetch the outcome
"""

import asyncio
import pathlib
import sys

from starcloak.client import AsyncClient, ForgottenError


async def main(url, token_file, handle_file, *position):
    kept = pathlib.Path(handle_file)
    async with AsyncClient(url, pathlib.Path(token_file).read_text().strip()) as client:
        if position:
            lon, lat = map(float, position)
            query = {"position": {"lon": lon, "lat": lat}, "request": {"type": "knn", "k": 3}}
            pending = await client.start(query)
            # As the token: together they read the outcome.
            kept.touch(mode=0o600)
            kept.write_text(pending.handle)
            print(f"asked: {pending.state}")
            return
        try:
            outcome = await client.resume(kept.read_text()).wait()
            print(outcome.outcome)
        except ForgottenError:
            print("forgotten: ask again")
        kept.unlink()


asyncio.run(main(*sys.argv[1:]))
