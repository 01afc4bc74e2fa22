#!/usr/bin/env python3
"""Compares a SUMO network with the map that was imported from it, on the plane.

usage: sumo_times.py vary NET.net.xml SEED           give each edge of a network a speed of its own
       sumo_times.py edges NET.net.xml CSV_DIR       compare edge by edge
       sumo_times.py routes NET.net.xml CSV_DIR SEED TRIPS   compare with SUMO's duarouter

CSV_DIR is what `starcloak map export` made of the imported network. Nodes are found by coordinates.

edges: every edge for cars must be in the map along its shape, in its direction, and take its length
divided by its speed; and the map must have no direction besides these. Where the network has lanes
inside of junctions, the length is that of the lane and what it lacks to the junctions.

routes: duarouter routes trips between random edges of the network and reports what each costs. The
same trip is searched here: the first edge, the quickest way from its end to the beginning of the
last edge, the last edge; by a plain Dijkstra over forward_s and backward_s. The network must allow
every turn at every junction (the map knows no turn restrictions) and have no internal edges; both
are checked.

Prints one line with what was compared; exit status 1 if a time differs by more than the rounding to
milliseconds, once for every edge of the map on the way.
"""
import csv
import heapq
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET


def read_net(path):
    """Edges (id -> from, to) and junction positions; refuses nets that are not for this test."""
    root = ET.parse(path).getroot()
    edges = {}
    for edge in root.iter("edge"):
        if edge.get("function") == "internal":
            sys.exit(f"{path}: has internal edges; make it with --no-internal-links")
        edges[edge.get("id")] = (edge.get("from"), edge.get("to"))
    turns = {(c.get("from"), c.get("to")) for c in root.iter("connection")}
    leaving = {}
    for name, (start, _) in edges.items():
        leaving.setdefault(start, []).append(name)
    missing = [(a, b) for a in edges for b in leaving.get(edges[a][1], []) if (a, b) not in turns]
    if missing:
        sys.exit(f"{path}: {len(missing)} turns are not allowed, as {missing[0]}")
    places = {j.get("id"): (float(j.get("x")), float(j.get("y"))) for j in root.iter("junction")}
    return edges, places


def read_map(folder):
    """The nodes of the map as (place, node), and node -> [(node, seconds)]."""
    with open(os.path.join(folder, "nodes.csv"), newline="") as file:
        rows = csv.reader(file)
        next(rows)
        nodes = [((round(float(x), 2), round(float(y), 2)), int(node)) for node, x, y in rows]
    ways = {}
    with open(os.path.join(folder, "edges.csv"), newline="") as file:
        for row in csv.DictReader(file):
            ends = int(row["from"]), int(row["to"])
            if row["forward_s"]:
                ways.setdefault(ends[0], []).append((ends[1], float(row["forward_s"])))
            if row["backward_s"]:
                ways.setdefault(ends[1], []).append((ends[0], float(row["backward_s"])))
    return nodes, ways


def search(ways, start):
    """Seconds to every node, and over how many edges."""
    best = {start: (0.0, 0)}
    heap = [(0.0, 0, start)]
    while heap:
        time, hops, node = heapq.heappop(heap)
        if best[node] < (time, hops):
            continue
        for other, step in ways.get(node, []):
            there = (time + step, hops + 1)
            if other not in best or there < best[other]:
                best[other] = there
                heapq.heappush(heap, (*there, other))
    return best


def edge_times(path):
    """Seconds of every edge by the file's own numbers."""
    times = {}
    for edge in ET.parse(path).getroot().iter("edge"):
        lanes = list(edge.iter("lane"))
        times[edge.get("id")] = float(lanes[0].get("length")) / max(float(l.get("speed")) for l in lanes)
    return times


def route(net, trips, folder):
    """What duarouter says each trip costs; trips without a route are absent."""
    trip_file, out = os.path.join(folder, "trips.xml"), os.path.join(folder, "routes.xml")
    with open(trip_file, "w") as file:
        print("<routes>", file=file)
        # Without these, a car has its own share of the allowed speed.
        print('<vType id="car" vClass="passenger" maxSpeed="100" speedFactor="1" speedDev="0"/>', file=file)
        for number, (start, end) in enumerate(trips):
            print(f'<trip id="{number}" type="car" depart="0" from="{start}" to="{end}"/>', file=file)
        print("</routes>", file=file)
    subprocess.run(
        ["duarouter", "-n", net, "--route-files", trip_file, "-o", out, "--write-costs", "--ignore-errors",
         "--no-step-log", "--xml-validation", "never", "--xml-validation.net", "never",
         "--xml-validation.routes", "never", "--weights.minor-penalty", "0", "--no-warnings"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {int(v.get("id")): float(v.find("route").get("cost")) for v in ET.parse(out).getroot().iter("vehicle")}


def is_for_cars(lane):
    if lane.get("allow") is not None:
        return bool({"passenger", "all"} & set(lane.get("allow").split()))
    return not {"passenger", "all"} & set(lane.get("disallow", "").split())


def points(shape):
    return [tuple(float(v) for v in p.split(",")[:2]) for p in shape.split()]


def compare_edges(net, folder):
    """Both as directed pieces: (from, to) in coordinates -> seconds of all pieces there."""
    root = ET.parse(net).getroot()
    places = {j.get("id"): (float(j.get("x")), float(j.get("y"))) for j in root.iter("junction")}
    has_inside = any(edge.get("function") == "internal" for edge in root.iter("edge"))
    truth, edge_count = {}, 0
    for edge in root.iter("edge"):
        lanes = [lane for lane in edge.iter("lane") if is_for_cars(lane)]
        if edge.get("function") in ("internal", "crossing", "walkingarea") or not lanes:
            continue
        edge_count += 1
        line = [places[edge.get("from")], *points(edge.get("shape", "")), places[edge.get("to")]]
        line = [p for i, p in enumerate(line) if i == 0 or p != line[i - 1]]
        drawn = sum(math.dist(a, b) for a, b in zip(line, line[1:]))
        length = float(lanes[0].get("length"))
        if has_inside:
            lane = points(lanes[0].get("shape"))
            length += max(0.0, drawn - sum(math.dist(a, b) for a, b in zip(lane, lane[1:])))
        time = length / max(float(lane.get("speed")) for lane in lanes)
        for a, b in zip(line, line[1:]):
            truth.setdefault((a, b), []).append(time * math.dist(a, b) / drawn)
    nodes, ways = read_map(folder)
    at = {node: place for place, node in nodes}
    ours = {}
    for node, steps in ways.items():
        for other, time in steps:
            ours.setdefault((at[node], at[other]), []).append(time)
    wrong = 0
    for ends in truth.keys() | ours.keys():
        a, b = sorted(truth.get(ends, [])), sorted(ours.get(ends, []))
        # A piece that takes any time takes a millisecond at least.
        if len(a) != len(b) or any(abs(x - y) > 0.00101 for x, y in zip(a, b)):
            wrong += 1
            print(f"from {ends[0]} to {ends[1]}: {b} s, and {a} s in the network")
    print(f"{edge_count} edges in {len(truth)} directed pieces compared, {wrong} wrong")
    return wrong == 0 and edge_count > 0


def compare_routes(net, folder, seed, count):
    edges, places = read_net(net)
    nodes = {place: node for place, node in read_map(folder)[0]}
    ways = read_map(folder)[1]
    times = edge_times(net)
    rng = random.Random(seed)
    names = sorted(edges)
    trips = [tuple(rng.sample(names, 2)) for _ in range(count)]
    with tempfile.TemporaryDirectory() as temporary:
        costs = route(net, trips, temporary)
    compared = unreachable = wrong = 0
    worst = 0.0
    for number, (start, end) in enumerate(trips):
        best = search(ways, nodes[places[edges[start][1]]])
        goal = nodes[places[edges[end][0]]]
        if (goal in best) != (number in costs):
            wrong += 1
            print(f"{start} to {end}: {'a way' if goal in best else 'no way'}, but not for duarouter")
            continue
        if goal not in best:
            unreachable += 1
            continue
        ours = times[start] + best[goal][0] + times[end]
        difference = abs(ours - costs[number])
        worst = max(worst, difference)
        compared += 1
        # duarouter writes two decimals; each edge of the map is rounded to a millisecond.
        if difference > 0.0051 + 0.0005 * best[goal][1]:
            wrong += 1
            print(f"{start} to {end}: {ours:.3f} s, but {costs[number]:.3f} s for duarouter")
    print(f"{compared} trips compared, {unreachable} without a way for both, {wrong} wrong, "
          f"largest difference {worst * 1000:.1f} ms")
    return wrong == 0 and compared >= count // 2


def vary(net, seed):
    """A speed for each edge, so that the two directions of a road differ and detours pay."""
    rng = random.Random(seed)
    with open(net) as file:
        text = file.read()
    with open(net, "w") as file:
        file.write(re.sub(r'speed="[0-9.]+"', lambda _: f'speed="{rng.uniform(3, 30):.2f}"', text))
    return True


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "vary":
        is_good = vary(arguments[0], int(arguments[1]))
    elif what == "edges":
        is_good = compare_edges(*arguments)
    else:
        is_good = compare_routes(arguments[0], arguments[1], int(arguments[2]), int(arguments[3]))
    sys.exit(0 if is_good else 1)


main()
