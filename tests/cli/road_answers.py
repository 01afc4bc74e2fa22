#!/usr/bin/env python3
"""Nearest objects over exported roads, found by other means than StarCloak's, and compared with it.

usage: road_answers.py objects CSV_DIR SEED COUNT        print objects at random places, to import
       road_answers.py queries CSV_DIR SEED COUNT METRIC print a stream of queries at random places
       road_answers.py slow CSV_DIR RUN.jsonl...         compare answers with a plain search
       road_answers.py pgrouting CSV_DIR RUN.jsonl...    compare answers with pgRouting's
       road_answers.py shares CSV_DIR SEED COUNT [CATEGORY...]
                                  how many answers change with directions and with the measure

CSV_DIR is what `starcloak map export` wrote; nothing else is read of a map. RUN.jsonl is a record
with answers, of `starcloak evaluate`. Queries ask for the five nearest objects of all categories or
of one, and none of them lies at the end of an edge, where a traveller may be on several roads.

slow: Dijkstra's algorithm over nodes and objects, in whole numbers: micrometres and microseconds.
The number of objects, the cost of each and its other measure must be those of the answer.

pgrouting: PGURL names a database with the extension pgrouting. Edges are cut in SQL at queries and
objects, and pgr_dijkstraCost() finds what the objects cost. It knows no second measure.

shares: as slow, from random places, three times: all roads open both ways, by metres; in the
directions in which they are open, by metres; and the same by time.

An object at the end of an edge is at the node there, whichever roads lead to it. Costs are the same
if they differ by no more than 1.1 mm or 1.1 ms: StarCloak's are whole millimetres and milliseconds.
Prints one line with what was compared; exit status 1 if there was a difference, with the first ones.
"""
import collections
import csv
import glob
import heapq
import json
import os
import random
import subprocess
import sys

WANTED = 5  # objects of an answer
SHOWN = 5  # differences that are shown
METRICS = ("distance", "time")
FINE = 1000  # micrometres per millimetre, microseconds per millisecond
TOLERANCE = 1.1e-3
OTHER_BITS = 60  # of a cost, for the measure that was not asked for
OTHER = (1 << OTHER_BITS) - 1

Edge = collections.namedtuple("Edge", "source target length forward backward")  # mm, ms; None: closed
Object = collections.namedtuple("Object", "edge offset category")
Query = collections.namedtuple("Query", "id edge offset metric category")  # offset in micrometres
Result = collections.namedtuple("Result", "object distance_m duration_s")


# --- What is exported and recorded ----------------------------------------------------------------


def thousandths(text):
    """Whole millimetres or milliseconds of a decimal number."""
    return round(float(text) * 1000)


def read_table(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def read_edges(folder):
    def time(text):
        return thousandths(text) if text else None

    return [
        Edge(int(r["from"]), int(r["to"]), thousandths(r["length_m"]), time(r["forward_s"]), time(r["backward_s"]))
        for r in read_table(folder, "edges.csv")
    ]


def read_objects(folder):
    return [
        Object(int(r["edge"]), thousandths(r["offset_m"]), r["category"]) for r in read_table(folder, "pois.csv")
    ]


def read_record(path):
    """Pairs of a query and its results."""
    queries = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if event["event"] == "query":
                request = event["request"]
                if request["type"] != "knn" or request["k"] != WANTED:
                    sys.exit(f"{path}: a query asks for something else than the {WANTED} nearest")
                queries[event["query"]] = Query(
                    event["query"],
                    event["edge"],
                    round(event["offset_m"] * 1e6),
                    request.get("metric", "distance"),
                    request["category"],
                )
            elif event["event"] == "answer":
                results = [Result(r["poi"], r["distance_m"], r["duration_s"]) for r in event["results"]]
                yield queries[event["query"]], results


# --- Random places --------------------------------------------------------------------------------


def random_places(edges, dice, count):
    """Places inside of edges, each metre of road as likely as another: edge and micrometres."""
    usable = [i for i, edge in enumerate(edges) if edge.length >= 10]
    lengths = [edges[i].length for i in usable]
    for i in dice.choices(usable, lengths, k=count):
        yield i, dice.randrange(FINE, (edges[i].length - 1) * FINE)


def print_objects(folder, seed, count):
    """Objects beside roads, in categories from frequent to rare."""
    dice = random.Random(seed)
    at = [(float(r["lon"]), float(r["lat"])) for r in read_table(folder, "nodes.csv")]
    names = ["parking", "restaurant", "school", "playground", "pharmacy", "fuel", "bank", "hospital"]
    edges = read_edges(folder)
    for edge, offset in random_places(edges, dice, count):
        (x0, y0), (x1, y1) = at[edges[edge].source], at[edges[edge].target]
        share = offset / FINE / edges[edge].length
        category = dice.choices(names, [2.0**-i for i in range(len(names))])[0]
        print(f"{x0 + share * (x1 - x0):.7f},{y0 + share * (y1 - y0):.7f},{category}")


def print_queries(folder, seed, count, metric):
    """Half of them ask for any object, the others for one of the categories that have five; the fewer
    there are, the fewer categories they ask for."""
    dice = random.Random(seed)
    sizes = collections.Counter(o.category for o in read_objects(folder))
    frequent = [name for name, size in sizes.most_common(3 + count // 20) if size >= WANTED]
    categories = sorted(frequent)
    for i, (edge, offset) in enumerate(random_places(read_edges(folder), dice, count)):
        request = {"type": "knn", "metric": metric, "k": WANTED}
        request["category"] = dice.choice(categories) if dice.random() < 0.5 else None
        # A thousand a second, so that nearly all find others to hide among.
        query = {
            "user": f"u{i}",
            "t": i / 1000,
            "edge": edge,
            "offset_m": offset / 1e6,
            "profile": {"k": 2, "l": 4, "sigma_s": 12, "sigma_t": 60},
            "request": request,
        }
        print(json.dumps(query))


# --- The plain search -----------------------------------------------------------------------------


class Roads:
    """Roads to search in one metric. A cost holds both measures, the one that counts in front."""

    def __init__(self, edges, objects, metric, is_directed=True):
        self.edges = edges
        self.objects = objects
        self.is_by_time = metric == "time"
        self.is_directed = is_directed
        self.leaving = collections.defaultdict(list)  # by node: cost, node
        self.beside = collections.defaultdict(list)  # by node: cost, object
        self.on_edge = collections.defaultdict(list)
        for i, found in enumerate(objects):
            self.on_edge[found.edge].append(i)
        for e, edge in enumerate(edges):
            for is_backward in (False, True):
                self._add_direction(e, edge, is_backward)

    def cost(self, distance, time):
        first, other = (time, distance) if self.is_by_time else (distance, time)
        return (first << OTHER_BITS) + other

    def measures(self, cost):
        """Metres and seconds."""
        first, other = cost >> OTHER_BITS, cost & OTHER
        distance, time = (other, first) if self.is_by_time else (first, other)
        return distance / FINE / 1000, time / FINE / 1000

    def time(self, edge, is_backward):
        time = edge.backward if is_backward else edge.forward
        if time is None and not self.is_directed:
            time = edge.forward if is_backward else edge.backward
        return time

    def _add_direction(self, e, edge, is_backward):
        start, end = (edge.target, edge.source) if is_backward else (edge.source, edge.target)
        time = self.time(edge, is_backward)
        if time is not None:
            self.leaving[start].append((self.cost(edge.length * FINE, time * FINE), end))
        for i in self.on_edge[e]:
            offset = self.objects[i].offset
            driven = edge.length - offset if is_backward else offset
            if time is not None:
                self.beside[start].append((self.cost(driven * FINE, self.time_to_object(edge, driven, time)), i))
            elif driven == 0:
                self.beside[start].append((0, i))

    @staticmethod
    def time_to_object(edge, driven, time):
        """In whole milliseconds, as a map has it."""
        return round(time * driven / edge.length) * FINE if edge.length > 0 else 0

    def begin(self, e, offset):
        """Where one can drive from a place inside of an edge: costs with nodes, costs with objects."""
        edge = self.edges[e]
        for is_backward in (False, True):
            time = self.time(edge, is_backward)
            if time is None:
                continue
            whole = edge.length * FINE
            driven = whole - offset if is_backward else offset
            taken = round(time * FINE * driven / whole)
            yield (
                self.cost(whole - driven, time * FINE - taken),
                edge.source if is_backward else edge.target,
                False,
            )
            for i in self.on_edge[e]:
                there = edge.length - self.objects[i].offset if is_backward else self.objects[i].offset
                if there * FINE >= driven:
                    left = max(self.time_to_object(edge, there, time) - taken, 0)
                    yield self.cost(there * FINE - driven, left), i, True

    def search(self, e, offset):
        """All objects that can be reached and their costs, nearest first."""
        heap = list(self.begin(e, offset))
        heapq.heapify(heap)
        nodes, objects = set(), set()
        while heap:
            cost, thing, is_object = heapq.heappop(heap)
            if is_object:
                if thing not in objects:
                    objects.add(thing)
                    yield thing, cost
                continue
            if thing in nodes:
                continue
            nodes.add(thing)
            for more, i in self.beside.get(thing, ()):
                if i not in objects:
                    heapq.heappush(heap, (cost + more, i, True))
            for more, node in self.leaving[thing]:
                if node not in nodes:
                    heapq.heappush(heap, (cost + more, node, False))


def nearest(roads, query):
    """The nearest objects of a query, and others that are as far as the last of them."""
    found = {}
    last = None
    for i, cost in roads.search(query.edge, query.offset):
        if query.category not in (None, roads.objects[i].category):
            continue
        first = cost >> OTHER_BITS
        if last is not None and first > last + 2 * FINE:
            break
        found[i] = roads.measures(cost)
        if len(found) == WANTED:
            last = first
    return found


def is_same(a, b):
    return abs(a - b) <= TOLERANCE + 1e-9 * abs(a)


def difference(query, results, found, has_other):
    """What is wrong with an answer, given what the objects really cost; None if nothing is."""
    by = METRICS.index(query.metric)
    costs = sorted(measures[by] for measures in found.values())
    due = min(WANTED, len(costs))
    if len(results) != due:
        return f"{len(results)} objects instead of {due}"
    if len({r.object for r in results}) != len(results):
        return "an object twice"
    for rank, result in enumerate(results):
        claimed = (result.distance_m, result.duration_s)
        if not is_same(costs[rank], claimed[by]):
            return f"number {rank + 1} costs {claimed[by]} instead of {costs[rank]}"
        real = found.get(result.object)
        if real is None or not is_same(real[by], claimed[by]):
            return f"object {result.object} costs {real and real[by]}, not {claimed[by]}"
        if has_other and not is_same(real[1 - by], claimed[1 - by]):
            return f"object {result.object}: the other measure is {real[1 - by]}, not {claimed[1 - by]}"
    return None


class Comparison:
    """Counts answers that were compared, and shows the first that differ."""

    def __init__(self):
        self.compared = collections.Counter()
        self.wrong = 0
        self.one_way = 0

    def add(self, query, results, found, edges, has_other):
        self.compared[query.metric] += 1
        self.one_way += None in edges[query.edge]
        what = difference(query, results, found, has_other)
        if what is None:
            return
        self.wrong += 1
        if self.wrong <= SHOWN:
            print(f"{query}: {what}\n    answer: {results}\n    found: {found}")

    def finish(self, oracle):
        counts = ", ".join(f"{self.compared[m]} by {m}" for m in METRICS if self.compared[m])
        print(f"{counts or 'no answers'}; {self.one_way} from one-way roads; {self.wrong} differ from {oracle}")
        return 1 if self.wrong or not self.compared else 0


def compare_slowly(folder, records):
    edges, objects = read_edges(folder), read_objects(folder)
    comparison = Comparison()
    roads = {}
    for record in records:
        for query, results in read_record(record):
            if query.metric not in roads:
                roads[query.metric] = Roads(edges, objects, query.metric)
            comparison.add(query, results, nearest(roads[query.metric], query), edges, True)
    return comparison.finish("a plain search")


# --- pgRouting ------------------------------------------------------------------------------------

# Every edge is cut at the places on it. A place at an end is the node there; others are vertices of
# their own, numbered behind the nodes.
CUTS = """
CREATE TABLE vertices AS
    SELECT edge, at, 1000000000 + row_number() OVER () AS vertex
    FROM (SELECT DISTINCT edge, at FROM places) AS p JOIN edges ON edges.id = p.edge
    WHERE at > 0 AND at < length;
CREATE TABLE cuts AS
    SELECT id AS edge, 0 AS part, 0.0 AS at, source AS vertex FROM edges
    UNION ALL SELECT edge, 1, at, vertex FROM vertices
    UNION ALL SELECT id, 2, length, target FROM edges;
CREATE TABLE pieces AS
    SELECT row_number() OVER () AS id, vertex AS source, next_vertex AS target, next_at - at AS distance,
        CASE WHEN length > 0 THEN (next_at - at) / length ELSE 0 END AS share, forward, backward
    FROM (SELECT edge, at, vertex, lead(at) OVER road AS next_at, lead(vertex) OVER road AS next_vertex
          FROM cuts WINDOW road AS (PARTITION BY edge ORDER BY part, at)) AS p JOIN edges ON edges.id = p.edge
    WHERE next_vertex IS NOT NULL;
CREATE VIEW by_distance AS
    SELECT id, source, target, CASE WHEN forward IS NULL THEN -1 ELSE distance END AS cost,
        CASE WHEN backward IS NULL THEN -1 ELSE distance END AS reverse_cost FROM pieces;
CREATE VIEW by_time AS
    SELECT id, source, target, coalesce(forward * share, -1) AS cost,
        coalesce(backward * share, -1) AS reverse_cost FROM pieces;
CREATE TABLE located AS
    SELECT p.id, is_query, category, metric,
        CASE WHEN p.at <= 0 THEN source WHEN p.at >= length THEN target ELSE vertex END AS vertex
    FROM places AS p JOIN edges ON edges.id = p.edge
        LEFT JOIN vertices AS v ON v.edge = p.edge AND v.at = p.at;
ANALYZE;
"""

# For each category that is asked for, the costs from its queries to its objects, some hundred queries
# at a time: of each the nearest places, with more than are needed for what is equally far.
COSTS = """
SET search_path = roads, public;
COPY (
    WITH asked AS (
        SELECT category, array_agg(vertex) AS starts
        FROM (SELECT category, vertex, row_number() OVER (PARTITION BY category) / 500 AS batch
              FROM located WHERE is_query AND metric = '{metric}') AS q
        GROUP BY category, batch),
    wanted AS (
        SELECT asked.category, starts, array_agg(DISTINCT vertex) AS ends
        FROM asked JOIN located AS o ON NOT is_query AND (asked.category = '' OR o.category = asked.category)
        GROUP BY asked.category, starts),
    costs AS (
        SELECT category, start_vid, end_vid, agg_cost
        FROM wanted, LATERAL (
            SELECT *, rank() OVER (PARTITION BY start_vid ORDER BY agg_cost) AS place
            FROM pgr_dijkstraCost('SELECT * FROM by_{metric}', starts, ends, true)) AS c
        WHERE place <= {places}
        UNION ALL
        SELECT category, v, v, 0 FROM wanted, LATERAL unnest(starts) AS v WHERE v = ANY(ends))
    SELECT q.id, o.id, agg_cost
    FROM costs JOIN located AS q ON q.is_query AND q.metric = '{metric}' AND q.vertex = start_vid
            AND q.category = costs.category
        JOIN located AS o ON NOT o.is_query AND o.vertex = end_vid
            AND (q.category = '' OR o.category = q.category)
) TO STDOUT
"""


def ask_psql(script):
    """Run a script of SQL and lines to copy; gives what it prints."""
    psql = sorted(glob.glob("/usr/lib/postgresql/*/bin/psql"))[-1]
    ran = subprocess.run(
        [psql, "-qXAt", "-v", "ON_ERROR_STOP=1", "-d", os.environ["PGURL"]],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    return ran.stdout


def copied(table, rows):
    """A script that fills a table; None is NULL."""
    lines = ("\t".join("\\N" if v is None else str(v) for v in row) for row in rows)
    return f"COPY {table} FROM STDIN;\n" + "".join(line + "\n" for line in lines) + "\\.\n"


TABLES = """
CREATE EXTENSION IF NOT EXISTS pgrouting CASCADE;
DROP SCHEMA IF EXISTS roads CASCADE;
CREATE SCHEMA roads;
SET search_path = roads, public;
CREATE TABLE edges (
    id int PRIMARY KEY, source bigint, target bigint, length float, forward float, backward float);
CREATE TABLE places (id int, edge int, at float, is_query bool, category text, metric text);
"""


def load_database(edges, objects, asked):
    """Fill the tables: metres and seconds."""

    def seconds(time):
        return None if time is None else time / 1e3

    roads = ((i, e.source, e.target, e.length / 1e3, seconds(e.forward), seconds(e.backward)) for i, e in enumerate(edges))
    places = [(i, o.edge, o.offset / 1e3, False, o.category, None) for i, o in enumerate(objects)]
    places += [(i, q.edge, q.offset / 1e6, True, q.category or "", q.metric) for i, (q, _) in enumerate(asked)]
    ask_psql(TABLES + copied("edges", roads) + copied("places", places) + CUTS)


def compare_with_pgrouting(folder, records):
    edges, objects = read_edges(folder), read_objects(folder)
    asked = [pair for record in records for pair in read_record(record)]
    load_database(edges, objects, asked)
    found = collections.defaultdict(dict)
    for metric in METRICS:
        for line in ask_psql(COSTS.format(metric=metric, places=2 * WANTED)).splitlines():
            query, thing, cost = line.split("\t")
            found[int(query)][int(thing)] = (float(cost), float(cost))
    comparison = Comparison()
    for i, (query, results) in enumerate(asked):
        comparison.add(query, results, found[i], edges, False)
    return comparison.finish("pgRouting")


# --- What directions and the measure change -------------------------------------------------------


def first_of_each(roads, edge, offset, categories):
    """The nearest objects of each category, in order; "" stands for all."""
    lists = {category: [] for category in categories}
    missing = len(lists)
    for i, _ in roads.search(edge, offset):
        for category in ("", roads.objects[i].category):
            if category in lists and len(lists[category]) < WANTED:
                lists[category].append(i)
                missing -= len(lists[category]) == WANTED
        if missing == 0:
            break
    return lists


def print_shares(folder, seed, count, categories):
    edges, objects = read_edges(folder), read_objects(folder)
    sizes = collections.Counter(o.category for o in objects)
    categories = ["", *(categories or [name for name, _ in sizes.most_common(4)])]
    before = Roads(edges, objects, "distance", is_directed=False)
    after = {metric: Roads(edges, objects, metric) for metric in METRICS}
    changed = collections.Counter()
    for edge, offset in random_places(edges, random.Random(seed), count):
        old = first_of_each(before, edge, offset, categories)
        for metric in METRICS:
            new = first_of_each(after[metric], edge, offset, categories)
            for category in categories:
                changed[category, metric, "set"] += set(old[category]) != set(new[category])
                changed[category, metric, "order"] += old[category] != new[category]
                changed[category, metric, "nearest"] += old[category][:1] != new[category][:1]
    print(f"{folder}: {count} positions")
    print("category objects | by distance: nearest, set, order | by time: nearest, set, order (%)")
    for category in categories:
        shares = [changed[category, m, what] * 100 / count for m in METRICS for what in ("nearest", "set", "order")]
        size = sizes[category] if category else len(objects)
        print(f"{category or 'all'} {size} | " + " ".join(f"{share:.1f}" for share in shares))
    return 0


def main(arguments):
    match arguments:
        case ["objects", folder, seed, count]:
            print_objects(folder, int(seed), int(count))
        case ["queries", folder, seed, count, metric] if metric in METRICS:
            print_queries(folder, int(seed), int(count), metric)
        case ["slow", folder, *records] if records:
            return compare_slowly(folder, records)
        case ["pgrouting", folder, *records] if records:
            return compare_with_pgrouting(folder, records)
        case ["shares", folder, seed, count, *categories]:
            return print_shares(folder, int(seed), int(count), categories)
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
