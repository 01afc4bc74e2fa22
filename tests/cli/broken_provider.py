#!/usr/bin/env python3
"""Providers with one flaw each, for tests of `starcloak provider check`.

usage: broken_provider.py UPSTREAM

Passes messages on to a sound provider at UPSTREAM, HOST:PORT, and spoils one thing on the way there
or back. The flaw is the path of the request: POST /unsorted. Prints the port that it listens on.
Replies in GeoJSON are spoilt; of compact ones only the status and the headers.
"""
import http.client
import http.server
import json
import sys
import threading
import time

GEOJSON = "application/geo+json"


class Reply:
    def __init__(self, status, content_type, body):
        self.status = status
        self.type = content_type
        self.body = body


class Flaws:
    """One method per flaw, each with what it has seen so far. Names have dashes on the wire."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.seen = {}
        self.under_way = 0
        self.is_dead = False

    def ask(self, content_type, body):
        host, port = self.upstream
        connection = http.client.HTTPConnection(host, port, timeout=60)
        headers = {"Content-Type": content_type} if content_type else {}
        connection.request("POST", "/", body, headers)
        got = connection.getresponse()
        reply = Reply(got.status, got.headers["Content-Type"], got.read())
        connection.close()
        return reply

    @staticmethod
    def read(body):
        try:
            return json.loads(body)
        except ValueError:
            return None

    def edit(self, content_type, body, change):
        """Let `change` spoil the answers of a reply; it gets the message and the reply."""
        message, reply = self.read(body), self.ask(content_type, body)
        if reply.status == 200 and reply.type.startswith(GEOJSON):
            document = json.loads(reply.body)
            change(message, document)
            named = set()
            for answer in document["answers"]:
                named.update(answer["on_segments"])
                named.update(e["object"] for entries in answer["border_nodes"].values() for e in entries)
            document["features"] = [f for f in document["features"] if f["id"] in named]
            reply.body = json.dumps(document).encode()
        return reply

    @staticmethod
    def lists(document):
        for number, answer in enumerate(document["answers"]):
            for entries in answer["border_nodes"].values():
                yield number, entries

    # --- Replies that are wrong ---

    def none(self, content_type, body):
        return self.ask(content_type, body)

    def fails(self, content_type, body):
        return Reply(500, "application/problem+json", b'{"title":"out of order"}')

    def unlabelled(self, content_type, body):
        reply = self.ask(content_type, body)
        if reply.status == 200:
            reply.type = reply.type.split(";")[0]
        return reply

    def unsorted(self, content_type, body):
        return self.edit(content_type, body, lambda _, d: [e.reverse() for _, e in self.lists(d)])

    def forgets(self, content_type, body):
        """It does not have the objects whose number ends with 7."""

        def change(_, document):
            for answer in document["answers"]:
                answer["on_segments"] = [o for o in answer["on_segments"] if not o.endswith("7")]
                for entries in answer["border_nodes"].values():
                    entries[:] = [e for e in entries if not e["object"].endswith("7")]

        return self.edit(content_type, body, change)

    def large_cloaks_only(self, content_type, body):
        message = self.read(body)
        if message and sum(f["id"].startswith("s") for f in message.get("features", [])) == 1:
            return Reply(422, "application/problem+json", b'{"title":"only one segment"}')
        return self.ask(content_type, body)

    def wants_border_nodes(self, content_type, body):
        message = self.read(body)
        if message and not any(f["id"].startswith("b") for f in message.get("features", [])):
            return Reply(422, "application/problem+json", b'{"title":"no border node"}')
        return self.ask(content_type, body)

    def skips_the_nearest(self, content_type, body):
        """Of more than six."""

        def change(message, document):
            for number, entries in self.lists(document):
                if message["requests"][number].get("k", 0) == 7:
                    del entries[:1]

        return self.edit(content_type, body, change)

    def short_ranges(self, content_type, body):
        """A range reaches half as far as it should."""

        def change(message, document):
            for number, entries in self.lists(document):
                request = message["requests"][number]
                entries[:] = [
                    e
                    for e in entries
                    if e["distance_m"] <= request.get("radius_m", 1e9) / 2
                    and e["duration_s"] <= request.get("radius_s", 1e9) / 2
                ]

        return self.edit(content_type, body, change)

    def first_category_only(self, content_type, body):
        message = self.read(body)
        if message and "requests" in message:
            for request in message["requests"]:
                if len(request.get("categories") or []) > 1:
                    request["categories"] = request["categories"][:1]
            # Equal ones are refused: they differ by less than any road.
            message["requests"] = [
                dict(r, radius_m=r["radius_m"] + i * 1e-9) if "radius_m" in r else r
                for i, r in enumerate(message["requests"])
            ]
            body = json.dumps(message).encode()
        return self.ask(content_type, body)

    def no_way_is_the_shortest(self, content_type, body):
        """By distance, ways are twice as long as they are."""

        def change(message, document):
            for number, entries in self.lists(document):
                for entry in entries:
                    if message["requests"][number].get("metric") != "time":
                        entry["distance_m"] *= 2

        return self.edit(content_type, body, change)

    def lone_requests(self, content_type, body):
        """One that is alone gets one object less."""

        def change(message, document):
            for _, entries in self.lists(document):
                if len(message["requests"]) == 1:
                    del entries[-1:]

        return self.edit(content_type, body, change)

    def sorts_requests(self, content_type, body):
        """Answers are in the order of the requests' texts."""
        message = self.read(body)
        if message and isinstance(message.get("requests"), list):
            message["requests"].sort(key=lambda r: json.dumps(r, sort_keys=True), reverse=True)
            body = json.dumps(message).encode()
        return self.ask(content_type, body)

    def remembers(self, content_type, body):
        """The second time, it gives no object that it gave before."""
        count = self.seen[body] = self.seen.get(body, 0) + 1

        def change(_, document):
            for _, entries in self.lists(document):
                if count > 1:
                    del entries[:1]

        return self.edit(content_type, body, change)

    def one_at_a_time(self, content_type, body):
        self.under_way += 1
        try:
            time.sleep(0.02)  # others that come at the same time are here by then
            if self.under_way > 1:
                return Reply(500, "application/problem+json", b'{"title":"not now"}')
            return self.ask(content_type, body)
        finally:
            self.under_way -= 1

    # --- Refusals that are wrong ---

    def refuses_with_500(self, content_type, body):
        reply = self.ask(content_type, body)
        return reply if reply.status == 200 else Reply(500, reply.type, reply.body)

    def wants_line_breaks(self, content_type, body):
        if body.startswith(b"{") and b"\n" not in body:
            return Reply(400, "application/problem+json", b'{"title":"no line breaks"}')
        return self.ask(content_type, body)

    def strict(self, content_type, body):
        if b"of_a_later_day" in body:
            return Reply(400, "application/problem+json", b'{"title":"unknown member"}')
        return self.ask(content_type, body)

    def untitled(self, content_type, body):
        reply = self.ask(content_type, body)
        return reply if reply.status == 200 else Reply(reply.status, "text/plain", b"no")

    def repeats(self, content_type, body):
        reply = self.ask(content_type, body)
        if reply.status != 200:
            reply.body = json.dumps({"title": body[:20000].decode("latin-1")}).encode()
        return reply

    def dies(self, content_type, body):
        """Of a message that is too large."""
        self.is_dead |= len(body) > 1 << 24
        return self.fails(content_type, body) if self.is_dead else self.ask(content_type, body)

    def compact_only(self, content_type, body):
        if content_type and content_type.startswith(GEOJSON):
            return Reply(415, "application/problem+json", b'{"title":"compact only"}')
        return self.ask(content_type, body)

    def reads_nothing(self, content_type, body):
        return Reply(415, "application/problem+json", b'{"title":"nothing"}')


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    flaws = {}
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            name = self.path.strip("/").replace("-", "_") or "none"
            with lock:
                flaw = flaws.setdefault(name, Flaws((host, int(port))))
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reply = getattr(flaw, name)(self.headers["Content-Type"], body)
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.type)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
