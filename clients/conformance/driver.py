#!/usr/bin/env python3
"""Carries out the conformance script's commands with the Python client. README.md has the commands."""

import json
import sys
import threading

from starcloak.client import (
    Answered,
    Client,
    ForgottenError,
    RefusedError,
    StarCloakError,
    UnreachableError,
)

clients, queries = {}, {}
lock = threading.Lock()


def tell(line):
    with lock:
        print(json.dumps(line), flush=True)


def tokens(given):
    """A function that gives one token after the other, and the last one for ever."""
    left = list(given)
    return given[0] if len(given) == 1 else lambda: left.pop(0) if len(left) > 1 else left[0]


def shown(outcome):
    line = {"outcome": outcome.outcome, "text": repr(outcome)}
    if isinstance(outcome, Answered):
        line.update(users=outcome.cloak.users, objects=[found.id for found in outcome.objects])
    else:
        line["reason"] = outcome.reason
    return line


def carry_out(command):
    kind = command["do"]
    if kind == "client":
        clients[command["client"]] = Client(
            command["url"], tokens(command["tokens"]), plain=True, **command.get("options", {})
        )
        return {}
    if kind == "ask":
        client = clients[command["client"]]
        return shown(client.ask(command["query"], held=command.get("held", False), key=command.get("key")))
    if kind in ("start", "resume"):
        client = clients[command["client"]]
        if kind == "start":
            pending = client.start(command["query"], key=command.get("key"))
        else:
            pending = client.resume(command["handle"])
        queries[command["query_name"]] = pending
        return {"state": pending.state, "handle": pending.handle}
    pending = queries[command["query_name"]]
    if kind == "look":
        return {"state": pending.look(command.get("wait_s", 0))}
    if kind == "cancel":
        pending.cancel()
        return {"state": pending.state}
    if kind == "wait":
        return shown(pending.wait())
    raise ValueError(kind)


def attempt(command):
    try:
        line = carry_out(command)
    except RefusedError as error:
        kind = "forgotten" if isinstance(error, ForgottenError) else "refused"
        line = {"error": kind, "status": error.status, "type": error.problem.type, "text": str(error)}
        if error.retry_after_s is not None:
            line["retry_after_s"] = error.retry_after_s
    except UnreachableError as error:
        line = {"error": "unreachable", "handle": error.handle, "text": str(error)}
    except StarCloakError as error:
        line = {"error": "other", "text": str(error)}
    except Exception as error:  # the conformance script must see it
        line = {"error": "fault", "text": repr(error)}
    tell({"n": command["n"], **line})


for text in sys.stdin:
    threading.Thread(target=attempt, args=(json.loads(text),), daemon=True).start()
