#!/usr/bin/env bash
# Networks of the traffic simulator SUMO: a small one of our own, and others that SUMO's programs
# make, compared with what its router says of them (sumo_times.py). The latter are skipped where
# SUMO is not installed.
# shellcheck source-path=SCRIPTDIR disable=SC2317  # check calls functions by their names
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

cp "$repository"/tests/data/sumo/town.net.xml .
run map import town.net.xml -o town.scm
succeeds "a SUMO network is imported"
check "its format was guessed" says "$out" "sumo" "suggest"
run map info town.scm --json
equal "it has its counts" "$(number nodes "$out") $(number edges "$out") $(number segments "$out")" "5 4 3"
run map export town.scm csv
equal "its one-way road is told from the others" \
    "$(awk -F, 'NR > 1 {print ($6 == "") + ($7 == ""), $8}' csv/edges.csv | sort | tr '\n' ';')" \
    "0 Main Street;0 Main Street;0 Main Street;1 Mill Lane;"
xz -k town.net.xml
run map import town.net.xml.xz -o packed.scm --json
succeeds "a packed network is imported"
cp "$out" packed.json
run map info town.scm --json
checksum() { grep -oE '"checksum": ?"[0-9a-f]{16}"' "$1" | tr -d ' '; }
equal "it is the same map" "$(checksum packed.json)" "$(checksum "$out")"
run map import --format sumo "$data"/hamlet.osm -o hamlet.scm
refuses 1 "another XML file is refused" "hamlet.osm:" "not a SUMO network" "'osm'"
cp town.net.xml roads.xml
run map import roads.xml -o roads.scm
refuses 2 "a name that says nothing needs the format" "roads.xml" "--format"

if ! command -v netgenerate >/dev/null || ! command -v duarouter >/dev/null; then
    skip "SUMO's router agrees" "no SUMO"
    finish
fi
# Where its types and schemas are; some packages have none there, and then its programs use those built in.
[ ! -d /usr/share/sumo ] || export SUMO_HOME=${SUMO_HOME:-/usr/share/sumo}

# imported NAME: the network as CSV.
imported() {
    run map import "$1".net.xml --coords planar -o "$1".scm --quiet
    run map export "$1".scm "$1"
}
times() { python3 "$repository"/tests/cli/sumo_times.py "$@" >"$out" 2>&1; }

# Every turn allowed, also back into the same road, since the map has no turn restrictions.
open=(--no-internal-links --no-turnarounds.geometry false --xml-validation never --no-warnings)
netgenerate "${open[@]}" --grid --grid.number 7 -o grid.net.xml >"$out" 2>&1
netgenerate "${open[@]}" --spider -o spider.net.xml >"$out" 2>&1
netgenerate "${open[@]}" --rand --rand.iterations 200 --rand.bidi-probability 0.5 --seed 11 \
    -o random.net.xml >"$out" 2>&1
for net in grid spider random; do
    for seed in 1 2; do
        python3 "$repository"/tests/cli/sumo_times.py vary $net.net.xml $seed
        imported $net
        check "$net $seed: every edge has its directions and times" times edges $net.net.xml $net
        check "$net $seed: trips take as long as for SUMO's router" times routes $net.net.xml $net $seed 300
    done
done
equal "the random network has one-way roads" \
    "$(awk -F, 'NR > 1 && ($6 == "" || $7 == "") {found = 1} END {print found + 0}' random/edges.csv)" "1"

# A real town, with lanes inside of its junctions.
real=$STARCLOAK_DATA/osm/monaco.osm.pbf
if [[ -r $real ]] && command -v osmium >/dev/null; then
    osmium cat "$real" -o monaco.osm 2>"$err"
    netconvert --osm-files monaco.osm --output.street-names true --xml-validation never \
        -o monaco.net.xml >"$out" 2>&1
    imported monaco
    check "Monaco: every edge has its directions and times" times edges monaco.net.xml monaco
    run map import monaco.net.xml -o monaco.scm
    run map info monaco.scm --json
    check "its UTM has become degrees" grep -qE '"bounds": ?\[7\.4[0-9]*, 43\.7' "$out"
else
    skip "Monaco: every edge has its directions and times" "no osmium or no data"
fi
finish
