"""The provider: `starcloak lbs` asked over HTTP in both encodings, with the bytes of its replies.

Requests are built here from recorded cloaks and docs/provider-protocol.md, by code that shares
nothing with the program.
"""
import csv
import json
import struct

from http_text import Talk, metric_names
from store import hexdump

COMPACT = ("Content-Type", "application/x-protobuf; version=2")
GEOJSON = ("Content-Type", "application/geo+json; version=2")
REQUESTS = [{"type": "knn", "k": 3}, {"type": "knn", "k": 1, "categories": ["cafe"]},
            {"type": "range", "radius_m": 400.0}]
BY_TIME = [{"type": "knn", "k": 3, "metric": "time"}, {"type": "range", "metric": "time", "radius_s": 30.0}]


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def steps(numbers):
    """Ascending numbers as the first and differences."""
    return b"".join(varint(b - a) for a, b in zip([0, *numbers], numbers))


def compact_request(request):
    wanted = b""
    if "k" in request:
        wanted += varint(1 << 3) + varint(request["k"])
    if "radius_m" in request:
        wanted += varint(2 << 3 | 1) + struct.pack("<d", request["radius_m"])
    wanted += b"".join(field(3, name.encode()) for name in request.get("categories", []))
    if "radius_s" in request:
        wanted += varint(4 << 3 | 1) + struct.pack("<d", request["radius_s"])
    return wanted + (varint(5 << 3) + varint(1) if request.get("metric") == "time" else b"")


def compact_relay(checksum, cloak, requests, version=2):
    message = varint(1 << 3 | 1) + struct.pack("<Q", checksum)
    message += field(2, steps(sorted(cloak["segments"])))
    if cloak["border_nodes"]:
        message += field(3, steps(sorted(cloak["border_nodes"])))
    message += b"".join(field(4, compact_request(request)) for request in requests)
    return message + (varint(5 << 3) + varint(version) if version > 1 else b"")


def geojson_relay(program, cloak, requests, version=2):
    """Lines of the cloak's segments and points of its border nodes, from an export of the map."""
    roads = json.loads(program.file("city-csv/map.geojson").read_text())["features"]
    lines = {road["properties"]["segment"]: road["geometry"] for road in roads
             if road["geometry"]["type"] in ("LineString", "MultiLineString")}
    with open(program.file("city-csv/nodes.csv")) as rows:
        places = {int(row["node"]): [float(row["lon"]), float(row["lat"])] for row in csv.DictReader(rows)}
    features = [{"type": "Feature", "id": f"s{i}", "properties": None, "geometry": lines[segment]}
                for i, segment in enumerate(sorted(cloak["segments"]))]
    features += [{"type": "Feature", "id": f"b{i}", "properties": None,
                  "geometry": {"type": "Point", "coordinates": places[node]}}
                 for i, node in enumerate(sorted(cloak["border_nodes"]))]
    return json.dumps({"type": "FeatureCollection", "starcloak": version, "requests": requests,
                       "features": features}, separators=(",", ":"))


def replies(program, store):
    records = [json.loads(line) for line in program.file("city-basic.jsonl").read_text().splitlines()]
    cloaks = [record for record in records if record["event"] == "cloak"][:2]
    checksum = int(records[-1]["map"], 16)
    lbs = program.start("lbs", "lbs", "city.scm", "--listen", "127.0.0.1:0", "--admin", "listen", "--loops", "1", "--threads", "1")
    talk = Talk(lbs.address())
    for i, cloak in enumerate(cloaks):
        relay = compact_relay(checksum, cloak, REQUESTS)
        talk.ask(f"cloak {i}, compact", "POST", "/", [COMPACT], relay, hexdump, told="\n" + hexdump(relay))
        relay = geojson_relay(program, cloak, REQUESTS)
        talk.ask(f"cloak {i}, GeoJSON", "POST", "/", [GEOJSON], relay)
    cloak = cloaks[0]
    relay = compact_relay(checksum, cloak, BY_TIME)
    talk.ask("by time, compact", "POST", "/", [COMPACT], relay, hexdump, told="\n" + hexdump(relay))
    talk.ask("by time, GeoJSON", "POST", "/", [GEOJSON], geojson_relay(program, cloak, BY_TIME), told="...")
    talk.ask("a relay of version 1, compact", "POST", "/", [("Content-Type", "application/x-protobuf")],
             compact_relay(checksum, cloak, REQUESTS, version=1), told="...")
    talk.ask("a relay of version 1, GeoJSON", "POST", "/", [("Content-Type", "application/geo+json")],
             geojson_relay(program, cloak, REQUESTS, version=1), told="...")
    talk.ask("a relay of version 3", "POST", "/", [("Content-Type", "application/x-protobuf")],
             compact_relay(checksum, cloak, REQUESTS, version=3), told="...")
    talk.ask("a media type of version 3", "POST", "/", [("Content-Type", "application/geo+json; version=3")],
             "{}")
    talk.ask("metres by time", "POST", "/", [COMPACT], compact_relay(
        checksum, cloak, [{"type": "range", "metric": "time", "radius_m": 400.0}]), told="...")
    talk.ask("seconds by distance", "POST", "/", [GEOJSON], geojson_relay(
        program, cloak, [{"type": "range", "radius_s": 30.0}]), told="...")
    talk.ask("a map that it does not have", "POST", "/", [COMPACT],
             compact_relay(checksum ^ 1, cloak, REQUESTS), told="...")
    talk.ask("a category that it does not have", "POST", "/", [GEOJSON], geojson_relay(
        program, cloak, [{"type": "knn", "k": 1, "categories": ["dragon"]}]), told="...")
    talk.ask("too many objects", "POST", "/", [COMPACT],
             compact_relay(checksum, cloak, [{"type": "knn", "k": 5000}]), told="...")
    talk.ask("the same request twice", "POST", "/", [COMPACT],
             compact_relay(checksum, cloak, [REQUESTS[0]] * 2), told="...")
    talk.ask("no message", "POST", "/", [GEOJSON], "{}")
    talk.ask("no message", "POST", "/", [COMPACT], "zzzz")
    talk.ask("another media type", "POST", "/", [("Content-Type", "text/plain")], "zzzz")
    talk.ask("no media type", "POST", "/", [], "zzzz")
    talk.ask("a method that is not for this path", "GET", "/")
    talk.ask("categories", "GET", "/v1/categories")
    talk.ask("health", "GET", "/healthz")
    talk.ask("readiness", "GET", "/readyz")
    talk.ask("metrics", "GET", "/metrics", show=lambda body: metric_names(body.decode()),
             masked=("content-length",))
    store.put("provider/lbs.txt", talk.text + f"exit {lbs.stop()}\n")
