#!/usr/bin/env python3
"""HTTP in front of provider.answer(): a provider of StarCloak's made of PostgreSQL.

usage: front.py DATABASE [HOST:PORT]

DATABASE is a connection string of libpq; tables.sql and answer.sql have been run there. Listens on
127.0.0.1:9090, or where it is told (port 0: a free one), without TLS: put a proxy in front of it.
Prints where it listens. Nothing of a message is logged.
"""
import http.server
import json
import re
import subprocess
import sys
import threading

MEDIA_TYPE = "application/geo+json"
MAX_BYTES = 16 << 20
AT_ONCE = 8  # connections to the database


class Refusal(Exception):
    def __init__(self, status, title):
        super().__init__(title)
        self.status = status


def check_media_type(text):
    """Ours, and of version 2 or of none."""
    name, *parameters = (part.strip().lower() for part in (text or "").split(";"))
    version = next((p[8:].strip('"') for p in parameters if p.startswith("version=")), "2")
    if name != MEDIA_TYPE or version != "2":
        raise Refusal(415, f"the Content-Type must be {MEDIA_TYPE}, of version 2 of the provider protocol")


def members_once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is there twice")
    return members


def no_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def read_message(body):
    """The message as text that is JSON for certain, each member once."""
    try:
        text = body.decode("utf-8")
        json.loads(text, object_pairs_hook=members_once, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "the message is not JSON, or has a member twice") from None
    if "\\u0000" in text:
        raise Refusal(400, "a text has a zero byte")
    return text


def ask_database(database, text):
    """The reply. A message is a literal of SQL: quotes are doubled, and backslashes mean nothing there."""
    literal = text.replace("'", "''")
    script = f"SET standard_conforming_strings = on;\nSET search_path = provider, public;\nSELECT answer('{literal}');\n"
    ran = subprocess.run(
        ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-1", "-d", database],
        input=script.encode(),
        capture_output=True,
        check=False,
    )
    if ran.returncode == 0:
        return ran.stdout.rstrip(b"\n")
    refused = re.search(r"ERROR:  SC(\d{3}): (.*)", ran.stderr.decode("utf-8", "replace"))
    if refused:
        raise Refusal(int(refused[1]), refused[2])
    # What failed is for the operator; further lines may quote the message.
    print(next(iter(ran.stderr.decode("utf-8", "replace").splitlines()), "psql failed"), file=sys.stderr)
    raise Refusal(500, "the database failed")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    database = ""
    places = threading.BoundedSemaphore(AT_ONCE)

    def read_body(self):
        """All of it is taken in, or the client would not see why it is refused."""
        length = self.headers["Content-Length"] or ""
        if not length.isdigit():
            self.close_connection = True
            raise Refusal(400, "a message has a Content-Length")
        left = int(length)
        if left <= MAX_BYTES:
            return self.rfile.read(left)
        while left > 0 and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)
        raise Refusal(413, "the message is too large")

    def do_POST(self):
        try:
            body = self.read_body()
            check_media_type(self.headers["Content-Type"])
            text = read_message(body)
            with self.places:
                reply = ask_database(self.database, text)
            self.reply(200, f"{MEDIA_TYPE}; version=2", reply)
        except Refusal as refusal:
            problem = {"type": "about:blank", "status": refusal.status, "title": str(refusal)}
            self.reply(refusal.status, "application/problem+json", json.dumps(problem).encode())

    def reply(self, status, media_type, body):
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Handler.database = sys.argv[1]
    host, port = (sys.argv[2] if len(sys.argv) == 3 else "127.0.0.1:9090").rsplit(":", 1)
    server = Server((host, int(port)), Handler)
    print(f"listening on {server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
