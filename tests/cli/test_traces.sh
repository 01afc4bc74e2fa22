#!/usr/bin/env bash
# `--traces` of `starcloak queries` and `starcloak simulate`: travellers who do as recorded ones did.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 500 -o city.scm --quiet || echo "# no map to work with"
cp "$data"/square.gr .
"$STARCLOAK" map import square.gr -o bare.scm --quiet || echo "# no bare map to work with"

# true_of FILE FILTER: whether jq finds the filter true of every line of the file.
# shellcheck disable=SC2317  # called by `check`
true_of() { jq -es "map($2) | all" "$1" >/dev/null; }

# users FILE: the names of those who ask, each once.
users() { jq -r .user "$1" | sort -u; }

# --- Four ways to write the same down -----------------------------------------
# Recorded movement, out of where travellers of our own asked: "id t lon lat", whole seconds.
"$STARCLOAK" queries city.scm --users 30 --seconds 900 --pause 30:0 --quiet -o asked.jsonl
jq -r '"\(.user[1:]) \(.t | floor) \(.lon) \(.lat)"' asked.jsonl >fixes.txt

mkdir cabs
awk 'BEGIN { print "id,t,lon,lat" } { print $1 "," $2 "," $3 "," $4 }' fixes.txt >tracks.csv
awk '{ print $4, $3, 0, $2 >("cabs/new_" $1 ".txt") }' fixes.txt
sort -s -n -k 2,2 fixes.txt | awk '
    BEGIN { print "<fcd-export>" }
    $2 != t { if (NR > 1) print "</timestep>"; t = $2; print "<timestep time=\"" t "\">" }
    { print "<vehicle id=\"" $1 "\" x=\"" $3 "\" y=\"" $4 "\" speed=\"9\"/>" }
    END { print "</timestep></fcd-export>" }' >fcd.xml
sort -s -n -k 2,2 fixes.txt | awk '
    { print (seen[$1]++ ? "point" : "newpoint"), $1, seen[$1], 0, $2, $3, $4, 9, $3, $4 }' >moving.txt

run queries city.scm --traces tracks.csv --seconds 900 -o csv.jsonl
equal "traces become a stream of queries" "$status" 0
check "and it is told how many travellers they make" \
    says "$err" "travellers 30, out of $(wc -l <fixes.txt) fixes; left out: 0 outside the time, 0 too far"
run queries city.scm --traces tracks.csv --seconds 900 -o again.jsonl --quiet
succeeds "except quietly"
check "the same traces give the same stream, bit for bit" cmp -s csv.jsonl again.jsonl
equal "users are called as in the traces" "$(users csv.jsonl)" "$(cut -d' ' -f1 fixes.txt | sort -u)"
for traces in cabs fcd.xml moving.txt; do
    run queries city.scm --traces "$traces" --seconds 900 -o other.jsonl --quiet
    succeeds "$traces: the same traces are read"
    check "$traces: and give the same stream" cmp -s csv.jsonl other.jsonl
done
run queries city.scm --traces cabs --trace-format cabspotting --seconds 900 -o other.jsonl --quiet
check "the format may be given" cmp -s csv.jsonl other.jsonl
run queries city.scm --traces moving.txt --trace-step 2 --seconds 1800 -o other.jsonl --quiet
succeeds "steps may take longer"
check "and then all does" test "$(tail -n 1 other.jsonl | jq .t)" != "$(tail -n 1 csv.jsonl | jq .t)"
xz -k tracks.csv
run queries city.scm --traces tracks.csv.xz --seconds 900 -o other.jsonl --quiet
check "traces may be compressed" cmp -s csv.jsonl other.jsonl

# A traveller that waits at the roadside for nearly five minutes.
read -r _ _ x y < <(head -n 1 fixes.txt)
printf 'id,t,lon,lat\nstill,1000,%s,%s\nstill,1290,%s,%s\n' "$x" "$y" "$x" "$y" >still.csv
run queries city.scm --traces still.csv --seconds 600 -o still.jsonl --quiet
succeeds "a traveller may stand still"
check "and is nowhere else, as long as there are fixes" true_of still.jsonl \
    ".t <= 290 and (.lon - $x | fabs) < 1e-7 and (.lat - $y | fabs) < 1e-7"
check "asking as others do" test "$(wc -l <still.jsonl)" -ge 10

# --- Some of it ---------------------------------------------------------------
run queries city.scm --traces tracks.csv --users 10 --seconds 900 -o some.jsonl --quiet
equal "some of the travellers may be taken" "$(users some.jsonl | wc -l)" 10
run queries city.scm --traces tracks.csv --users 10 --seconds 900 -o again.jsonl --quiet
check "the same for the same seed" cmp -s some.jsonl again.jsonl
run queries city.scm --traces tracks.csv --users 10 --seed 2 --seconds 900 -o again.jsonl --quiet
check "others for another" test "$(users again.jsonl)" != "$(users some.jsonl)"
run queries city.scm --traces tracks.csv --users 40 --seconds 900 -o all.jsonl
check "if there are not so many, that is told" says "$err" "--users 40: the traces have fewer" "--trace-fold"
equal "and all are taken" "$(users all.jsonl | wc -l)" 30

run queries city.scm --traces tracks.csv --trace-fold 100 --seconds 100 -o folded.jsonl
check "folded traces make a traveller of each window" says "$err" "travellers 270, out of"
equal "called by track and window" "$(users folded.jsonl | grep -cE '^[0-9]+#[0-8]$')" 270
run queries city.scm --traces tracks.csv --trace-fold 100 --users 50 --seconds 100 -o folded.jsonl --quiet
equal "of which some may be taken" "$(users folded.jsonl | wc -l)" 50

run queries city.scm --traces tracks.csv --trace-start 800 --seconds 900 -o late.jsonl --quiet
check "one may begin later" true_of late.jsonl '.t <= 100'
check "when all are on their way" test "$(users late.jsonl | wc -l)" = 30
run queries city.scm --traces tracks.csv --trace-gap 10 --seconds 900 -o gaps.jsonl
refuses 1 "where all fixes are far apart no traveller is on the roads" \
    "no track of the traces moves on the roads" "more than 10 s apart"

# --- Closed loop, every engine ------------------------------------------------
for engine in basic bounded hybrid patient xstar sampling expansion; do
    run simulate city.scm --traces tracks.csv --trace-fold 60 --seconds 60 --engine $engine \
        --record run.jsonl --json --quiet
    succeeds "$engine: recorded travellers ask and wait"
    check "$engine: and are cloaked" true_of "$out" '.cloak.count > 0'
    run verify city.scm run.jsonl
    check "$engine: every promise is kept" test "$status" = 0
done
check "records call users as traces do" says run.jsonl '"user":"0#0"'
run simulate city.scm --traces tracks.csv --trace-fold 60 --seconds 60 --record again.jsonl --quiet
cp again.jsonl run.jsonl
run simulate city.scm --traces tracks.csv --trace-fold 60 --seconds 60 --record again.jsonl --quiet
check "the same run is the same, bit for bit" cmp -s run.jsonl again.jsonl

# --- What is refused ----------------------------------------------------------
# both STATUS SENTENCE TEXT... -- ARG...: both commands must refuse ARG... with the texts.
both() {
    local wanted=$1 sentence=$2 texts=()
    shift 2
    while [[ $1 != -- ]]; do
        texts+=("$1")
        shift
    done
    shift
    run queries city.scm -o x.jsonl "$@"
    refuses "$wanted" "queries: $sentence" "starcloak queries:" "${texts[@]}"
    run simulate city.scm "$@"
    refuses "$wanted" "simulate: $sentence" "starcloak simulate:" "${texts[@]}"
}
both 2 "options about traces want traces" "--trace-fold is about traces; add --traces PATH" -- --trace-fold 60
both 2 "one moves one way or the other" "--traces and --movement walk" -- --traces tracks.csv --movement walk
both 2 "an unknown format is refused" "--trace-format" "'tar'" -- --traces tracks.csv --trace-format tar
both 2 "an empty name is no trace" "--traces: the name of the file is empty" -- --traces ""
both 2 "windows below a second are refused" "at least 1 second" -- --traces tracks.csv --trace-fold 0.5
both 1 "traces that are not there are told" "absent.csv" -- --traces absent.csv
both 1 "a file that has no traces is told" "asked.jsonl" -- --traces asked.jsonl
both 1 "traces of another format are told, with the line" "tracks.csv:1:" -- \
    --traces tracks.csv --trace-format brinkhoff
run queries bare.scm --traces tracks.csv -o x.jsonl
refuses 1 "a map without coordinates is told" "the map has no coordinates"

printf 'id,t,lon,lat\nsecret,0,12.125,7.25\nsecret,10,12.126,7.25\n' >elsewhere.csv
printf 'id,t,lon,lat\nsecret,0,12.125,7.25\nsecret,ten,12.126,7.25\n' >broken.csv
before=$(left_behind .)
run queries city.scm --traces elsewhere.csv -o x.jsonl
refuses 1 "traces of another place are told" "no track of the traces moves on the roads" \
    "2 more than 100 m from any road" "the same area"
check "without saying who or where" silent_about "$err" secret 12.12 7.25
run queries city.scm --traces broken.csv -o x.jsonl
refuses 1 "a broken line is told" "broken.csv:3:"
check "without saying who or where either" silent_about "$err" secret 12.12 7.25
equal "what fails leaves nothing behind" "$(left_behind .)" "$before"

# --- Real taxis ---------------------------------------------------------------
# Three days of 515 cabs in San Francisco, folded into hours; two thousand of those cab hours.
roads=$STARCLOAK_DATA/san-francisco-tiger/tl_2017_06075_roads.shp.xz
taxis=$STARCLOAK_DATA/sf-cabs/cabs-2008-06-04_06.tar.xz
if [[ -r $roads && -r $taxis ]]; then
    mkdir taxis && tar -xJf "$taxis" -C taxis --strip-components 1
    run map import "$roads" -o sf.scm --quiet
    crowd=(--traces taxis --trace-fold 3600 --users 2000 --seconds 60)
    run queries sf.scm "${crowd[@]}" -o taxis.jsonl
    equal "real taxis ask" "$status" 0
    check "1,478,348 fixes are read" says "$err" "travellers 2,000, out of 1,478,348 fixes"
    check "each asks now and then, while on the roads" test "$(wc -l <taxis.jsonl)" -gt 3500
    check "within the city" true_of taxis.jsonl \
        '.lon > -123.2 and .lon < -122.3 and .lat > 37.6 and .lat < 37.9'
    equal "each is a cab in one of 72 hours" \
        "$(users taxis.jsonl | grep -cvE '^[a-z]+#([0-9]|[1-6][0-9]|7[01])$')" 0
    run cloak sf.scm taxis.jsonl --record run.jsonl --quiet
    equal "their stream can be cloaked" "$status" 0
    for engine in basic hybrid expansion; do
        run simulate sf.scm "${crowd[@]}" --engine $engine --record run.jsonl --json --quiet
        succeeds "real taxis, $engine: they ask and wait"
        check "real taxis, $engine: hundreds are cloaked" true_of "$out" '.cloak.count > 50'
        run verify sf.scm run.jsonl
        check "real taxis, $engine: every promise is kept" test "$status" = 0
    done
    # One afternoon, as it was: no folding, from three o'clock on.
    run simulate sf.scm --traces taxis --trace-start 1212616800 --seconds 120 --record run.jsonl
    equal "one afternoon can be played as it was" "$status" 0
    check "with the cabs there were" true_of run.jsonl '(.user // "cab" | test("#") | not)'
else
    skip "real taxis ask" "no taxis or no San Francisco in the folder of real data"
fi

finish
