"""The service: responses of every route of `serve`, `demo` and `gateway`, metrics, events."""
import json
import re
import shutil
import socket
import threading

from http_text import (Events, Talk, exchange, merge, metric_names, request_bytes, shape, shape_text)
from program import free_port, mask_numbers, mask_random
from store import digest

JSON = ("Content-Type", "application/json")
SIZE = ("content-length",)
LIFE = ("listening", "ready", "draining", "stopped")  # events of every log
PATHS = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/about", "/v1/map", "/v1/map.bin",
         "/v1/categories", "/v1/partition", "/v1/cluster", "/v1/events", "/v1/attacks", "/v1/queries", "/",
         "/reports/", "/demo/about", "/nowhere"]


def query(k=2, l=1, hops=4, wait=20, edge=5, **more):
    body = {"position": {"edge": edge, "offset_m": 1},
            "profile": {"k": k, "l": l, "max_hops": hops, "max_wait_s": wait},
            "request": {"type": "knn", "k": 2}}
    body.update(more)
    return json.dumps({key: value for key, value in body.items() if value is not None})


def bearer(program, user):
    token = program.must("token", "issue", "--key", "keys", "--user", user).strip()
    return ("Authorization", f"Bearer {token}")


def names(body):
    return metric_names(body.decode())


def shaped(body):
    return shape_text(json.loads(body))


def start_serve(program, name, *options):
    admin = () if "--admin" in options else ("--admin", "listen")
    return program.start(name, "serve", "city.scm", "--listen", "127.0.0.1:0", "--token-keys", "keys",
                         "--address-rate", "0", *admin, *options)


# --- Pages ----------------------------------------------------------------------------------------

def talk_pages(talk, program):
    talk.ask("alive", "GET", "/healthz")
    talk.ask("ready", "GET", "/readyz")
    talk.ask("what this service is", "GET", "/v1/about", masked=SIZE, show=about)
    talk.ask("roads", "GET", "/v1/map", show=lambda body: digest(body, 4))
    talk.ask("roads as bytes", "GET", "/v1/map.bin", show=lambda body: digest(body, 4))
    talk.ask("categories", "GET", "/v1/categories")
    talk.ask("parts", "GET", "/v1/partition", show=lambda body: digest(body, 4))
    talk.ask("description", "GET", "/openapi.json", show=lambda body: digest(body, 1))
    for path in ("/v1/map", "/v1/map.bin", "/v1/categories", "/openapi.json"):
        _, headers, _ = exchange(talk.address, request_bytes("GET", path))
        tag = next(value for name, value in headers if name.lower() == "etag")
        talk.ask("not changed", "GET", path, [("If-None-Match", tag)])
    # Its files have names that follow from their content; a build without it has none.
    talk.ask("a page for people", "GET", "/", show=lambda body: "...\n", masked=("content-length", "etag"))


def about(body):
    """As it is, but for the version and moments."""
    return re.sub(r'("version": ?")[^"]*', r"\1~", mask_numbers(body.decode(), "uptime_s", "started"))


def talk_methods(talk):
    for path in PATHS:
        talk.ask("no such method here", "DELETE", path)
    for path in ("/healthz", "/v1/about", "/v1/categories", "/metrics", "/v1/events"):
        talk.ask("head", "HEAD", path, masked=SIZE)
    talk.ask("no such method here", "POST", "/v1/map", [JSON], "{}")
    talk.ask("no such method here", "GET", "/v1/queries")


def talk_broken(talk):
    """What is not HTTP, or not as it should be."""
    talk.raw("not HTTP", b"hello\r\n\r\n", "hello")
    talk.raw("a method that is not known", b"BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "BREW /")
    talk.raw("headers that are too large", b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 20000 + b"\r\n\r\n",
             "X: yyyy...")
    talk.raw("a body that is too large", request_bytes("POST", "/v1/queries", [JSON], "x" * 20000), "xxxx...")
    talk.raw("an expectation", request_bytes("POST", "/v1/queries", [JSON, ("Expect", "magic")], "{}"),
             "Expect: magic")


# --- Queries --------------------------------------------------------------------------------------

def talk_refused(talk, ann):
    """Queries that are refused, each for its own reason."""
    bad = [
        ("no JSON", "zzz"), ("not an object", "[]"), ("nothing in it", "{}"),
        ("no position", query(position=None)), ("no request", query(request=None)),
        ("an unknown member", query(colour="red")),
        ("a position of two kinds", query(position={"lon": 1, "lat": 2, "edge": 3, "offset_m": 0})),
        ("half a position", query(position={"lon": 1})),
        ("not on the globe", query(position={"lon": 500, "lat": 2})),
        ("a position of a plane", query(position={"x": 1, "y": 2})),
        ("far from any road", query(position={"lon": 10, "lat": 20})),
        ("no such edge", query(edge=99999)),
        ("beyond the edge", query(position={"edge": 5, "offset_m": 99999})),
        ("k too small", query(k=1)), ("k too large", query(k=1001)), ("k is no number", query(k="many")),
        ("l too large", query(l=10001)), ("too many hops", query(hops=17)), ("no hops", query(hops=0)),
        ("too long a wait", query(wait=3601)), ("too short a wait", query(wait=0.5)),
        ("an unknown need", query(profile={"m": 1})),
        ("an unknown request", query(request={"type": "route"})),
        ("no objects", query(request={"type": "knn", "k": 0})),
        ("too many objects", query(request={"type": "knn", "k": 101})),
        ("too far", query(request={"type": "range", "radius_m": 20001})),
        ("an unknown category", query(request={"type": "knn", "k": 1, "categories": ["dragon"]})),
        ("a member twice", '{"position":{"edge":5,"offset_m":1},"position":{"edge":5,"offset_m":1},"request":{"type":"knn","k":1}}'),
        ("behind the end", query() + "x"),
    ]
    for title, body in bad:
        talk.ask(title, "POST", "/v1/queries", [JSON, ann], body)
    talk.ask("no token", "POST", "/v1/queries", [JSON], query())
    talk.ask("not a token", "POST", "/v1/queries", [JSON, ("Authorization", "Bearer zzz")], query())
    talk.ask("another scheme", "POST", "/v1/queries", [JSON, ("Authorization", "Basic zzz")], query())
    talk.ask("another media type", "POST", "/v1/queries", [("Content-Type", "text/plain"), ann], query())
    talk.ask("no media type", "POST", "/v1/queries", [ann], query())


def ask_together(address, people, **options):
    """Queries that wait for each other; their responses."""
    responses = [None] * len(people)

    def one(i):
        responses[i] = exchange(address, request_bytes("POST", "/v1/queries", [JSON, people[i]], query(**options)))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(people))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return responses


def note_answers(talk, title, responses):
    """What came back, in one shape; that it is the same cloak for all."""
    told = None
    for status, headers, body in responses:
        told = shape(json.loads(body)) if told is None else merge(told, shape(json.loads(body)))
    talk.text += f"### {title}\n"
    talk.text += "".join(sorted(f"< {status}\n" for status, _, _ in responses))
    talk.note("", responses[0][1], json.dumps(told, indent=1).encode(), None, SIZE)


def talk_outcomes(talk, program, people):
    note_answers(talk, "two who are hidden together and answered", ask_together(talk.address, people[:2]))
    for title, body in (("infeasible", query(l=50, hops=1)), ("expired", query(wait=1))):
        talk.ask(title, "POST", "/v1/queries", [JSON, people[2]], body, masked=SIZE,
                 show=lambda body: mask_numbers(body.decode(), "wait_s"))


def talk_attacks(talk):
    seen = {"segments": [3, 4, 9], "members": [{"k": 2, "l": 3, "max_hops": 4}, {"k": 2, "l": 2, "max_hops": 3}]}
    asked = {"queries": [{"segment": 3, "k": 1, "l": 3, "max_hops": 4}]}
    talk.ask("of a cloak that was seen", "POST", "/v1/attacks", [JSON], json.dumps(seen), masked=SIZE, show=shaped)
    talk.ask("of what a method makes of queries", "POST", "/v1/attacks", [JSON],
             json.dumps({"method": "expansion", **asked}), masked=SIZE, show=shaped)
    talk.ask("neither", "POST", "/v1/attacks", [JSON], "{}")
    talk.ask("an unknown method", "POST", "/v1/attacks", [JSON], json.dumps({"method": "magic", **asked}))
    talk.ask("an unknown segment", "POST", "/v1/attacks", [JSON],
             json.dumps({"queries": [{"segment": 99999, "k": 1, "l": 3, "max_hops": 4}]}))
    talk.ask("another media type", "POST", "/v1/attacks", [], "{}")


# --- The parts ------------------------------------------------------------------------------------

def responses(program, store):
    people = [bearer(program, f"user-{i}") for i in range(6)]
    serve_all(program, store, people)
    serve_gates(program, store, people)
    serve_providers(program, store, people)
    show_demo(program, store)


def serve_all(program, store, people):
    serve = start_serve(program, "serve", "--partition", "city.partition", "--events", "open", "--metrics", "open",
                        "--user-rate", "0", "--jitter", "0.05")
    address = serve.address()
    talk = Talk(address)
    talk_pages(talk, program)
    talk.ask("no reports", "GET", "/reports/", show=shown)
    talk.ask("no report", "GET", "/reports/report.html")
    talk.ask("no attacks", "POST", "/v1/attacks", [JSON], "{}")
    store.put("service/pages.txt", talk.text)
    talk = Talk(address)
    talk_methods(talk)
    talk_broken(talk)
    store.put("service/methods.txt", talk.text)
    talk = Talk(address)
    talk_refused(talk, people[0])
    store.put("service/refused.txt", talk.text)
    talk = Talk(address)
    talk_outcomes(talk, program, people)
    store.put("service/outcomes.txt", talk.text)
    events = Events(address, "/v1/events")
    asking = threading.Thread(target=ask_together, args=(address, people[3:5]))
    asking.start()
    events.read_until("history", "cloak", "counters")
    asking.join()
    store.put("service/events.txt", events.text())
    events.close()
    talk = Talk(address)
    talk.ask("metrics", "GET", "/metrics", show=names, masked=SIZE)
    store.put("service/metrics-serve.txt", talk.text)
    query_command(program, store, address, people)
    store.put("service/stop.txt", f"exit {serve.stop()}\n" + log_events(serve, *LIFE))


def shown(body):
    return mask_random(body.decode())


def log_events(server, *kinds):
    """Which events of these kinds a log has, with the names of their fields; others come and go."""
    rows = set()
    for line in server.log.read_text().splitlines():
        if " event=" in line:
            fields = re.findall(r'(?:^| )([a-z_]+)=("(?:[^"\\]|\\.)*"|\S*)', line)
            told = dict(fields)
            if told.get("event") in kinds:
                rows.add(f"{told.get('level')} {told.get('event')}: {' '.join(name for name, _ in fields)}\n")
    return "".join(sorted(rows))


def query_command(program, store, address, people):
    """`starcloak query` and `starcloak load` against a service that is there."""
    tokens = [header[1].split()[1] for header in people]
    results = [None, None]

    def one(i):
        results[i] = program.run("query", f"http://{address}", "--token", tokens[i], "--edge", "5",
                                 "--offset-m", "1", "--k", "2", "--l", "1", "--nearest", "2", "--json")

    threads = [threading.Thread(target=one, args=(i,)) for i in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = merge(*(shape(json.loads(out)) for _, out, _ in results))
    text = "query --json\n" + json.dumps(told, indent=1) + f"\n=> {[code for code, _, _ in results]}\n\n"
    for line in ("--edge 5 --offset-m 1 --k 2 --max-wait 1", "--edge 5 --offset-m 1 --k 2 --max-wait 1 --json",
                 "--edge 99999 --offset-m 1", "--edge 99999 --offset-m 1 --json",
                 "--edge 5 --offset-m 1 --category dragon"):
        code, out, err = program.run("query", f"http://{address}", "--token", tokens[2], *line.split())
        text += f"$ starcloak query URL {line}\n{waits(out)}{waits(err)}=> {code}\n\n"
    # The first are answered; of the others, too few for their wishes, none is.
    for wishes in ("-n 20 --k 2:0 --l 1:0 --sigma-t 3:0", "-n 2 --k 9:0 --l 1:0 --sigma-t 1:0"):
        code, out, err = program.run("load", f"http://{address}", "city.scm", "--key", "keys", "--duration", "2",
                                     "--pause", "1", *wishes.split(), "--json", "--quiet")
        told = shape(json.loads(out))
        told["reasons"] = told["reasons"] if "9:0" in wishes else "see below"
        text += f"load --json {wishes}\n" + json.dumps(told, indent=1) + f"\n{err}=> {code}\n\n"
    store.put("service/clients.txt", text)


def waits(text):
    return re.sub(r"\d+\.\d+ s\b", "~ s", mask_numbers(text, "wait_s"))


def serve_gates(program, store, people):
    """Pages that are for some only, and rates."""
    text = ""
    for events, metrics in (("off", "token"), ("token", "off")):
        serve = start_serve(program, f"gates-{events}", "--events", events, "--metrics", metrics, "--no-ui",
                            "--user-rate", "0.001", "--user-burst", "1")
        talk = Talk(serve.address())
        for path in ("/v1/events", "/metrics", "/reports/", "/", "/v1/partition"):
            talk.ask(f"events {events}, metrics {metrics}, no token", "GET", path)
        if metrics == "token":
            talk.ask("with a token", "GET", "/metrics", [people[0]], show=lambda body: "...\n", masked=SIZE)
            talk.ask("the first query", "POST", "/v1/queries", [JSON, people[0]], query(wait=1), masked=SIZE,
                     show=lambda body: mask_numbers(body.decode(), "wait_s"))
            status, headers, body = exchange(talk.address, request_bytes(
                "POST", "/v1/queries", [JSON, people[0]], query(wait=1)))
            talk.text += "### one too many\n"
            talk.note(status, headers, body, None, ("retry-after",))
        text += talk.text + f"exit {serve.stop()}\n\n"
    serve = start_serve(program, "gates-public", "--admin", "127.0.0.1:0", "--partition", "city.partition")
    talk = Talk(serve.address())
    for path in ("/v1/events", "/metrics", "/v1/cluster"):
        talk.ask("where clients come in", "GET", path)
    talk.ask("what they are told of it", "GET", "/v1/about", masked=SIZE, show=about)
    talk.address = serve.wait_for(r"event=admin_listening.* address=(\S+)").group(1)
    talk.ask("where operators come in", "GET", "/metrics", show=lambda body: "...\n", masked=SIZE)
    text += talk.text + f"exit {serve.stop()}\n{log_events(serve, 'admin_listening', *LIFE)}\n"
    store.put("service/gates.txt", text)


class OddProvider(threading.Thread):
    """Takes what comes, and answers with something else, or not at all."""

    def __init__(self, is_silent):
        super().__init__(daemon=True)
        self.is_silent = is_silent
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.kept = []
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.kept.append(connection)
            if not self.is_silent:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                connection.close()

    def close(self):
        self.socket.close()
        for connection in self.kept:
            connection.close()


def serve_providers(program, store, people):
    """A provider that fails, and one that says nothing."""
    text = ""
    for title, is_silent in (("a provider that fails", False), ("a provider that is silent", True)):
        odd = OddProvider(is_silent)
        serve = start_serve(program, f"provider-{is_silent}", "--provider", f"http://127.0.0.1:{odd.port}/",
                            "--provider-timeout", "1", "--provider-deadline", "1", "--user-rate", "0",
                            "--jitter", "0.05", "--categories", "cafe,hospital", "--metrics", "open")
        talk = Talk(serve.wait_for(r"event=listening.* address=(\S+)").group(1))
        found = {(status, body) for status, _, body in ask_together(talk.address, people[:2])}
        for status, body in sorted(found):
            talk.text += f"### {title}\n< {status}\n{body.decode()}\n\n"
        text += talk.text
        serve.stop()
        odd.close()
    store.put("service/provider-failures.txt", text)


def show_demo(program, store):
    program.file("reports").mkdir()
    program.write("reports/report.html", "<p>A report</p>\n")
    demo = program.start("demo", "demo", "city.scm", "--listen", "127.0.0.1:0", "--travellers", "60",
                         "--pause", "2:0.5", "--k", "3:1", "--l", "1:0", "--sigma-s", "2:1", "--sigma-t", "3:1", "--reports", "reports",
                         "--engine", "basic")
    talk = Talk(demo.address())
    talk.ask("about", "GET", "/v1/about", masked=SIZE, show=about)
    talk.ask("about the demo", "GET", "/demo/about", masked=SIZE, show=shaped)
    truth = Events(talk.address, "/demo/events")
    # What is told of a query depends on how it ended; who is waiting, on the moment.
    truth.read_until("hello", "asked", "positions", "ended answered", "ended dropped")
    truth.close()
    for _ in range(100):
        waiting = Events(talk.address, "/demo/events")
        waiting.read_until("pending")
        waiting.close()
        truth.shapes["pending"] = waiting.shapes["pending"]
        if truth.shapes["pending"]["queries"]:
            break
    talk.ask("another engine", "POST", "/demo/engine", [JSON], '{"engine":"hybrid"}')
    talk.ask("an unknown engine", "POST", "/demo/engine", [JSON], '{"engine":"magic"}')
    talk.ask("reports", "GET", "/reports/", show=shown)
    talk.ask("a report", "GET", "/reports/report.html")
    talk.ask("no such report", "GET", "/reports/absent.html")
    for path in ("/v1/attacks", "/reports/"):
        talk.ask("another method", "DELETE", path)
    attacks = Talk(demo.address())
    talk_attacks(attacks)
    store.put("service/attacks.txt", attacks.text)
    store.put("service/demo.txt", talk.text + truth.text() + f"exit {demo.stop()}\n")


# --- A cluster ------------------------------------------------------------------------------------

def cluster(program, store):
    """A gateway and a worker, with a NATS server between them; without one, nothing is compared."""
    nats = shutil.which("nats-server")
    if not nats:
        store.skip(["service/gateway.txt", "service/cluster.txt"], "no nats-server")
        return
    port = free_port()
    bus = program.start_other("nats", nats, "-a", "127.0.0.1", "-p", str(port))
    bus.wait_for("Server is ready")
    lbs = program.start("cluster-lbs", "lbs", "city.scm", "--listen", "127.0.0.1:0")
    shared = ["city.scm", "--partition", "city.partition", "--cluster-key", "cluster.key", "--nats", f"nats://127.0.0.1:{port}"]
    worker = program.start("worker", "worker", *shared, "--cluster-key", "w1.key", "--name", "w1", "--threads", "1", "--drain", "1")
    gateway = program.start("gateway", "gateway", *shared, "--name", "g1", "--listen", "127.0.0.1:0",
                            "--token-keys", "keys", "--metrics", "open", "--events", "open", "--user-rate", "0",
                            "--admin", "listen", "--jitter", "0.05", "--provider", f"http://{lbs.address()}/")
    talk = Talk(gateway.address())
    until_served(program, shared[3:])
    people = [bearer(program, f"user-{i}") for i in range(2)]
    events = Events(talk.address, "/v1/events")
    note_answers(talk, "two who are hidden together and answered", ask_together(talk.address, people))
    events.read_until("history", "cloak", "sent", "counters")
    talk.text += events.text() + "\n"
    events.close()
    talk.ask("ready", "GET", "/readyz")
    talk.ask("about", "GET", "/v1/about", masked=SIZE, show=about)
    talk.ask("the cluster", "GET", "/v1/cluster", masked=SIZE, show=shaped)
    talk.ask("metrics", "GET", "/metrics", masked=SIZE, show=names)
    talk.ask("no attacks", "POST", "/v1/attacks", [JSON], "{}")
    store.put("service/gateway.txt", talk.text)
    code, out, err = program.run("cluster", "status", *shared[3:], "--json")
    told = f"cluster status --json\n{shape_text(json.loads(out))}{err}=> {code}\n\n"
    code, out, err = program.run("cluster", "status", *shared[3:], "--parts")
    # Which words there are; numbers and the widths of columns follow the load.
    words = sorted(set(re.findall(r"[A-Za-z][A-Za-z_-]+", re.sub(r"\b[0-9a-f]{16}\b", "", out))))
    told += f"cluster status --parts\n{' '.join(words)}\n{err}=> {code}\n\n"
    for name, server in (("worker", worker), ("gateway", gateway)):
        told += f"{name}: exit {server.stop()}\n{log_events(server, *LIFE)}\n"
    store.put("service/cluster.txt", told)


def until_served(program, shared):
    for _ in range(60):
        code, _, _ = program.run("cluster", "status", *shared)
        if code == 0:
            return
    raise RuntimeError("the cluster never serves every part")
