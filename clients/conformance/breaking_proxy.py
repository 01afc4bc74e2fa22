#!/usr/bin/env python3
"""Stands before the service and breaks the first request of each client, in the way that its path names.

usage: breaking_proxy.py HOST PORT UPSTREAM_PORT

A client of http://HOST:PORT/FAULT meets FAULT once for each method that it uses:

  lose-reply   the request goes to the service, and the connection ends without its reply
  reset        the connection ends, and the service sees nothing
  bad-gateway  502 with a page for people, as proxies have it
  busy         503 with Retry-After
  garbage      200 with what is not JSON
  redirect     307 to /elsewhere, always; who follows gets an answer that is not the service's

Then all goes to the service and back. "event=listening" is printed when it listens.
"""

import http.client
import http.server
import sys
import threading

HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "host")


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    met = set()
    lock = threading.Lock()
    upstream = 0

    def log_message(self, *_):
        pass

    def carry(self):
        _, fault, rest = self.path.split("/", 2)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        who = (fault, self.command, self.headers.get("Authorization"))
        with self.lock:
            is_first = who not in self.met
            self.met.add(who)
        if fault == "elsewhere":
            return self.reply(200, {}, b'{"outcome":"dropped","reason":"elsewhere","wait_s":0,"advice":"none"}')
        if fault == "redirect":
            return self.reply(307, {"Location": f"/elsewhere/{rest}"}, b"")
        if is_first and fault == "reset":
            return self.hang_up()
        if is_first and fault == "bad-gateway":
            return self.reply(502, {"Content-Type": "text/html"}, b"<html>Bad gateway</html>")
        if is_first and fault == "busy":
            return self.reply(503, {"Retry-After": "1"}, b"")
        if is_first and fault == "garbage":
            return self.reply(200, {}, b"nothing of ours")
        try:
            status, headers, data = self.ask_service(rest, body)
        except OSError:
            return self.hang_up()
        if is_first and fault == "lose-reply":
            return self.hang_up()
        return self.reply(status, headers, data)

    def ask_service(self, rest, body):
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        upstream.request(self.command, "/" + rest, body or None, headers)
        response = upstream.getresponse()
        data = response.read()
        upstream.close()
        return response.status, {k: v for k, v in response.getheaders() if k.lower() not in HOP}, data

    def hang_up(self):
        self.close_connection = True

    def reply(self, status, headers, data):
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = carry


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    Proxy.upstream = int(sys.argv[3])
    server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Proxy)
    server.daemon_threads = True
    print("event=listening", file=sys.stderr, flush=True)
    server.serve_forever()
