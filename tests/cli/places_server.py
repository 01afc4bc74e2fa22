#!/usr/bin/env python3
"""The objects of an exported map over HTTP, for tests and measurements.

usage: places_server.py POIS.csv PORT_FILE

    /collections/places/items?bbox=W,S,E,N&limit=N&offset=N   as OGC API Features: pages are linked
    /nearest?lon=X&lat=Y&k=N&category=NAME                     the nearest of a point, straight

It listens on a free port of the loopback, and writes it to PORT_FILE. A header X-Key is needed if
PLACES_KEY is in the environment. /count tells how many questions it had.
"""
import csv
import http.server
import json
import math
import os
import sys
import urllib.parse

RADIUS_M = 6371008.8


def read_places(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return [(float(row["lon"]), float(row["lat"]), row["poi"], row["category"], row["name"])
                for row in csv.DictReader(stream)]


def distance_m(lon_a, lat_a, lon_b, lat_b):
    a, b = math.radians(lat_a), math.radians(lat_b)
    h = (math.sin((b - a) / 2) ** 2 +
         math.cos(a) * math.cos(b) * math.sin(math.radians(lon_b - lon_a) / 2) ** 2)
    return 2 * RADIUS_M * math.asin(math.sqrt(h))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Small answers leave at once.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def send(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/geo+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = {k: v[0] for k, v in urllib.parse.parse_qs(address.query).items()}
        if address.path == "/count":
            self.send(self.server.count)
            return
        key = os.environ.get("PLACES_KEY")
        if key and self.headers.get("X-Key") != key:
            self.send({"code": "no key"}, 401)
            return
        self.server.count += 1
        if address.path == "/nearest":
            self.send_nearest(query)
        else:
            self.send_items(query)

    def send_items(self, query):
        west, south, east, north = (float(part) for part in query["bbox"].split(","))
        limit, offset = int(query.get("limit", 10)), int(query.get("offset", 0))
        found = [place for place in self.server.places
                 if west <= place[0] <= east and south <= place[1] <= north]
        page = found[offset:offset + limit]
        links = [{"rel": "self", "href": self.path}]
        if offset + limit < len(found):
            query["offset"] = str(offset + limit)
            links.append({"rel": "next", "href": "?" + urllib.parse.urlencode(query)})
        self.send({"type": "FeatureCollection", "numberMatched": len(found),
                   "numberReturned": len(page), "links": links,
                   "features": [{"type": "Feature", "id": int(key),
                                 "geometry": {"type": "Point", "coordinates": [lon, lat]},
                                 "properties": {"name": name, "category": category}}
                                for lon, lat, key, category, name in page]})

    def send_nearest(self, query):
        lon, lat, k = float(query["lon"]), float(query["lat"]), int(query["k"])
        wanted = query.get("category", "")
        near = sorted((distance_m(lon, lat, place[0], place[1]), place)
                      for place in self.server.places if wanted in ("", place[3]))
        self.send({"results": [{"id": int(key), "lon": x, "lat": y, "distance_m": d,
                                "category": category, "name": name}
                               for d, (x, y, key, category, name) in near[:k]]})


def serve(pois, port_file, handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.places = read_places(pois)
    server.count = 0
    with open(port_file + ".new", "w", encoding="ascii") as stream:
        stream.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], Handler)
