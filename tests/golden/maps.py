"""Maps: the bytes of .scm files of every format, their descriptions and exports.

Three maps are used by the other parts: `city`, a generated one with objects and degrees; `grid`,
blocks on a plane from .cnode and .cedge files, with objects; `web`, rings and spokes in degrees
from a DIMACS pair, without objects.
"""
import math

from program import mask_numbers, short_times
from store import digest, hexdump

SMALL = 4096  # bytes of a file that is stored whole

# Every format of tests/data, and what changes how it is read.
IMPORTS = """
    cnode/town.cnode cnode/town.cedge cnode/town-calmap.txt -o cnode.scm
    cnode/town.cnode cnode/town.cedge cnode/town-calmap.txt --category-names cnode/categories.csv -o cnode-names.scm
    cnode/town.cedge -o cnode-bare.scm
    cli/town.cnode cli/town.cedge cli/townmap.txt --category-names cli/town-categories.csv -o town.scm
    cli/town.cnode cli/town.cedge --objects cli/town-objects.csv -o town-objects.scm
    dimacs/east.gr dimacs/east.co -o dimacs-east.scm
    dimacs/west.gr.gz dimacs/west.co.xz -o dimacs-west.scm
    dimacs/east.gr dimacs/east.co dimacs/west.gr.gz dimacs/west.co.xz -o dimacs-both.scm
    dimacs/east.gr -o dimacs-bare.scm
    cli/square.gr cli/square.co -o square.scm
    osm/town.osm -o osm.scm
    osm/town.osm --ways all -o osm-all.scm
    osm/town.osm.pbf -o osm-pbf.scm
    cli/hamlet.osm -o hamlet.scm
    cli/streets.osm -o streets.scm
    cli/streets.osm --profile bike -o streets-bike.scm
    cli/streets.osm --profile foot --ferries -o streets-foot.scm
    mobisim/crossing.svg -o mobisim.scm
    cli/yard.svg --utm 16N -o yard.scm
    shapefile/crossing.shp -o shapefile.scm
    shapefile/crossing.shp --class S1400 -o shapefile-class.scm
    shapefile/crossing.shp --name-field MTFCC -o shapefile-names.scm
    sumo/town.net.xml -o sumo.scm
    osm/town.osm --objects objects/town.csv -o osm-far.scm
    grid.cnode grid.cedge --coords planar --unit-m 1 --objects grid-objects.csv -o grid.scm
    web.gr web.co -o web.scm
"""


def times(text):
    return mask_numbers(text, "seconds", "cpu_seconds")


def write_grid(program):
    """Blocks of uneven size, with some roads left out."""
    size = 11
    xs = [0]
    for i in range(size - 1):
        xs.append(xs[-1] + 60 + i * 37 % 80)
    nodes, edges = [], []
    for j in range(size):
        for i in range(size):
            nodes.append(f"{j * size + i} {xs[i]} {xs[j] * 3 // 2}\n")
    for a in range(size * size):
        for b, is_there in ((a + 1, a % size < size - 1), (a + size, a < size * (size - 1))):
            if is_there and (a * 7 + b * 3) % 11 != 0:
                length = abs(xs[b % size] - xs[a % size]) + abs(xs[b // size] - xs[a // size]) * 1.5
                edges.append(f"{len(edges)} {a} {b} {length}\n")
    program.write("grid.cnode", "".join(nodes))
    program.write("grid.cedge", "".join(edges))
    kinds = ["cafe", "fuel", "school", "park"]
    rows = [f"{i * 53 % 900 + 5},{i * 91 % 1300 + 3},{kinds[i * i % 4]},Place {i}\n" for i in range(60)]
    program.write("grid-objects.csv", "lon,lat,category,name\n" + "".join(rows))


def write_web(program):
    """Rings and spokes around a centre, in millionths of a degree."""
    rings, spokes = 6, 12
    places = [(8000000, 49000000)]
    for r in range(1, rings + 1):
        for s in range(spokes):
            angle = 2 * math.pi * (s + r / 7) / spokes
            places.append((8000000 + round(1500 * r * math.cos(angle)),
                           49000000 + round(1000 * r * math.sin(angle))))
    arcs = []
    for r in range(rings):
        for s in range(spokes):
            inner = 1 + (r - 1) * spokes + s if r else 0
            outer = 1 + r * spokes + s
            arcs.append((inner, outer))
            if (r + s) % 5:
                arcs.append((outer, 1 + r * spokes + (s + 1) % spokes))
    lines = [f"p sp {len(places)} {2 * len(arcs)}\n"]
    for a, b in arcs:
        length = max(1, round(math.dist(places[a], places[b]) / 1.1))
        lines += [f"a {a + 1} {b + 1} {length}\n", f"a {b + 1} {a + 1} {length}\n"]
    program.write("web.gr", "".join(lines))
    program.write("web.co", f"p aux sp co {len(places)}\n" +
                  "".join(f"v {i + 1} {x} {y}\n" for i, (x, y) in enumerate(places)))


def bytes_of(program, name):
    data = program.file(name).read_bytes()
    return hexdump(data) if len(data) <= SMALL else digest(data)


def imports(program, store):
    write_grid(program)
    write_web(program)
    reports = []
    for line in IMPORTS.splitlines():
        if not line.strip():
            continue
        reports.append(program.transcript(f"map import {line.strip()} --json", mask=times))
        reports.append(program.transcript(f"map import {line.strip()}", mask=short_times))
        name = line.split()[-1]
        store.put(f"maps/{name}.txt", bytes_of(program, name))
    for seed, nodes in ((7, 300), (1, 2000)):
        name = "city.scm" if seed == 7 else "city-large.scm"
        line = f"map generate --nodes {nodes} --seed {seed} -o {name}"
        reports += [program.transcript(line, mask=short_times),
                    program.transcript(line + " --json", mask=times)]
        store.put(f"maps/{name}.txt", bytes_of(program, name))
    store.put("maps/imports.txt", "".join(reports))


def reports(program, store):
    info = "".join(program.transcript(f"map info {name}{json}", mask=short_times)
                   for name in ("city.scm", "grid.scm", "web.scm", "cnode.scm", "osm.scm",
                                "dimacs-bare.scm", "shapefile.scm", "mobisim.scm")
                   for json in ("", " --json"))
    store.put("maps/info.txt", info)
    store.put("maps/check.txt", program.transcripts("""
        map check city.scm
        map check grid.scm
        map check web.scm
        map check cnode-bare.scm
    """, short_times))
    store.put("maps/index.txt", program.transcripts("""
        map index city.scm -o city-index.scm --threads 1
        map index city.scm -o city-index.scm --threads 1 --json
        map index city.scm -k 2 --limit 4k -o city-short.scm --threads 1 --json
        map info city-index.scm
        map info city-index.scm --json
        map check city-index.scm
        map index city-index.scm --remove -o city-again.scm
        map index web.scm --remove
    """, lambda text: times(short_times(text))) +
        "city-index.scm\n" + bytes_of(program, "city-index.scm") +
        "city-again.scm\n" + bytes_of(program, "city-again.scm"))
    exports = program.transcripts("""
        map export city.scm city-csv --geojson --svg
        map export grid.scm grid-csv --geojson --svg
        map export web.scm web-csv --geojson
        map export town.scm town-csv --geojson --svg
        map export cnode-bare.scm bare-csv
    """)
    for folder in ("city-csv", "grid-csv", "web-csv", "town-csv", "bare-csv"):
        for path in sorted(program.file(folder).iterdir()):
            data = path.read_bytes()
            exports += f"--- {folder}/{path.name}\n"
            exports += data.decode() if len(data) <= SMALL // 2 else digest(data, 5)
    store.put("maps/exports.txt", exports)
    store.put("maps/classes.txt", program.transcripts("""
        map classes town.scm -o town-classes.csv
        map classes town.scm --category park=green --category prak=green -o -
        map classes city.scm --category cafe=coffee --category fuel=fuel -o city-classes.csv --json
        map classes grid.scm --preset sensitive --category school=children -o grid-classes.csv
    """) + "".join(f"--- {name}\n{program.file(name).read_text()}"
                   for name in ("town-classes.csv", "city-classes.csv")))
    store.put("maps/snap.txt", program.transcripts("""
        map snap town.scm --lon 8.6821 --lat 49.4101
        map snap town.scm --lon 8.6821 --lat 49.4101 --json
        map snap town.scm --lon 8.6821 --lat 49.4101 --max-snap-m 5
        map snap grid.scm --lon 130 --lat 95 --json
    """) + program.transcript("map snap town.scm --max-snap-m 500",
                              stdin="8.6821 49.4101\n8.681,49.41\n9 50\n"))
    store.put("maps/nearest.txt", program.transcripts("""
        nearest town.scm --lon 8.6821 --lat 49.4101
        nearest town.scm --edge 4 --offset-m 0 -k 1
        nearest town.scm --edge 4 --offset-m 0 --radius-m 150
        nearest town.scm --edge 4 --offset-m 0 -c hospital -c park
        nearest city.scm --edge 5 --offset-m 3 -k 4 --json
        nearest city.scm --edge 100 --offset-m 1 --radius-m 400 --json
        nearest city-index.scm --edge 100 --offset-m 1 -k 5
        nearest grid.scm --lon 130 --lat 95 --category cafe --json
    """) + program.transcript("nearest town.scm --json -k 1",
                              stdin="8.6821 49.4101\n8.681,49.41\n"))
    store.put("maps/partition.txt", program.transcripts("""
        partition city.scm -n 4 -o city.partition
        partition city.scm -n 4 -o city.partition --json
        partition grid.scm -n 3 --seed 2 -o grid.partition --json --geojson grid-partition.geojson
        partition web.scm -n 1 -o web.partition --json
    """, lambda text: times(short_times(text))) +
        "".join(f"--- {name}\n{bytes_of(program, name)}"
                for name in ("city.partition", "grid.partition", "web.partition", "grid-partition.geojson")))
