#!/usr/bin/env python3
"""Stand-ins for providers that know the nearest of a point, over the objects of an exported map.

usage: point_servers.py POIS.csv PORT_FILE

They are not those providers: each is written from what its provider publishes of requests and
replies, as far as StarCloak uses it, and refuses what its provider documents as an error. Keys are
those of the environment, GOOGLE_KEY and FOURSQUARE_KEY.

    /nearest                     as places_server.py: the reference that others are compared with
    /google/v1/places:searchNearby   Google's Nearby Search (New): POST, X-Goog-Api-Key and
                                 X-Goog-FieldMask, at most 20 results, radius at most 50 km, {} if
                                 there are none
    /foursquare/places/search    Foursquare's Place Search: Authorization: Bearer, a version, at
                                 most 50 results, radius at most 100 km
    /nominatim/search            replies as Nominatim's jsonv2: numbers are texts; in the order of
                                 importance, as its documentation says
    /nominatim/nearest           the same replies from one who sorts them by distance
    /overpass                    the Overpass API with (around:): in the order of ids
    /busy/...                    any of these; every fifth question gets status 429, Retry-After: 0
"""
import itertools
import json
import os
import re
import sys
import urllib.parse

import places_server
from places_server import distance_m

COUNT = itertools.count()


def sorted_places(places, lon, lat, radius_m, wanted):
    """Those within the radius and of the wanted categories, nearest first, with their distance."""
    near = [(distance_m(lon, lat, p[0], p[1]), p) for p in places if not wanted or p[3] in wanted]
    return sorted((d, p) for d, p in near if d <= radius_m)


def google(handler, places, body):
    if handler.headers.get("X-Goog-Api-Key") != os.environ.get("GOOGLE_KEY"):
        return 403, {"error": {"code": 403, "status": "PERMISSION_DENIED"}}
    mask = (handler.headers.get("X-Goog-FieldMask") or "").split(",")
    asked = json.loads(body)
    circle = asked["locationRestriction"]["circle"]
    count = asked.get("maxResultCount", 20)
    if "places.id" not in mask or not 1 <= count <= 20 or not 0 < circle["radius"] <= 50000:
        return 400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}
    if asked.get("rankPreference") != "DISTANCE" or asked.get("includedTypes") == []:
        return 400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}
    centre = circle["center"]
    found = sorted_places(places, centre["longitude"], centre["latitude"], circle["radius"],
                          asked.get("includedTypes"))[:count]
    made = [{"id": "ChIJ" + p[2], "types": ["establishment", p[3]],
             "location": {"latitude": p[1], "longitude": p[0]},
             "displayName": {"text": p[4] or "x", "languageCode": "en"}} for _, p in found]
    kept = [{k: v for k, v in place.items() if "places." + k in mask} for place in made]
    return 200, {"places": kept} if kept else {}


def foursquare(handler, places, query):
    if handler.headers.get("Authorization") != "Bearer " + os.environ.get("FOURSQUARE_KEY", ""):
        return 401, {"message": "Invalid request token."}
    lat, lon = (float(part) for part in query["ll"].split(","))
    limit, radius_m = int(query.get("limit", 10)), int(query.get("radius", 22000))
    if not handler.headers.get("X-Places-Api-Version") or not 1 <= limit <= 50 or radius_m > 100000:
        return 400, {"message": "bad request"}
    wanted = query["fsq_category_ids"].split(",") if query.get("fsq_category_ids") else None
    found = sorted_places(places, lon, lat, radius_m, wanted)
    if query.get("sort") != "DISTANCE":
        found.sort(key=lambda row: row[1][2])
    return 200, {"results": [{"fsq_place_id": p[2], "name": p[4] or "x", "latitude": p[1],
                              "longitude": p[0], "distance": round(d),
                              "categories": [{"fsq_category_id": p[3]}]}
                             for d, p in found[:limit]], "context": {}}


def nominatim(places, query, by_distance):
    lat, lon = float(query["lat"]), float(query["lon"])
    wanted = [query["amenity"]] if query.get("amenity") else None
    found = [p for _, p in sorted_places(places, lon, lat, 1e9, wanted)][:int(query["limit"])]
    if not by_distance:
        found.sort(key=lambda p: (int(p[2]) * 7919) % 1000)
    return 200, [{"place_id": int(p[2]), "osm_type": "node", "osm_id": int(p[2]), "lat": f"{p[1]:.7f}",
                  "lon": f"{p[0]:.7f}", "category": "amenity", "type": p[3], "importance": 0.1,
                  "name": p[4], "display_name": p[4] + ", City",
                  "boundingbox": ["0", "1", "2", "3"]} for p in found]


AROUND = re.compile(r'\[out:json\];nwr\["amenity"="(\w+)"\]\(around:(\d+),([-\d.]+),([-\d.]+)\);out center (\d+);')


def overpass(places, body):
    read = AROUND.fullmatch(body.decode())
    if not read:
        return 400, {"remark": "parse error"}
    found = sorted_places(places, float(read[4]), float(read[3]), float(read[2]), [read[1]])
    found.sort(key=lambda row: int(row[1][2]))
    return 200, {"elements": [{"type": "node", "id": int(p[2]), "lat": p[1], "lon": p[0],
                               "tags": {"amenity": p[3]}} for _, p in found[:int(read[5])]]}


class Handler(places_server.Handler):
    def answer(self, body):
        address = urllib.parse.urlsplit(self.path)
        query = {k: v[0] for k, v in urllib.parse.parse_qs(address.query).items()}
        places, path = self.server.places, address.path
        if path.startswith("/busy/"):
            path = path[5:]
            if next(COUNT) % 5 == 0:
                self.send_response(429)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        is_post = self.command == "POST"
        if path == "/google/v1/places:searchNearby" and is_post:
            status, value = google(self, places, body)
        elif path == "/foursquare/places/search" and not is_post:
            status, value = foursquare(self, places, query)
        elif path in ("/nominatim/search", "/nominatim/nearest") and not is_post:
            status, value = nominatim(places, query, path.endswith("nearest"))
        elif path == "/overpass" and is_post:
            status, value = overpass(places, body)
        else:
            status, value = 404, {}
        self.send(value, status)

    def do_GET(self):
        if self.path.startswith("/nearest"):
            super().do_GET()
        else:
            self.answer(b"")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))


if __name__ == "__main__":
    places_server.serve(sys.argv[1], sys.argv[2], Handler)
