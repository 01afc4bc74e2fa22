#!/usr/bin/env bash
# The nearest objects by road, exactly and without a cloak: hand-made numbers, positions one by
# one and as lines, and every way to ask for something else than there is.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# From node 0, a road of 289.393 m with a school at 72.348 m and a hospital at 144.697 m leads to node 1;
# another leads from node 0 to a school at 166.793 m. A park is on an island.
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge "$data"/townmap.txt \
    --category-names "$data"/town-categories.csv -o town.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o empty.scm --quiet || echo "# no map without objects"
"$STARCLOAK" map import "$data"/town.cedge "$data"/townmap.txt -o bare.scm --quiet || echo "# no map without coordinates"
printf 'lon,lat,category,name\n735050,3740001,well,Old Well\n' >wells.csv
"$STARCLOAK" map import "$data"/yard.svg --objects wells.csv -o yard.scm --quiet || echo "# no planar map"
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge --objects "$data"/town-objects.csv \
    -o cafes.scm --quiet 2>/dev/null || echo "# no map with names"

# rows: rank, distance, object and category of the table that was printed, in one line.
rows() { awk '$1 ~ /^[0-9]+$/ { printf "%s%s %s %s %s", sep, $1, $2, $4, $5; sep = ", " }' "$out"; }

# --- One position -----------------------------------------------------------------

run nearest town.scm --lon 8.6821 --lat 49.4101
succeeds "a position is answered"
equal "by road, nearest first; what cannot be reached is not there" "$(rows)" \
    "1 7.23 2 hospital, 2 79.58 1 school, 3 318.72 0 school"
check "it says where the position falls" says "$out" "edge 4 of segment 3, 151.93 m from its first node; 11.12 m from the position"
check "and where the objects are" says "$out" "8.682000   49.410000"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
run nearest town.scm --edge 4 --offset-m 0
succeeds "a place may be an edge and an offset"
equal "at its very end" "$(rows)" "1 72.35 1 school, 2 144.70 2 hospital, 3 166.79 0 school"
check "which is at no distance from itself" silent_about "$out" "from the position"
run nearest town.scm --edge 8 --offset-m 144.696
equal "over several roads" "$(rows)" "1 289.39 2 hospital, 2 361.74 1 school, 3 600.88 0 school"
run nearest town.scm --edge 4 --offset-m 0 -k 1
equal "-k says how many" "$(rows)" "1 72.35 1 school"
run nearest town.scm --edge 4 --offset-m 0 --radius-m 150
equal "--radius-m asks for all within a distance" "$(rows)" "1 72.35 1 school, 2 144.70 2 hospital"
run nearest town.scm --edge 4 --offset-m 0 --radius-m 10
succeeds "there may be none"
check "which is told in words" says "$out" "No such object can be reached."
run nearest town.scm --edge 4 --offset-m 0 --category hospital -k 3
equal "--category asks for one kind" "$(rows)" "1 144.70 2 hospital"
run nearest town.scm --edge 4 --offset-m 0 -c hospital -c park -c hospital
equal "or for one of several" "$(rows)" "1 144.70 2 hospital"
run nearest town.scm --edge 9 --offset-m 0
equal "an island has what is on it" "$(rows)" "1 72.36 3 park"

run nearest town.scm --lon 8.6821 --lat 49.4101 -k 2 --json
succeeds "the same as JSON"
equal "in one line, with all there is to know" "$(sed -E 's/("duration_s":)[0-9.]+/\1SECONDS/g' "$out")" '{"edge":4,"segment":3,"offset_m":151.9313,"snap_m":11.1195,"street":"","metric":"distance","results":[{"poi":2,"distance_m":7.234325,"duration_s":SECONDS,"category":"hospital","name":"","street":"","lon":8.6820000,"lat":49.4100000},{"poi":1,"distance_m":79.583325,"duration_s":SECONDS,"category":"school","name":"","street":"","lon":8.6810000,"lat":49.4100000}]}'
run nearest town.scm --edge 4 --offset-m 0 --radius-m 0 --json
equal "without results, too" "$(cat "$out")" '{"edge":4,"segment":3,"offset_m":0.0000,"street":"","metric":"distance","results":[]}'
run nearest cafes.scm --lon 8.6821 --lat 49.4101 -k 1 -c cafe
check "objects have names" says "$out" "Bean, and Leaf"
run nearest bare.scm --edge 4 --offset-m 0 -k 1
succeeds "a map without coordinates has places on roads"
check "and shows none of a position" silent_about "$out" "longitude"
run nearest bare.scm --lon 8.6821 --lat 49.4101
refuses 1 "but nothing can be snapped to it" "bare.scm: the map has no coordinates"

run nearest yard.scm --lon 735000 --lat 3740000
succeeds "on a planar map --lon and --lat are x and y"
equal "in its own units" "$(rows)" "1 50.00 0 well"
check "and its own words" grep -qE ' x +y +name$' "$out"
run nearest yard.scm --lon 735000 --lat 3740000 --json
check "in JSON, too" says "$out" '"name":"Old Well","street":"","x":735050.000,"y":3740000.000}'

# --- As one may drive ------------------------------------------------------------------

# A road with two names for people, a school behind the position and one ahead of it, and a one-way way round.
"$STARCLOAK" map import "$data"/ring.osm -o ring.scm --quiet || echo "# no map with directions"
at=(--lon 8.003 --lat 49.0001)
run nearest ring.scm "${at[@]}"
check "the street is named" says "$out" 'you are on Ring "A" (B 37)'
check "for objects, too" says "$out" 'Ahead   Ring "A" (B 37)'
equal "either way counts where a road is open both ways" "$(rows)" "1 401.23 1 school, 2 583.60 0 school"
run nearest ring.scm "${at[@]}" --heading 270
equal "unless a heading is given" "$(rows)" "1 583.60 0 school, 2 838.93 1 school"
run nearest ring.scm "${at[@]}" --radius-s 50
equal "--radius-s asks for all within a time" "$(rows)" "1 401.23 1 school"
run nearest ring.scm --lon 8.010 --lat 49.002 -k 1
equal "a one-way road is not driven back" "$(rows)" "1 1,983.75 0 school"
run nearest ring.scm "${at[@]}" --metric time -k 1 --json
check "JSON has metric, street and both measures" says "$out" '"street":"Ring \"A\" (B 37)","metric":"time"' '"distance_m":401.227500,"duration_s":41.269500'
run nearest ring.scm "${at[@]}" --metric hops
refuses 2 "a metric is distance or time" "--metric"
run nearest ring.scm "${at[@]}" --metric time --radius-m 5
refuses 2 "metres are a distance" "give --radius-s, or leave --metric out"
run nearest ring.scm "${at[@]}" --metric distance --radius-s 5
refuses 2 "and seconds a time" "give --radius-m, or leave --metric out"
run nearest ring.scm "${at[@]}" --radius-m 5 --radius-s 5
refuses 2 "not both" "give --radius-m or --radius-s"
run nearest ring.scm "${at[@]}" --heading 361
refuses 2 "a heading is 0 to 360" "--heading"
run nearest ring.scm --heading 90
refuses 2 "of one position" "--heading is of one position"

# --- Lines ------------------------------------------------------------------------

# lines TEXT ARG...: let the program read TEXT.
lines() {
    command_line="starcloak nearest town.scm ${*:2} <<< ..."
    printf '%b' "$1" | "$STARCLOAK" nearest town.scm "${@:2}" >"$out" 2>"$err"
    status=$?
}
lines '8.6821 49.4101\n8.69,49.40\n' -k 2
succeeds "positions are read from standard input"
equal "each object is a line with ten columns" "$(tr '\t' '|' <"$out" | sed -E 's/[0-9.]+(\|-)$/SECONDS\1/')" \
    "1|1|7.2343|2|hospital|8.6820000|49.4100000|-|SECONDS|-
1|2|79.5833|1|school|8.6810000|49.4100000|-|SECONDS|-
2|1|72.3630|3|park|8.6910000|49.4000000|-|SECONDS|-"
lines '8.6821 49.4101\n8.69 49.40\n' -c school -k 1
succeeds "a position from which nothing can be reached is no failure"
equal "but a line of dashes" "$(tail -n 1 "$out" | tr '\t' '|')" "2|-|-|-|-|-|-|-|-|-"
lines '8.6821 49.4101\n8.6 49.4\n8.69 49.40\n' -k 1 --max-snap-m 100
equal "one that is too far off is told" "$status" 1
equal "by its line, without the position" "$(cat "$err")" "starcloak nearest: standard input:2: no road within 100 m of the position"
equal "and others are still answered" "$(cut -f 1,4 "$out" | tr '\t\n' '| ')" "1|2 2|- 3|3 "
lines '8.6821 49.4101\n8.6 49.4\n' -k 1 --max-snap-m 100 --json
equal "in JSON it is null" "$(tail -n 1 "$out")" null
equal "each position is one line" "$(wc -l <"$out")" 2
lines '8.68 49.41\n8.68 north\n' -k 1
equal "a line that is no position ends it" "$status" 1
check "with its number" says "$err" "standard input:2: this is not a position"
lines ''
succeeds "no line, no answer"
check "and no output" test ! -s "$out"

# A client that sends a line at a time gets the answer before the next line.
mkfifo "$work"/questions "$work"/answers
"$STARCLOAK" nearest town.scm -k 1 <"$work"/questions >"$work"/answers 2>"$err" &
exec {to}>"$work"/questions {from}<"$work"/answers
first='' second=''
echo "8.6821 49.4101" >&"$to" && read -r -t 20 first <&"$from"
echo "8.69 49.40" >&"$to" && read -r -t 20 second <&"$from"
exec {to}>&- {from}<&-
wait $!
equal "answers are not held back" "$(cut -f 1,4 <<<"$first")/$(cut -f 1,4 <<<"$second")" $'1\t2/2\t3'

# --- What is not there ----------------------------------------------------------------

run nearest empty.scm --lon 8.6821 --lat 49.4101
refuses 1 "a map without objects is told" "empty.scm: the map has no objects to ask for" "--objects"
run nearest town.scm --lon 8.6821 --lat 49.4101 --category hopsital
refuses 1 "an unknown category is told, with the nearest that there is" "unknown category 'hopsital'" \
    "did you mean 'hospital'?" "school, hospital, park"
run nearest town.scm --lon 8.6821 --lat 49.4101 -c school -c zzz
refuses 1 "with all there are if none is near" "unknown category 'zzz'; known categories: school, hospital, park"
run nearest town.scm --lon 8.6 --lat 49.4 --max-snap-m 10
refuses 1 "a position off the roads is told" "no road within 10 m of the position"
check "and not repeated" silent_about "$err" 8.6 49.4
run nearest town.scm --lon 200 --lat 49.4
refuses 1 "a position off the globe is told" "this is not a position on the globe; give a longitude of -180 to 180 and a latitude of -90 to 90 degrees"
run nearest town.scm --edge 12 --offset-m 0
refuses 1 "an edge that is not there is told" "town.scm: there is no edge 12" "the map has 12"
run nearest town.scm --edge 4 --offset-m 300
refuses 1 "an offset beyond the edge is told" "beyond the ends of the edge"
run nearest absent.scm --lon 8 --lat 49
refuses 1 "a missing map is told" "absent.scm" "No such file"

# --- Usage ----------------------------------------------------------------------------

run nearest
refuses 2 "without anything, the map is missed" "no map given"
for value in 0 -1 1001 x 1.5 ""; do
    run nearest town.scm --edge 4 --offset-m 0 -k "$value"
    refuses 2 "-k '$value' is refused" "-k: '$value'"
done
for value in -1 100001 x nan ""; do
    run nearest town.scm --edge 4 --offset-m 0 --radius-m "$value"
    refuses 2 "--radius-m '$value' is refused" "--radius-m: '$value'"
done
run nearest town.scm --edge 4 --offset-m 0 -k 3 --radius-m 100
refuses 2 "-k and --radius-m together are refused" "-k" "--radius-m"
run nearest town.scm --lon 8
refuses 2 "--lon alone is refused" "--lat is missing"
run nearest town.scm --lat 8
refuses 2 "--lat alone is refused" "--lon is missing"
run nearest town.scm --edge 8
refuses 2 "--edge alone is refused" "--offset-m is missing"
run nearest town.scm --offset-m 8
refuses 2 "--offset-m alone is refused" "--edge is missing"
run nearest town.scm --edge 8 --offset-m 1 --lon 8 --lat 49
refuses 2 "two places are refused" "either"
run nearest town.scm --edge 8 --offset-m -1
refuses 2 "a negative offset is refused" "--offset-m: '-1'"
run nearest town.scm --edge 8 --offset-m 1 --category ''
refuses 2 "an empty category is refused" "--category"
categories=()
for _ in {1..17}; do categories+=(-c park); done
run nearest town.scm --edge 8 --offset-m 1 "${categories[@]}"
refuses 2 "seventeen categories are refused" "more than 16"
run nearest town.scm --edge 8 --offset-m 1 "${categories[@]:2}"
succeeds "sixteen are not"
run nearest town.scm more
refuses 2 "an argument too many is refused" "'more'"
command_line="starcloak nearest town.scm --edge 4 --offset-m 0 >/dev/full"
"$STARCLOAK" nearest town.scm --edge 4 --offset-m 0 >/dev/full 2>"$err"
equal "a full disk is a failure" $? 1
printf '8.6821 49.4101\n8.6821 49.4101\n' | "$STARCLOAK" nearest town.scm >/dev/full 2>"$err"
equal "of lines, too" $? 1
finish
