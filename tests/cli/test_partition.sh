#!/usr/bin/env bash
# Dividing a map into parts: the partition, the report, the picture, weights from a run, and what is
# refused. How good partitions are is for the unit tests.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 2k -o city.scm --quiet
"$STARCLOAK" map generate --nodes 1k --seed 7 -o other.scm --quiet

run partition city.scm -n 8 -o city.partition
succeeds "a city is divided"
cp "$out" report.txt
check "the report tells the partition and its balance" says report.txt "city.partition: a partition of city.scm" parts \
    "adjacencies" "by weight" "by segments" "Stars near a border" "within hops" neighbours
equal "it has a row per part" "$(grep -cE '^ +[0-9]+ +[0-9,]+ +[0-9,]+ +[0-9.]+ +[0-9]+ +[0-9]+$' report.txt)" 8
check "the report keeps to 80 columns" test -z "$(grep -E '.{81}' report.txt)"
equal "nothing but the maps and the partition is left behind" "$(left_behind .)" \
    "./city.partition ./city.scm ./other.scm ./report.txt "
equal "the file begins as a partition" "$(head -c 5 city.partition)" "SCCUT"

run partition city.scm -n 8 -o again.partition --json
succeeds "the same again, for programs"
cp "$out" report.json
check "the same seed gives the same partition" cmp city.partition again.partition
check "the JSON is sound, and its parts add up" python3 - report.json <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["parts"] == 8 == len(r["each"]) and [p["part"] for p in r["each"]] == list(range(8))
assert sum(p["stars"] for p in r["each"]) == r["stars"]
assert abs(sum(p["weight"] for p in r["each"]) - 1) < 1e-6
assert abs(max(p["weight"] for p in r["each"]) * 8 - r["balance"]) < 1e-6
assert 1 <= r["balance"] < 1.1 and 0 < r["edge_cut"] < r["adjacencies"]
assert r["near"][0] == 0 and r["near"] == sorted(r["near"]) and len(r["near"]) == 9
assert all(p["pieces"] >= 1 and p["neighbours"] >= 1 for p in r["each"])
assert r["weights"] == "segments" and r["seed"] == 1
PY
run partition city.scm -n 8 --seed 2 -o seed.partition --quiet
succeeds "another seed is taken quietly"
check "and then nothing is said" test ! -s "$out"
check "it gives another partition" test "$(sha256sum <seed.partition)" != "$(sha256sum <city.partition)"
"$STARCLOAK" partition city.scm -n 8 -o - >piped.partition 2>"$err"
check "a partition on standard output is the partition" cmp piped.partition city.partition
check "and the report does not spoil it" says "$err" "by weight"
run partition city.scm -n 1 -o one.partition --json
succeeds "one part is the whole map"
equal "of which nothing is between parts" "$(number edge_cut "$out")" 0

run partition city.scm -n 6 -o drawn.partition --geojson drawn.geojson --quiet
succeeds "parts are drawn"
check "the picture holds every segment once, in colours that differ" python3 - \
    drawn.geojson "$("$STARCLOAK" map info city.scm --json | grep -oE -m 1 '"segments": *[0-9]+' | grep -oE '[0-9]+$')" <<'PY'
import json, sys
features = json.load(open(sys.argv[1]))["features"]
lines = [json.dumps(line) for f in features for line in f["geometry"]["coordinates"]]
assert len(features) == 6 and len(lines) == int(sys.argv[2])
assert {f["geometry"]["type"] for f in features} == {"MultiLineString"}
assert all(len(f["geometry"]["coordinates"]) == f["properties"]["segments"] for f in features)
assert len({f["properties"]["stroke"] for f in features}) > 1
PY

"$STARCLOAK" simulate city.scm --users 300 --seconds 30 --record run.jsonl --quiet
run partition city.scm -n 8 --weights run.jsonl -o run.partition --json
succeeds "weights come from a recorded run"
cp "$out" weighted.json
check "the report names it" says weighted.json '"weights":"run.jsonl"'
check "queries are then spread evenly" test "$(number balance weighted.json | cut -c 1-3)" = 1.0
check "the partition is another" test "$(sha256sum <run.partition)" != "$(sha256sum <city.partition)"
run partition city.scm -n 8 --weights segments -o named.partition --quiet
check "'segments' is what is taken without --weights" cmp named.partition city.partition

# What cannot be is told, and leaves what was there.
before=$(sha256sum city.partition)
stars=$(number stars report.json)
run partition city.scm -n 4096 -o city.partition
refuses 1 "more parts than stars are refused, with their number" "the map has $stars stars" "4096 parts" "choose $stars or fewer"
equal "and the partition is as it was" "$(sha256sum city.partition)" "$before"
run partition absent.scm -n 2 -o x.partition
refuses 1 "a missing map is refused" "absent.scm" "check the name"
run partition run.jsonl -n 2 -o x.partition
refuses 1 "a record is no map" "run.jsonl: seems to be the record of a run, not a map"
run partition other.scm -n 2 --weights run.jsonl -o x.partition
refuses 1 "a run of another map has no weights for this one" "run.jsonl"
run partition city.scm -n 2 --weights city.scm -o x.partition
refuses 1 "nor has a map" "city.scm: seems to be a map, not the record of a run"
run partition city.scm -n 2 --weights absent.jsonl -o x.partition
refuses 1 "nor a file that is not there" "absent.jsonl"
run partition city.scm -n 2 -o no/such/folder/x.partition
refuses 1 "a partition that cannot be written is told" "no/such/folder"
run partition city.scm -n 2 -o x.partition --geojson no/such/folder/x.geojson
refuses 1 "as is a picture" "no/such/folder"
"$STARCLOAK" map import "$data"/square.gr -o bare.scm --quiet
run partition bare.scm -n 1 -o x.partition --geojson x.geojson
refuses 1 "there is no picture of a map without coordinates" "bare.scm" "no coordinates" "--geojson"
check "none of them left a file" test ! -e x.partition -a ! -e x.geojson

run partition city.scm -n 8
refuses 2 "an output is needed" "no output given; add -o FILE.partition"
run partition city.scm -o x.partition
refuses 2 "a number of parts is needed" "add -n PARTS"
run partition -n 8 -o x.partition
refuses 2 "a map is needed" "starcloak partition:"
for bad in "-n 0" "-n 4097" "-n few" "-n 2 --seed -1" "-n 2 --seed x" "-n 2 --geojson -" "-n 2 --geojson x.partition" \
    "-n 2 --geojson city.scm" "-n 2 extra"; do
    # shellcheck disable=SC2086  # words are meant to part
    run partition city.scm -o x.partition $bad
    refuses 2 "'$bad' is refused" "starcloak partition:"
done
run partition city.scm -n 2 -o city.scm
refuses 2 "a map is not written over" "is also an input"
run partition city.scm -n 2 --weights run.jsonl -o run.jsonl
refuses 2 "nor is a record" "is also an input"
run partition city.scm -n 2 --weights "" -o x.partition
refuses 2 "'' is no record" "--weights"

finish
