#!/usr/bin/env bash
# map classes: from the categories of objects to a table of roads, and to what reads it.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# --- From OpenStreetMap's tags ------------------------------------------------------------------

# A crossing of four roads, each with a place: a clinic, a church with an outline, a union's office
# next to a house for the homeless, and a roof at a bus stop.
cat >places.osm <<'END'
<osm version="0.6">
  <node id="1" lat="49.4100" lon="8.6820"/>
  <node id="2" lat="49.4100" lon="8.6780"/><node id="3" lat="49.4100" lon="8.6860"/>
  <node id="4" lat="49.4130" lon="8.6820"/><node id="5" lat="49.4070" lon="8.6820"/>
  <node id="6" lat="49.4101" lon="8.6790"><tag k="amenity" v="clinic"/><tag k="healthcare" v="dialysis"/></node>
  <node id="7" lat="49.4101" lon="8.6849"/><node id="8" lat="49.4101" lon="8.6850"/><node id="9" lat="49.4102" lon="8.6850"/>
  <node id="10" lat="49.4120" lon="8.6821"><tag k="office" v="union"/></node>
  <node id="11" lat="49.4121" lon="8.6821"><tag k="amenity" v="social_facility"/></node>
  <node id="12" lat="49.4080" lon="8.6821"><tag k="amenity" v="shelter"/></node>
  <way id="1"><nd ref="2"/><nd ref="1"/><nd ref="3"/><tag k="highway" v="residential"/></way>
  <way id="2"><nd ref="4"/><nd ref="1"/><nd ref="5"/><tag k="highway" v="residential"/></way>
  <way id="3"><nd ref="7"/><nd ref="8"/><nd ref="9"/><nd ref="7"/><tag k="amenity" v="place_of_worship"/></way>
</osm>
END
run map import places.osm -o places.scm --quiet
succeeds "a crossing with places is imported"
road() { "$STARCLOAK" map snap places.scm --lon "$1" --lat "$2" --json | grep -oE '"segment":[0-9]+' | grep -oE '[0-9]+$'; }
west=$(road 8.679 49.41) east=$(road 8.685 49.41) north=$(road 8.682 49.412)

run map classes places.scm -o classes.csv
equal "places are marked" "$status" 0
equal "each at its own road, and a roof is none" "$(grep -E '^[0-9]' classes.csv | sort)" \
    "$(printf '%s\n' "$west,clinic" "$east,worship" "$north,politics" "$north,shelter" | sort)"
check "the table is for this map" says classes.csv "# map " "segment,class"
check "the report tells roads and categories" says "$out" "3 of 4 segments" place_of_worship social_facility
check "many marked roads are warned of" says "$err" "3 of 4 roads are of a class, more than a fifth"
run map classes places.scm --category shelter=shelter -o roofs.csv
equal "a category alone leaves the preset out" "$(grep -cE '^[0-9]' roofs.csv)" 1
run map classes places.scm --category shelter=roof --category clinic=health --preset sensitive -o both.csv
equal "with the preset it is added" "$(grep -cE '^[0-9]' both.csv)" 6
run map classes places.scm --category clinics=health --category clinic=health -o health.csv --json
check "a category that is not there is told" says "$err" "category 'clinics'; did you mean 'clinic'?"
equal "and the others are marked" "$(grep -E '^[0-9]' health.csv)" "$west,health"
equal "the report for programs has the number" "$(number marked "$out")" 1

# --- The preset ---------------------------------------------------------------------------------

# What the help names is what is marked: each word, in its class.
run map classes --help
awk '/^The preset/ {on = 1; next} /^$/ {on = 0} !on {next}
    /^  [a-z]/ {name = $1; $1 = ""} {gsub(/,/, " "); n = split($0, word, " "); for (i = 1; i <= n; i++) print word[i], name}' \
    "$out" | sort >told.txt
{
    echo lon,lat,category,name
    awk '{print "8.6821,49.4101," $1 ","}' told.txt
} >objects.csv
run map import "$data"/town.cnode "$data"/town.cedge --objects objects.csv -o town.scm --quiet
succeeds "a place of each category is imported"
run map classes town.scm -o town.csv --json
check "the preset has all that the help tells" test "$(wc -l <told.txt)" -ge 30
equal "and in the same classes" \
    "$(grep -oE '"category": "[a-z_]+", "objects": 1, "class": "[a-z]+"' "$out" | awk -F'"' '{print $4, $10}' | sort)" \
    "$(cat told.txt)"

# --- Where it is read, and what is refused ------------------------------------------------------

run map generate --nodes 2000 --seed 3 -o city.scm --quiet
run map classes city.scm -o city.csv
succeeds "a city has few such places"
printf 'zone,user,segment\n1,t1,5\n1,t1,6\n2,t2,9\n2,t2,10\n' >zones.csv
places=$(grep -E '^[0-9]' city.csv | cut -d, -f1 | sort -u | wc -l)
names=$(grep -E '^[0-9]' city.csv | cut -d, -f2 | sort -u | wc -l)
run simulate city.scm --engine patient --users 300 --seconds 10 --classes city.csv --zones zones.csv
succeeds "a simulation takes the table"
check "and names what is in force" says "$out" "$names classes of places on $places of " "  2 zones of users"
run simulate city.scm --engine patient --users 300 --seconds 10 --classes city.csv --zones zones.csv --json
check "as its JSON does" python3 - "$out" city.csv <<'PY'
import collections, json, sys
engine = json.load(open(sys.argv[1]))["engine"]
rows = [line.strip().split(",") for line in open(sys.argv[2]) if line[0].isdigit()]
counts = collections.Counter(name for _, name in set(map(tuple, rows)))
assert {c["name"]: c["segments"] for c in engine["classes"]} == counts, engine
assert engine["zones"] == 2, engine
PY
run queries city.scm --users 300 --seconds 10 -o stream.jsonl --quiet
run cloak city.scm stream.jsonl --engine patient --classes city.csv --zones zones.csv
check "and so does a stream that is cloaked" says "$out" "$names classes of places on $places of " "  2 zones of users"
run simulate city.scm --engine patient --users 300 --seconds 10 --json
check "and none where there are none" says "$out" '"classes": [], "zones": 0'
run serve city.scm --engine patient --classes city.csv --check
check "and a service" says "$err" "event=demands"
run map classes city.scm -o -
check "the table goes to standard output" says "$out" "segment,class"
check "and the report beside it" says "$err" "segments are of a class"
run map classes city.scm --category nothing=none -o none.csv
refuses 1 "a table without roads is not written" "no object of the map has the category 'nothing'" "no road would be of a class"
check "so there is none" test ! -e none.csv

rm -f x.csv
run map classes city.scm -o x.csv --preset other
refuses 2 "there is one preset" "--preset" "sensitive"
for bad in clinic =clinic clinic= clinic=Health 'clinic=a b' clinic=abcdefghijabcdefghijabcdefghij12; do
    run map classes city.scm -o x.csv --category "$bad"
    refuses 2 "'$bad' is no rule" "--category '$bad'"
done
many=()
for i in $(seq 33); do many+=(--category "cafe=c$i"); done
run map classes city.scm -o x.csv "${many[@]}"
refuses 2 "33 classes are too many" "there may be 32"
run map classes city.scm -o city.scm
refuses 2 "a map is not replaced" "also an input"
check "nothing was written" test ! -e x.csv

finish
