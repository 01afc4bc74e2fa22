"""The attackers of scripts/siege: one process, started with a description of the place they attack.

Each attack is a function that a few threads run until the end. It belongs to a network of 127.0.0.0/8 of its own,
which the proxies see as the clients' addresses; honest travellers come from 127.0.0.0/16. An attack counts what it was
told, and names the metrics of the service that must have grown because of it: no refusal without a count. Those by
HTTP/2 are in siege_http2.py.

usage: siege_attacks.py PLACE.json     (scripts/siege writes it); prints counts as JSON at the end
"""
import json
import os
import random
import socket
import struct
import sys
import threading
import time

from siege_field import PATIENCE_S, Field, Refused, get, query, read_reply, send, word_of
from siege_http2 import http2_floods, http2_never_reading, http2_unfinished


def asker(field, name, door, source, make, pause, closes_after=None):
    """Ask what `make` gives, again and again; with `closes_after`, leave after so many seconds."""
    s = None
    while not field.is_over():
        try:
            s = s or field.connect(door, source)
            send(s, make())
            if closes_after:
                s.settimeout(closes_after)
            status, headers, body = read_reply(s)
            field.count(name, word_of(status, body))
            if headers.get("connection") == "close":
                s.close()
                s = None
        except Refused as e:
            field.count(name, e)
            if s:
                s.close()
            s = None
        field.pause(pause)
    if s:
        s.close()


# --- Queries that cost or wait much -------------------------------------------------------------------

def dear_queries(field, number):
    """Thirty tokens, two and two at one place: many segments, all hops, a wide range of all categories."""
    token = field.tokens["dear"][number]
    edge = field.edges[number // 2]
    largest = {"k": 2, "l": 50, "max_hops": 8, "max_wait_s": 3}
    turns = [
        ({"k": 2, "l": 500, "max_hops": 16, "max_wait_s": 3}, {"type": "range", "radius_m": 20000, "categories": []}),
        (largest, {"type": "range", "radius_m": 20000, "categories": []}),
        (largest, {"type": "range", "radius_m": 600, "categories": []}),
        (largest, {"type": "knn", "k": 100, "metric": "time", "categories": []}),
    ]
    turn = [number]

    def make():
        turn[0] += 1
        return query(token, edge, *turns[turn[0] % len(turns)])

    asker(field, "dear_queries", ("nginx", "haproxy")[number % 2], f"127.66.1.{number + 1}", make, 0.5)


def sleeping_queries(field, number):
    """A large k that finds no company; leaving and asking again does not give back what was waited."""
    token = field.tokens["sleeping"][number]
    wait_s = 60 if number % 2 else 16
    body = query(token, field.edges[number], {"k": 100, "l": 3, "max_hops": 8, "max_wait_s": wait_s}, {"type": "knn", "k": 1})
    asker(field, "sleeping_queries", ("nginx", "haproxy")[number % 2], f"127.66.2.{number + 1}", lambda: body, 0.5,
          closes_after=17)


# --- What is for operators ----------------------------------------------------------------------------

def operators_pages(field, number):
    source = f"127.66.3.{number + 1}"
    while not field.is_over():
        for page in ("/metrics", "/v1/events", "/v1/cluster", "//metrics", "/%6detrics"):
            for host in ("localhost", "127.0.0.1", "[::1]"):
                try:
                    s = field.connect(("nginx", "haproxy")[number % 2], source)
                    send(s, get(page, host, "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n"))
                    status, _, _ = read_reply(s)
                    field.count("operators_pages", "LEAK" if status < 400 else status)
                    s.close()
                except Refused as e:
                    field.count("operators_pages", e)
                field.pause(0.2)


# --- TLS ----------------------------------------------------------------------------------------------

def extension(kind, body):
    return struct.pack(">HH", kind, len(body)) + body


def forged_hello():
    """A TLS 1.3 hello whose only group is ffdhe8192: its share is noise, which costs nothing to make."""
    share = b"\x7f" + os.urandom(1023)
    entry = struct.pack(">HH", 0x0104, len(share)) + share
    extensions = b"".join((
        extension(43, b"\x02\x03\x04"),
        extension(10, b"\x00\x02\x01\x04"),
        extension(13, b"\x00\x04\x04\x03\x08\x04"),
        extension(51, struct.pack(">H", len(entry)) + entry),
    ))
    body = b"\x03\x03" + os.urandom(32) + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00" + \
        struct.pack(">H", len(extensions)) + extensions
    shake = b"\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack(">H", len(shake)) + shake


def heavy_groups(field, number):
    """Whether the reply is an alert: then nothing was calculated."""
    while not field.is_over():
        try:
            s = field.tcp(("nginx", "haproxy")[number % 2], f"127.66.4.{number + 1}")
            send(s, forged_hello())
            first = s.recv(1)
            field.count("heavy_groups", {b"": "closed", b"\x15": "alert", b"\x16": "AGREED"}.get(first, "?"))
            s.close()
        except (Refused, OSError) as e:
            field.count("heavy_groups", type(e).__name__)
        field.pause(0.25)


def handshake_flood(field, number):
    """One address that begins more handshakes than it may."""
    while not field.is_over():
        held = []
        for _ in range(60):
            try:
                s = field.tcp("nginx", f"127.66.5.{number + 1}")
                s.sendall(forged_hello()[:50])
                held.append(s)
                field.count("handshake_flood", "begun")
            except (Refused, OSError) as e:
                field.count("handshake_flood", type(e).__name__)
        field.pause(1)
        for s in held:
            s.close()


def unfinished_handshakes(field, number):
    """Fifty addresses that together begin as many handshakes as there are places, and end none."""
    held = []
    while not field.is_over():
        for address in range(number, 50, 2):
            for _ in range(3):
                try:
                    s = field.tcp("nginx", f"127.66.6.{address + 1}")
                    s.sendall(forged_hello()[:50])
                    held.append(s)
                    field.count("unfinished_handshakes", "begun")
                except (Refused, OSError) as e:
                    field.count("unfinished_handshakes", type(e).__name__)
        if len(held) > 25 * field.address_connections:
            for s in held[:75]:
                s.close()
            del held[:75]
        field.pause(0.4)
    for s in held:
        s.close()


# --- Replies that are not taken -----------------------------------------------------------------------

def never_reading(field, number):
    """Maps, many times over, of which not a byte is read."""
    held = []
    turn = 0
    while not field.is_over():
        for i in range(10):
            turn += 1
            try:
                s = field.connect(("nginx", "haproxy")[i % 2], f"127.66.7.{number * 100 + turn % 100 + 1}", 4096)
                send(s, get("/v1/map") * 300)
                held.append(s)
                field.count("never_reading", "asked")
            except Refused as e:
                field.count("never_reading", e)
        field.pause(8)
        if len(held) > 40:
            for s in held[:10]:
                s.close()
            del held[:10]
    for s in held:
        s.close()


def slow_readers(field, number):
    """Some hundred bytes a second: less than a client must take."""
    while not field.is_over():
        try:
            s = field.connect("nginx", f"127.66.8.{number + 1}", 4096)
            send(s, get("/v1/map") * 300)
            field.count("slow_readers", "asked")
            while not field.is_over():
                if not s.recv(100):
                    raise Refused("closed")
                field.pause(0.5)
            s.close()
        except (Refused, OSError) as e:
            field.count("slow_readers", e)
            field.pause(1)


def map_fetchers(field, number):
    """The map over and over, as fast as it comes: more than the bandwidth of an address."""
    while not field.is_over():
        try:
            s = field.connect(("nginx", "haproxy")[number % 2], "127.66.9.1")
            for _ in range(20):
                send(s, get("/v1/map"))
                status, _, _ = read_reply(s)
                field.count("map_fetchers", status)
                if field.is_over():
                    break
            s.close()
        except Refused as e:
            field.count("map_fetchers", e)
        field.pause(0.2)


# --- One address takes all connections ----------------------------------------------------------------

def crowd_of_one(field, number):
    """More connections than an address may have: idle ones, kept by asking for health, then busy ones."""
    source = f"127.66.10.{number + 1}"
    is_busy = number % 2
    held = []
    while not field.is_over():
        try:
            s = field.connect("nginx", source)
            send(s, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + (b"" if is_busy else b"\r\n"))
            if not is_busy:
                field.count("crowd_of_one", read_reply(s)[0])
            held.append(s)
        except Refused as e:
            field.count("crowd_of_one", e)
        if len(held) > 2 * field.address_connections:
            held.pop(0).close()
        field.pause(0.04)
    for s in held:
        s.close()


# --- Framing ------------------------------------------------------------------------------------------

HIDDEN = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /v1/queries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MALFORMED = [
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
    POST + b"Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
    POST + b"Content-Length: 2\r\nContent-Length: 44\r\n\r\n{}" + HIDDEN,
    POST + b"Content-Length: 44\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    b"GET http://other/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /" + b"x" * 40000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    POST + b"Content-Length: 99999999\r\n\r\n{",
    os.urandom(300) + b"\r\n\r\n",
]


def malformed_requests(field, number):
    """Nothing but a refusal may come back, and no second reply: that would be a request within another."""
    turn = number
    while not field.is_over():
        turn += 1
        door = ("nginx", "haproxy")[turn % 2]
        try:
            s = field.connect(door, f"127.66.11.{number + 1}")
            s.settimeout(3)
            send(s, MALFORMED[turn // 2 % len(MALFORMED)])
            status, _, body = read_reply(s)
            is_sound = status >= 400 or (door == "haproxy" and b"# HELP" not in body)  # it may mend what it passes on
            field.count("malformed_requests", status if is_sound else "TAKEN")
            try:
                if b"# HELP" in s.recv(65536):
                    field.count("malformed_requests", "SMUGGLED")
            except OSError:
                pass
            s.close()
        except Refused as e:
            field.count("malformed_requests", e)
        field.pause(0.15)


# --- Half-closed, refused and slow clients ------------------------------------------------------------

def half_closing(field, number):
    """Clients that end their sending while they wait."""
    token = field.tokens["half"][number]
    body = query(token, field.edges[-1 - number], {"k": 30, "l": 3, "max_hops": 4, "max_wait_s": 2}, {"type": "knn", "k": 1})
    while not field.is_over():
        try:
            s = field.connect("nginx", f"127.66.12.{number + 1}")
            send(s, body)
            socket.socket.shutdown(s, socket.SHUT_WR) if number % 2 else s.unwrap()
            field.count("half_closing", "closed")
            s.close()
        except (Refused, OSError) as e:
            field.count("half_closing", type(e).__name__)
        field.pause(2)


def slow_writers(field, number):
    """A byte every half second, until the time for a request is over."""
    text = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 10000
    while not field.is_over():
        try:
            s = field.connect("nginx", f"127.66.13.{number + 1}")
            s.settimeout(0.5)
            for at in range(len(text)):
                if field.is_over():
                    break
                send(s, text[at:at + 1])
                try:
                    field.count("slow_writers", s.recv(12)[9:].decode() or "closed")
                    break
                except TimeoutError:
                    pass
            s.close()
        except (Refused, OSError) as e:
            field.count("slow_writers", type(e).__name__)
            field.pause(0.5)


def wrong_tokens(field, number):
    def make():
        forged = "sct1_" + "".join(random.choices("ABCDEFGHabcdefgh01234567-_", k=60))
        return query(forged, 1, {"k": 2}, {"type": "knn", "k": 1})

    asker(field, "wrong_tokens", ("nginx", "haproxy")[number % 2], f"127.66.14.{number + 1}", make, 0.2)


def request_flood(field, number):
    """One address with more requests than its rate."""
    asker(field, "request_flood", ("nginx", "haproxy")[number % 2], "127.66.15.1", lambda: get("/v1/about"), 0.02)


def event_listeners(field, number):
    """A user who reaches the admin listener and takes all that may listen there."""
    token = field.tokens["listeners"][number]
    held = []
    while not field.is_over():
        try:
            s = socket.create_connection(tuple(field.admin), PATIENCE_S)
            send(s, get("/v1/events", more=f"Authorization: Bearer {token}\r\n"))
            field.count("event_listeners", s.recv(12)[9:].decode() or "closed")
            held.append(s)
        except (Refused, OSError) as e:
            field.count("event_listeners", type(e).__name__)
        if len(held) > 30:
            held.pop(0).close()
        field.pause(0.3)
    for s in held:
        s.close()


# How many threads, and the metrics that must have grown.
ATTACKS = [
    (dear_queries, 30, ['starcloak_refused_total{problem="too-costly"}', 'starcloak_refused_total{problem="profile"}',
                        'starcloak_refused_total{problem="cost"}']),
    (sleeping_queries, 8, ['starcloak_refused_total{problem="waiting"}']),
    (operators_pages, 2, ['starcloak_refused_total{problem="not-found"}']),
    (heavy_groups, 2, ["starcloak_http_handshake_failures_total"]),
    (handshake_flood, 1, ["starcloak_http_refused_handshakes_total"]),
    (unfinished_handshakes, 2, ["starcloak_http_handshake_failures_total"]),
    (never_reading, 2, ["starcloak_http_stalled_total"]),
    (slow_readers, 4, ["starcloak_http_stalled_total"]),
    (map_fetchers, 2, ["starcloak_http_paced_total"]),
    (crowd_of_one, 2, ["starcloak_http_evicted_total", "starcloak_http_refused_addresses_total"]),
    (malformed_requests, 2, ["starcloak_http_refused_total"]),
    (half_closing, 4, ["starcloak_http_gone_total"]),
    (slow_writers, 4, ["starcloak_http_refused_total"]),
    (wrong_tokens, 2, ['starcloak_refused_total{problem="token"}']),
    (request_flood, 2, ['starcloak_refused_total{problem="rate"}']),
    (http2_floods, 2, ["starcloak_http_refused_total"]),
    (http2_never_reading, 2, ["starcloak_http_stalled_total"]),
    (http2_unfinished, 2, ["starcloak_http_refused_total"]),
    (event_listeners, 2, ['starcloak_refused_total{problem="overloaded"}']),
]
# What attackers must have seen, where metrics are those of other attacks, too: regular expressions.
SEEN = {
    http2_floods: ["resets ended", "continuations ended", "settings ended", "pings ended", "streams refused"],
    http2_never_reading: ["closed"],
    http2_unfinished: ["408|reset|closed"],
}
# What none of them must ever see, as part of a word.
NEVER = ("LEAK", "AGREED", "TAKEN", "SMUGGLED", "SURVIVED", "SENT")


def main():
    # They would be on other machines: what is measured is the service, not who gets a processor.
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with open(sys.argv[1], encoding="utf-8") as file:
        field = Field(json.load(file))
    # Many threads that mostly sleep.
    threading.stack_size(256 * 1024)
    threads = [threading.Thread(target=attack, args=(field, number), daemon=True)
               for attack, count, _ in ATTACKS for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, field.end + 2 - time.monotonic()))
    with field.lock:
        json.dump(field.counts, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # what still waits for a reply is of no interest


if __name__ == "__main__":
    main()
