#!/usr/bin/env python3
"""The three pharmacies that are nearest.

usage: ask.py URL LON LAT < TOKEN
"""

import sys

from starcloak.client import Answered, Client, Dropped, Failed, RefusedError, UnreachableError

url, lon, lat = sys.argv[1:]
query = {
    "position": {"lon": float(lon), "lat": float(lat)},
    "profile": {"k": 2, "max_wait_s": 20},
    "request": {"type": "knn", "k": 3, "categories": ["pharmacy"]},
}
with Client(url, sys.stdin.read().strip()) as client:
    try:
        outcome = client.ask(query)
    except (RefusedError, UnreachableError) as error:
        sys.exit(str(error))
if isinstance(outcome, Answered):
    print(f"hidden among {outcome.cloak.users} users")
    for found in outcome.objects:
        print(f"{found.name or found.id}: {found.distance_m:.0f} m")
elif isinstance(outcome, Dropped):
    print(f"no company: {outcome.advice}")
elif isinstance(outcome, Failed):
    print(f"no answer: {outcome.problem.detail or outcome.problem.title}")
else:
    print("away for too long; ask again")
