#!/usr/bin/env python3
"""Servers that list what is in a box: stand-ins for those that Debian does not have, and hostile ones.

usage: area_servers.py POIS.csv [DATABASE]

POIS.csv is what `starcloak map export` wrote; prints the port that it listens on. By path:

/rest/places   a stand-in for PostgREST, over real PostgreSQL (DATABASE): its documented URLs,
               column=operator.value, select, order, limit, offset
/overpass      a stand-in for the Overpass API, written from its documentation: queries of the one
               form nwr[~"keys"~"values"](south,west,north,east);out center LIMIT;
/geojson       a FeatureCollection by bbox and limit
/hostile/NAME  the same, with one hostile trait: see HOSTILE. `{requests: N}` at /count/hostile/NAME
               says how often it was asked, and POST /release ends what is held.

Every third object is a way for Overpass, with a centre; ids of features are texts.
"""
import csv
import http.server
import json
import re
import subprocess
import sys
import threading
import urllib.parse

OBJECTS = []
DATABASE = sys.argv[2] if len(sys.argv) > 2 else None
COUNTS = {}
LOCK = threading.Lock()
RELEASED = threading.Event()


def feature(o, **changes):
    made = {
        "type": "Feature",
        "id": o["poi"],
        "geometry": {"type": "Point", "coordinates": [float(o["lon"]), float(o["lat"])]},
        "properties": {"name": o["name"], "category": o["category"]},
    }
    made.update(changes)
    return made


def inside(o, box):
    west, south, east, north = box
    return west <= float(o["lon"]) <= east and south <= float(o["lat"]) <= north


def collection(features):
    return {"type": "FeatureCollection", "features": features}


# --- Stand-ins ------------------------------------------------------------------------------------


def postgrest(query):
    """Columns, conditions, order, limit and offset become one SELECT; nothing else is known."""
    wanted, conditions, order, limit, offset = "*", [], "", "ALL", "0"
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if name == "select":
            wanted = ",".join(f'"{c}"' for c in value.split(",") if re.fullmatch(r"\w+", c))
        elif name == "order":
            order = " ORDER BY " + ",".join(f'"{c}"' for c in value.split(",") if re.fullmatch(r"\w+", c))
        elif name == "limit":
            limit = str(int(value))
        elif name == "offset":
            offset = str(int(value))
        elif re.fullmatch(r"\w+", name):
            operator, _, operand = value.partition(".")
            if operator == "in":
                words = [w[1:-1] if w.startswith('"') else w for w in next(csv.reader([operand[1:-1]], quotechar="\0"))]
                conditions.append(f'"{name}" IN (' + ",".join("'" + w.replace("'", "''") + "'" for w in words) + ")")
            else:
                sign = {"gte": ">=", "lte": "<=", "eq": "=", "gt": ">", "lt": "<"}[operator]
                conditions.append(f"\"{name}\" {sign} '" + operand.replace("'", "''") + "'")
    where = " WHERE " + " AND ".join(conditions) if conditions else ""
    rows = f"SELECT {wanted} FROM places{where}{order} LIMIT {limit} OFFSET {offset}"
    script = f"SELECT coalesce(json_agg(r), '[]') FROM ({rows}) AS r"
    ran = subprocess.run(["psql", "-qXAt", "-d", DATABASE, "-c", script], capture_output=True, check=True)
    return json.loads(ran.stdout)


OVERPASS = re.compile(
    r'\[out:json\](?:\[timeout:\d+\])?;\s*nwr\[~"\^\(([a-z|]+)\)\$"~"\^\((.*)\)\$"\]\s*'
    r"\(([-\d.]+),([-\d.]+),([-\d.]+),([-\d.]+)\);\s*out center (\d+);"
)


def overpass(body):
    text = body.decode()
    if text.startswith("data="):
        text = urllib.parse.unquote_plus(text[5:])
    read = OVERPASS.fullmatch(text.strip())
    if not read or "amenity" not in read[1].split("|"):
        return None
    south, west, north, east = map(float, read.groups()[2:6])
    elements = []
    for o in OBJECTS:
        if not inside(o, (west, south, east, north)) or not re.fullmatch(read[2], o["category"]):
            continue
        at = {"lon": float(o["lon"]), "lat": float(o["lat"])}
        is_way = int(o["poi"]) % 3 == 0
        tags = {"amenity": o["category"], **({"name": o["name"]} if o["name"] else {})}
        place = {"center": at} if is_way else at
        elements.append({"type": "way" if is_way else "node", "id": int(o["poi"]), **place, "tags": tags})
    return {"version": 0.6, "elements": elements[: int(read[7])]}


# --- Hostile servers ------------------------------------------------------------------------------


class Hostile:
    """Each method answers for a box: (status, headers, document or bytes or an iterator of bytes)."""

    @staticmethod
    def outside(box, request):
        """Objects of the whole city, whatever the box is."""
        return 200, {}, collection([feature(o) for o in OBJECTS])

    @staticmethod
    def two_places(box, request):
        """Every object is in two places: where it is, and in the middle of the box that is asked for."""
        found = [feature(o) for o in OBJECTS if inside(o, box)]
        middle = {"type": "Point", "coordinates": [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]}
        return 200, {}, collection(found + [feature(o, geometry=middle) for o in OBJECTS[:3]])

    @staticmethod
    def endless_pages(box, request):
        """There is always a next page, with one more object."""
        page = int(request.get("page", "0"))
        made = feature(OBJECTS[0], id=f"page-{page}")
        link = request["self"].split("&page=")[0] + f"&page={page + 1}"
        return 200, {}, dict(collection([made]), links=[{"rel": "next", "href": link}])

    @staticmethod
    def same_page(box, request):
        """The next page is the same one."""
        return 200, {}, dict(collection([feature(OBJECTS[0])]), links=[{"rel": "next", "href": request["self"]}])

    @staticmethod
    def other_host(box, request):
        """The next page is at another server."""
        link = "http://127.0.0.2:9/next"
        return 200, {}, dict(collection([feature(OBJECTS[0])]), links=[{"rel": "next", "href": link}])

    @staticmethod
    def huge(box, request):
        """5 GB, as announced."""

        def body():
            yield b'{"type":"FeatureCollection","features":['
            block = b'{"type":"Feature","id":"x","geometry":null,"properties":{}},' * 1000
            for _ in range(5 * 10**9 // len(block)):
                yield block

        return 200, {"Content-Length": str(5 * 10**9)}, body()

    @staticmethod
    def endless(box, request):
        """A body without an end, and without a size."""

        def body():
            while True:
                yield b" " * 65536

        return 200, {"Connection": "close"}, body()

    @staticmethod
    def busy_429(box, request):
        return 429, {"Retry-After": "3600"}, {"error": "too many requests"}

    @staticmethod
    def busy_503(box, request):
        return 503, {"Retry-After": "3600"}, {"error": "maintenance"}

    @staticmethod
    def busy_once(box, request):
        """The first question is refused for a second, later ones are answered."""
        if request["number"] == 1:
            return 503, {"Retry-After": "1"}, {"error": "just now"}
        return 200, {}, collection([feature(o) for o in OBJECTS if inside(o, box)])

    @staticmethod
    def wrong_types(box, request):
        """Numbers where lists are, texts where objects are."""
        return 200, {}, {"type": "FeatureCollection", "features": {"id": 7}}

    @staticmethod
    def wrong_positions(box, request):
        bad = [{"type": "Point", "coordinates": c} for c in (["x", "y"], [1e300, 1e300], [None], 5)]
        return 200, {}, collection([feature(OBJECTS[i], geometry=g) for i, g in enumerate(bad)])

    @staticmethod
    def no_json(box, request):
        return 200, {}, b"<html>It works!</html>"

    @staticmethod
    def redirect(box, request):
        return 302, {"Location": "http://127.0.0.2:9/elsewhere"}, b""

    @staticmethod
    def drip(box, request):
        """A byte now and then, for ever."""

        def body():
            while not RELEASED.wait(0.2):
                yield b" "

        return 200, {"Connection": "close"}, body()

    @staticmethod
    def silent(box, request):
        """Takes the question and says nothing."""

        def body():
            RELEASED.wait()
            yield b""

        return None, {}, body()


# --- The server -----------------------------------------------------------------------------------


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, headers, content):
        if isinstance(content, (dict, list)):
            content = json.dumps(content).encode()
        if status is None:
            for _ in content:
                pass
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if isinstance(content, bytes):
            self.send_header("Content-Length", str(len(content)))
            content = [content]
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for part in content:
                self.wfile.write(part)
        except OSError:
            self.close_connection = True

    def do_GET(self):
        path, _, query = self.path.partition("?")
        values = dict(urllib.parse.parse_qsl(query))
        if path.startswith("/count/"):
            self.send(200, {}, {"requests": COUNTS.get(path[6:], 0)})
            return
        with LOCK:
            number = COUNTS[path] = COUNTS.get(path, 0) + 1
        if path == "/rest/places":
            self.send(200, {}, postgrest(query))
            return
        box = tuple(map(float, values.get("bbox", "-180,-90,180,90").split(",")))[:4]
        if path == "/geojson":
            found = [feature(o) for o in OBJECTS if inside(o, box)]
            self.send(200, {}, collection(found[: int(values.get("limit", "1000000"))]))
            return
        name = path.removeprefix("/hostile/").replace("-", "_")
        request = {**values, "number": number, "self": f"http://{self.headers['Host']}{self.path}"}
        self.send(*getattr(Hostile, name)(box, request))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        with LOCK:
            COUNTS[self.path] = COUNTS.get(self.path, 0) + 1
        if self.path == "/release":
            RELEASED.set()
            self.send(200, {}, {})
            return
        found = overpass(body) if self.path == "/overpass" else None
        if found is None:
            self.send(400, {}, {"error": "not a query of the form that is known"})
        else:
            self.send(200, {}, found)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        OBJECTS.extend(csv.DictReader(file))
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
