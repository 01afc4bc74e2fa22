#!/usr/bin/env bash
# Import, info, check and export of small maps, from end to end. The town has all
# that is odd about real maps in one drawing:
#
#        3                 0, 1  intersections, joined twice by a straight road
#        |                 2     a bend of a third road between them
#   5 -- 0 === 1 -- 4      3-5   dead ends
#         \   / \_)        1     also has a road that returns at once
#           2              6     an isolated node
#                          7-9   a ring;  10-11  a lone road
#   6   7-8-9-7   10-11
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

run map import "$data"/town.cnode "$data"/town.cedge -o town.scm
succeeds "a town is imported"
check "the report says which format was guessed" says "$out" "cnode" "suggest"
check "the report tells sizes and time" says "$out" nodes edges segments stars objects bytes MB/s
equal "the map is the only file that was made" "$(left_behind .)" "./town.scm "

run map info town.scm --json
succeeds "the town is described"
cp "$out" info.json
counts() { for key in "$@"; do number "$key" info.json; done | tr '\n' ' '; }
equal "the town has its nodes, edges, segments and stars" \
    "$(counts nodes edges segments stars pseudo_stars)" "12 12 9 4 2 "
equal "the town has its oddities" \
    "$(counts self_loops parallel_edges zero_length_edges components isolated_nodes rings lone_roads)" \
    "1 1 1 4 1 1 1 "
equal "its segments are told apart" "$(counts dead_ends star_to_star back_to_own_star)" "3 3 1 "
equal "its degrees are counted with loops twice" \
    "$(grep -m1 '"degrees"' info.json | tr -d ' ')" '"degrees":[1,5,4,0,0,1,1,0,0,0],'
grep '"simple"' info.json >simple.json
simple() { for key in "$@"; do number "$key" simple.json; done | tr '\n' ' '; }
equal "merged, it has ten edges and two stars" "$(simple edges stars segments rings)" "10 2 6 1 "

run map info town.scm
succeeds "the town is described for people"
check "the description has its sections" says "$out" Size Degrees Components "Edges and segments" Balls Bytes
check "the description keeps to 80 columns" test -z "$(grep -E '.{81}' "$out")"
run map check town.scm
succeeds "the town is sound"

run map export town.scm csv
succeeds "the town is exported"
equal "the export has the files it should" "$(left_behind csv)" \
    "./edges.csv ./nodes.csv ./segments.csv ./stars.csv "
equal "nodes.csv has its header" "$(head -n 1 csv/nodes.csv)" "node,lon,lat"
equal "edges.csv has its header" "$(head -n 1 csv/edges.csv)" "edge,from,to,length_m,segment,forward_s,backward_s,name"
equal "segments.csv has its header" "$(head -n 1 csv/segments.csv)" "segment,node_a,node_b,length_m"
equal "stars.csv has its header" "$(head -n 1 csv/stars.csv)" "star,node"
equal "the nodes that come out are those that went in" \
    "$(tail -n +2 csv/nodes.csv | awk -F, '{printf "%d %.6f %.6f\n", $1, $2, $3}')" \
    "$(cat "$data"/town.cnode)"
ends() { awk -v f="$1" -v t="$2" '{a=$f; b=$t; print (a<b ? a" "b : b" "a)}' | sort; }
equal "the edges that come out are those that went in" \
    "$(tail -n +2 csv/edges.csv | tr ',' ' ' | ends 2 3)" "$(ends 2 3 <"$data"/town.cedge)"
equal "the lengths of a segment's edges add up to its own" \
    "$(awk -F, 'NR==FNR {if (FNR>1) sum[$5]+=$4; next}
        FNR>1 && (sum[$1]-$4 > 0.0015 || $4-sum[$1] > 0.0015) {print $1}' csv/edges.csv csv/segments.csv)" ""
# between LOW HIGH NUMBER: whether the number lies there; no number lies nowhere.
# shellcheck disable=SC2317  # check calls it
between() { awk -v low="$1" -v high="$2" -v n="$3" 'BEGIN {exit !(n != "" && n+0 > low && n+0 < high)}'; }
# 0.002 degrees of latitude on a sphere or ellipsoid of the earth's size.
check "degrees have become metres" between 220 225 \
    "$(awk -F, '$2 + $3 == 3 && $2 * $3 == 0 {print $4}' csv/edges.csv)"
equal "stars.csv names each star once" "$(tail -n +2 csv/stars.csv | cut -d, -f1 | tr '\n' ' ')" "0 1 2 3 "

# --- The same map by other ways ----------------------------------------------

run map import "$data"/town.cnode "$data"/town.cedge -o again.scm --quiet
check "--quiet prints nothing" test ! -s "$out" -a ! -s "$err"
run map import "$data"/town.cnode "$data"/town.cedge -o again.scm --quiet --json
check "--quiet leaves what --json asked for, of an import" says "$out" '"format":"cnode"' '"seconds"'
check "the same input gives the same bytes" cmp -s town.scm again.scm
xz -k -c "$data"/town.cnode >town.cnode.xz
gzip -c "$data"/town.cedge >town.cedge.gz
run map import town.cedge.gz town.cnode.xz -o packed.scm --json
succeeds "compressed files are read, in any order"
cp "$out" packed.json
checksum() { grep -oE '"checksum": ?"[0-9a-f]{16}"' "$1" | tr -d ' '; }
check "they give the same map" test "$(checksum packed.json)" = "$(checksum info.json)"
check "the JSON report says that the format was guessed" \
    says packed.json '"format":"cnode"' '"format_guessed":true'
if command -v jq >/dev/null; then
    check "the reports are JSON" jq -e .nodes packed.json info.json >"$out"
else
    skip "the reports are JSON" "no jq"
fi
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o - >stdout.scm 2>"$err"
check "a map can go to standard output" cmp -s town.scm stdout.scm
check "its report then goes to standard error" says "$err" nodes
echo old >again.scm
run map import "$data"/town.cnode "$data"/town.cedge -o again.scm
check "an older file is replaced" cmp -s town.scm again.scm
ln -s town.scm link.scm
run map info link.scm
succeeds "a map is opened through a symbolic link"

# --- Objects ------------------------------------------------------------------

run map import "$data"/town.cnode "$data"/town.cedge "$data"/townmap.txt \
    --category-names "$data"/town-categories.csv -o objects.scm
succeeds "a merged map brings its objects"
run map info objects.scm --json
cp "$out" info.json
equal "all objects are there, in their categories" "$(counts objects categories)" "4 3 "
check "the categories have their names" says info.json '"school", "count": 2' '"park"' '"hospital"'
run map export objects.scm csv-objects
equal "pois.csv has its header" "$(head -n 1 csv-objects/pois.csv)" \
    "poi,edge,offset_m,category,lon,lat,name"
equal "pois.csv has every object" "$(tail -n +2 csv-objects/pois.csv | cut -d, -f4 | sort | tr '\n' ' ')" \
    "hospital park school school "

run map import "$data"/town.cnode "$data"/town.cedge --objects "$data"/town-objects.csv -o cafes.scm
succeeds "objects of one's own are put on the roads"
check "the one that is too far is told" says "$out" "too far"
run map info cafes.scm --json
cp "$out" info.json
equal "the near ones are there" "$(counts objects categories)" "2 2 "
run map import "$data"/town.cnode "$data"/town.cedge --objects "$data"/town-objects.csv \
    --max-object-snap-m 100000 -o cafes.scm --json
equal "a wider limit takes all" "$(number objects "$out") $(number objects_too_far "$out")" "3 0"

# --- Other formats ------------------------------------------------------------

run map import "$data"/square.gr "$data"/square.co -o square.scm
succeeds "a DIMACS map is imported"
check "its format was guessed" says "$out" dimacs
run map info square.scm --json
cp "$out" info.json
equal "the square has its counts" "$(counts nodes edges segments stars)" "5 5 2 1 "
run map export square.scm csv-square
check "tenths of metres have become metres" between 878.8 879.0 \
    "$(awk -F, 'NR > 1 {sum += $4} END {print sum}' csv-square/edges.csv)"
run map import "$data"/square.gr -o bare.scm
succeeds "a map without coordinates is imported"
run map info bare.scm
check "its description says that it has none" says "$out" "positions cannot be snapped"
run map snap bare.scm --lon 8.681 --lat 49.41
refuses 1 "nothing can be snapped to it" "bare.scm" "no coordinates"
run map export bare.scm csv-bare
succeeds "it is exported nevertheless"
run map export bare.scm csv-geo --geojson
refuses 1 "it cannot become GeoJSON" "bare.scm" "no coordinates"
check "and no file was written in trying" test ! -e csv-geo

# Two arcs of a road that differ in time, and one without its opposite.
printf 'p sp 3 3\na 1 2 1000\na 2 1 1000\na 2 3 500\n' >arcs-d.gr
printf 'p sp 3 3\na 1 2 10\na 2 1 20\na 2 3 5\n' >arcs-t.gr
run map import arcs-d.gr arcs-t.gr --time-unit-s 1 -o arcs.scm
succeeds "travel times are read beside the lengths"
check "the single arc is told" says "$out" "1  arcs: without their opposite, one-way roads"
run map export arcs.scm csv-arcs
equal "each direction has its time, and a one-way road one of them" \
    "$(awk -F, 'NR > 1 {print $4 + 0, ($2 < $3) ? $6 "," $7 : $7 "," $6}' csv-arcs/edges.csv | sort | tr '\n' ' ')" \
    "100 10.000,20.000 50 5.000, "
cp arcs-t.gr seconds
run map import arcs-d.gr --times seconds --time-unit-s 1 -o arcs-2.scm
succeeds "the option names them too"
run map export arcs-2.scm csv-arcs-2
check "and they are the same" cmp -s csv-arcs/edges.csv csv-arcs-2/edges.csv

run map import "$data"/hamlet.osm -o hamlet.scm
succeeds "an OpenStreetMap file is imported"
check "what was left out is told" says "$out" "left out"
run map info hamlet.scm --json
cp "$out" info.json
equal "the hamlet has its drivable roads" "$(counts nodes edges segments stars objects)" "4 3 3 1 1 "
run map import "$data"/hamlet.osm --ways all -o hamlet.scm --json
equal "--ways all takes the footpath too" "$(number edges "$out") $(number ways_left_out "$out")" "4 0"

# --- Profiles ---------------------------------------------------------------------

# Of every edge the seconds forwards and backwards and the name.
streets() {
    run map export "$1" "csv-$1"
    tail -n +2 "csv-$1/edges.csv" | cut -d, -f6-8 | LC_ALL=C sort | tr '\n' '|'
}
run map import "$data"/streets.osm -o car.scm --json
succeeds "streets are imported for cars"
equal "what is closed to cars is counted, and what is no road for them" \
    "$(number edges "$out") $(number ways_closed "$out") $(number ways_left_out "$out")" "3 1 2"
equal "cars have directions, speeds and names" "$(streets car.scm)" \
    ",11.437,|,4.007,Ringstraße (B 37)|9.646,9.646,Am Markt|"
run map import "$data"/streets.osm --profile bike -o bike.scm --json
equal "bicycles have ways of their own" \
    "$(number edges "$out") $(number ways_closed "$out") $(number ways_left_out "$out")" "4 1 1"
equal "and directions of their own" "$(streets bike.scm)" \
    ",17.364,Ringstraße (B 37)|17.364,17.364,Am Markt|26.046,26.046,|26.687,26.687,|"
run map import "$data"/streets.osm --profile foot --ferries -o foot.scm --json
equal "on foot every way is open, ferries too where they are asked for" \
    "$(number edges "$out") $(number ways_closed "$out") $(number ways_left_out "$out")" "7 0 0"
streets foot.scm >feet.txt
check "a ferry takes as long as it says" says feet.txt "300.000,300.000"
run map import "$data"/streets.osm --profile any -o any.scm --json
equal "for any, roads are those of cars and open both ways" "$(number edges "$out") $(number ways_closed "$out")" "4 0"
run map import "$data"/streets.osm --ways all -o all.scm --json
equal "with --ways the profile still decides access" "$(number edges "$out") $(number ways_closed "$out")" "5 1"
run map info car.scm
check "map info tells the share of one-way roads" says "$out" "one-way roads" "71.7 %" "roads with a name" "56.5 %"
run map snap car.scm --lon 8.6815 --lat 49.41
check "map snap tells the name of the road" says "$out" "Ringstraße (B 37)"
run map snap car.scm --lon 8.6815 --lat 49.41 --json
check "in JSON too" says "$out" '"name":"Ringstraße (B 37)"'
run map import "$data"/streets.osm --ways service -o none.scm
refuses 1 "roads that are all closed are told" "all 1 roads among 'service' are closed to the profile 'car'"

run map export hamlet.scm csv-hamlet --geojson
succeeds "a map is exported as GeoJSON too"
check "the GeoJSON is there" says csv-hamlet/map.geojson FeatureCollection LineString Point
if command -v jq >/dev/null; then
    check "the GeoJSON is JSON" jq -e . csv-hamlet/map.geojson >"$out"
else
    skip "the GeoJSON is JSON" "no jq"
fi

run map import "$data"/yard.svg -o yard.scm
succeeds "a GT-MobiSim map is imported"
run map import "$data"/yard.svg --utm 16N -o yard-degrees.scm
succeeds "its UTM metres become degrees"
run map info yard-degrees.scm --json
read -r west south east north < <(grep '"bounds"' "$out" | sed 's/.*\[//; s/\].*//; s/,//g')
check "their longitudes are Atlanta's" between -84.6 -84.4 "$west"
check "to the east, too" between "$west" -84.4 "$east"
check "their latitudes are Atlanta's" between 33.7 33.9 "$south"
check "to the north, too" between "$south" 33.9 "$north"

cp "$repository"/tests/data/shapefile/crossing.* .
run map import crossing.shp -o crossing.scm
succeeds "a shapefile is imported"
run map import crossing.shp --direction-field ONEWAY -o crossing-2.scm
refuses 1 "a field that is missing is refused with those there are" "crossing.dbf" "'ONEWAY'" "'FULLNAME'" "'MTFCC'"
run map import crossing.shp --name-field MTFCC -o named.scm
run map export named.scm csv-named
check "the field that is named has the names" says csv-named/edges.csv ",S1100"
mkdir shapefile
cp "$repository"/tests/data/shapefile/crossing.* shapefile
for ending in shx prj qpj cpg cst sbn sbx qix fbn fbx ain aih atx ixs mxs idm ind qml qmd sld lyr \
    shp.xml shp.iso.xml shp.ea.iso.xml; do
    echo "of no use here" >"shapefile/crossing.$ending"
    run map import shapefile/crossing.shp "shapefile/crossing.$ending" -o "beside.scm"
    succeeds "a .$ending beside a .shp is passed over"
done
run map import shapefile/crossing.* -o beside.scm
succeeds "a shapefile may be named with all that lies beside it"
run map info beside.scm --json
cp "$out" beside.json
run map info crossing.scm --json
equal "and is the same map" "$(number edges beside.json) $(number nodes beside.json)" \
    "$(number edges "$out") $(number nodes "$out")"
echo "of no use anywhere" >shapefile/crossing.zip
run map import shapefile/crossing.* -o beside.scm
refuses 1 "but not with what has nothing to do with it" "shapefile/crossing.zip"
run map import shapefile/crossing.shp shapefile/crossings.prj -o beside.scm
refuses 2 "nor with what is called otherwise" "crossings.prj" "--format"

# --- Snapping -----------------------------------------------------------------

run map snap town.scm --lon 8.6821 --lat 49.4101 --json
succeeds "a position is snapped"
check "it is about 11 m from the road" between 11 11.3 "$(number distance_m "$out")"
run map snap town.scm --lon 8.6821 --lat 49.4101
check "for people the answer has words" says "$out" edge segment offset distance " m"
run map snap town.scm --lon 8.6821 --lat 49.4101 --max-snap-m 5
refuses 1 "a position too far from any road is refused" "within 5 m"
check "the message does not repeat the position" silent_about "$err" "8.6821" "49.4101"
run map snap town.scm --lon 200 --lat 49
refuses 1 "a position off the globe is refused" "this is not a position on the globe; give a longitude of -180 to 180 and a latitude of -90 to 90 degrees"

snap_lines() { "$STARCLOAK" map snap town.scm "$@" >"$out" 2>"$err"; status=$?; command_line="map snap $*"; }
snap_lines < <(printf '8.6821 49.4101\n8.6800,49.4110\n')
succeeds "positions are read from standard input"
equal "each gives one line of five columns" "$(awk -F'\t' '{print NF}' "$out" | tr '\n' ' ')" "5 5 "
snap_lines --max-snap-m 100 < <(printf '8.6821 49.4101\n0 0\n8.6800 49.4110\n')
equal "one that is too far gives dashes, in its place" "$(sed -n 2p "$out")" $'-\t-\t-\t-\t-'
equal "the others have theirs" "$(wc -l <"$out") $status" "3 1"
check "and its line is named" says "$err" "standard input:2:" "within 100 m"
snap_lines < <(printf '8.68 49.41\n8.68 north\n')
check "what is no position is named by its line" says "$err" "standard input:2:"
equal "and ends the work" "$status" 1
snap_lines < <(printf '')
succeeds "no positions give no lines"

# --- The generator ------------------------------------------------------------

run map generate --nodes 2k --seed 3 -o city.scm
succeeds "a city is made"
run map check city.scm
succeeds "it is sound"
run map generate --nodes 2000 --seed 3 -o same.scm --quiet
check "--quiet prints nothing of it" test ! -s "$out" -a ! -s "$err"
run map generate --nodes 2000 --seed 3 -o same.scm --quiet --json
check "--quiet leaves what --json asked for" says "$out" '"kind":"city"' '"seconds"'
check "the same seed gives the same city" cmp -s city.scm same.scm
run map generate --nodes 2000 --seed 4 -o other.scm --quiet
check "another seed gives another" test "$(cmp -s city.scm other.scm; echo $?)" = 1
run map generate --nodes 2k --seed 3 -o city.scm --json
check "it has about as many nodes as were asked for" \
    test "$(number nodes "$out")" -ge 1960 -a "$(number nodes "$out")" -le 2040
check "by default all of its roads are open both ways" says "$out" '"one_way_share":0,'
run map generate --nodes 2k --seed 3 --one-way 0.25 -o one-way.scm --json
check "--one-way is met, a little less at most" \
    python3 -c "import sys; assert 0.24 < float(sys.argv[1]) <= 0.2501" "$(number one_way_share "$out")"
run map check one-way.scm
succeeds "a city with one-way roads is sound"
run map generate --nodes 2k --seed 3 --one-way 0.25 -o same.scm
check "the report for people says how much is one-way" says "$out" "one-way" "% of the road length"
check "the same seed and share give the same directions" cmp -s one-way.scm same.scm

run map generate -o default.scm --json
check "by default a city has about 20,000 nodes" \
    test "$(number nodes "$out")" -ge 19600 -a "$(number nodes "$out")" -le 20400

finish
