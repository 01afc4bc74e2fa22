#!/usr/bin/env bash
# `starcloak cloak`: a recorded stream in, a report and a record out.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# all_true FILE FILTER: the same of all its values, as one array.
# shellcheck disable=SC2317
all_true() { jq -e -s "$2" "$1" >/dev/null; }

"$STARCLOAK" map generate --nodes 1000 --seed 3 -o city.scm --quiet
"$STARCLOAK" queries city.scm --users 2k --seconds 20 -o queries.jsonl --quiet
count=$(wc -l <queries.jsonl)

# asks USER T LON LAT K: a line of a stream.
asks() {
    printf '{"user":"%s","t":%s,"lon":%s,"lat":%s,"profile":{"k":%s,"l":2,"sigma_s":4,"sigma_t":5},' "$@"
    echo '"request":{"type":"knn","k":3,"category":null}}'
}

# --- The report ---------------------------------------------------------------

run cloak city.scm queries.jsonl
succeeds "a stream is cloaked"
check "the report for people has every part" says "$out" Queries admitted cloaked "dropped: expired" \
    "Wait, s" median "99 %" users segments "border nodes" stars "checks per query" "cap hit" \
    "queries per CPU second" "engine alone"
check "it keeps to 80 columns" test -z "$(grep -E '.{81}' "$out")"
check "it says what ran" says "$out" "queries.jsonl on city.scm" "basic, cap 64, seed 1"

run cloak city.scm queries.jsonl --json
succeeds "the same comes as JSON"
cp "$out" report.json
check "which is one object" all_true report.json 'length == 1 and (.[0] | type == "object")'
# holds SENTENCE FILTER: jq finds the filter true of the report.
holds() { check "$1" true_of report.json "$2"; }
holds "rates are numbers" '[.success_rate, .queries_per_cpu_s, .engine_queries_per_cpu_s] | all(type == "number")'
holds "the engine alone is faster than with admission" '.engine_queries_per_cpu_s > .queries_per_cpu_s'
holds "waits have mean, median, p99 and max, in that order of size" \
    '.wait_s | (keys == ["max", "mean", "median", "p99"]) and .median <= .p99 and .p99 <= .max and .mean <= .max'
holds "a cloak is described by users, segments, border nodes and stars" \
    '[.cloak.users, .cloak.segments, .cloak.border_nodes, .cloak.stars] | all(keys == ["max", "mean", "median", "p99"])'
holds "cloaks have no fewer users than one, and no fewer segments than stars need" \
    '.cloak.users.median >= 1 and .cloak.segments.mean > .cloak.stars.mean'
holds "the work of the search is counted" \
    '.search | (.checks_per_query > 0) and (.searches > 0) and (.cap_hits >= 0)'
holds "every query was cloaked or dropped with a reason" \
    '.cloaked + (.drops | add) == .queries and .success_rate == .cloaked / .queries or (.success_rate - .cloaked / .queries | fabs) < 1e-9'
holds "reasons of drops are those of the engine" '.drops | keys == ["expired", "exposed", "infeasible", "rare-request"]'
holds "nothing was refused" '.refused | add == 0'
holds "the engine is named with its parameters" \
    '.engine | .name == "basic" and .lambda == 1 and .alpha_s == 2 and .cap == 64 and .strict == false'
holds "the seed is told" '.seed == 1'
equal "all lines of the stream were admitted" "$(jq .queries report.json)" "$count"

"$STARCLOAK" cloak city.scm - --json <queries.jsonl >piped.json 2>"$err"
stable='del(.queries_per_cpu_s, .engine_queries_per_cpu_s, .admission_cpu_s, .engine_cpu_s, .stream)'
equal "a stream from standard input is the same stream" \
    "$(jq -S "$stable" piped.json)" "$(jq -S "$stable" report.json)"
xz -c queries.jsonl | "$STARCLOAK" cloak city.scm - --json >piped.json 2>"$err"
equal "and may be packed" "$(jq -S "$stable" piped.json)" "$(jq -S "$stable" report.json)"

# --- Records ------------------------------------------------------------------

for engine in basic bounded "bounded --strict" hybrid "hybrid --strict --lambda 2 --alpha 1" patient "patient --crowd 1 --alpha 1" "patient --k-spread 2" "xstar --k-spread 2"; do
    # shellcheck disable=SC2086  # an engine with its options
    run cloak city.scm queries.jsonl --engine $engine --record run.jsonl --json
    succeeds "$engine: the stream is cloaked and recorded"
    equal "$engine: the record has every query" "$(grep -c '"event":"query"' run.jsonl)" "$count"
    equal "$engine: and an end for each of them" \
        "$(jq -r 'if .event == "cloak" then .members[].query elif .event == "drop" then .query else empty end' run.jsonl | sort -u | wc -l)" \
        "$count"
    run verify city.scm run.jsonl
    check "$engine: the record keeps every promise" test "$status" = 0
done
equal "a spread of k is recorded" "$(jq 'select(.event == "end").engine.k_spread' run.jsonl)" 2

runs=0
for seed in 1 1 2; do
    "$STARCLOAK" cloak city.scm queries.jsonl --engine hybrid --seed "$seed" --record "run.$((++runs)).jsonl" --quiet
done
check "the same seed gives the same record, byte for byte" cmp -s run.1.jsonl run.2.jsonl
check "another seed gives another" test -n "$(cmp run.1.jsonl run.3.jsonl 2>&1)"
run cloak city.scm queries.jsonl --engine hybrid --paranoid --record run.4.jsonl --quiet
succeeds "a paranoid engine says nothing if all is well"
check "and cloaks just the same" cmp -s run.1.jsonl run.4.jsonl
run cloak city.scm queries.jsonl --prune-threads 2 --json
equal "threads that prune change no count" "$(jq -c '[.cloaked, .drops, .wait_s]' "$out")" \
    "$(jq -c '[.cloaked, .drops, .wait_s]' report.json)"
run cloak city.scm queries.jsonl --secure --json
check "a secure run succeeds" true_of "$out" '.secure and .cloaked > 0'
check "and has no seed" true_of "$out" '.seed == null'
run cloak city.scm queries.jsonl --secure
check "nor has its report for people" says "$out" "basic, cap 64, secure"

"$STARCLOAK" cloak city.scm queries.jsonl --record run.5.jsonl --quiet
grep '"event":"query"' run.5.jsonl >again.jsonl
run cloak city.scm again.jsonl --json
equal "the queries of a record are a stream" "$(jq .queries "$out")" "$count"

run cloak city.scm queries.jsonl --record - --json
check "a record on standard output is alone there" all_true "$out" 'map(.event) | index("query") == 0'
check "and the report goes to standard error" true_of "$err" .success_rate

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "'$STARCLOAK' cloak city.scm queries.jsonl --record -" /dev/null >screen 2>&1 </dev/null
    check "a record is not written to a terminal" says screen "not written to a terminal"
else
    skip "a record is not written to a terminal" "no 'script' to make a terminal with"
fi

run cloak city.scm queries.jsonl --quiet
succeeds "--quiet ends well"
equal "and prints nothing" "$(cat "$out")" ""

# --- A density that rests on few counts ----------------------------------------

"$STARCLOAK" density city.scm -o thick.csv --quiet
run density city.scm --users 100 --seconds 20 --step 20 -o thin.csv
sed -n 's/^starcloak density: //p' "$err" >warning
check "a table of few counts is warned of where it is made" says warning "fewer than 5 counts per road"
run cloak city.scm queries.jsonl --engine patient --density thin.csv --json
equal "and used all the same" "$status" 0
equal "with the same warning" "$(sed -n 's/^starcloak cloak: //p' "$err")" "$(cat warning)"
run cloak city.scm queries.jsonl --engine patient --density thin.csv --json --quiet
succeeds "which --quiet leaves out"
run cloak city.scm queries.jsonl --engine patient --density thick.csv --json
succeeds "of more counts nothing is said"

# --- What is not admitted --------------------------------------------------------

read -r lon lat < <(jq -r '[.lon, .lat] | join(" ")' queries.jsonl | head -n 1)
{
    asks ada 5 "$lon" "$lat" 1
    asks bob 4 "$lon" "$lat" 1
    asks cyd 5 0.125 0.25 1
    asks dan 5 "$lon" "$lat" 0
    asks eve 6 "$lon" "$lat" 1
    asks eve 6 "$lon" "$lat" 1
    asks fay 5.5 "$lon" "$lat" 1
    asks gus 5.5 "$lon" "$lat" 1
} >odd.jsonl
run cloak city.scm odd.jsonl --json
equal "queries that are not admitted do not fail the run" "$status" 0
equal "but are counted by reason" "$(jq -c '[.queries, .refused.time, .refused.too_far, .refused.profile, .refused.duplicate]' "$out")" \
    "[2,3,1,1,1]"
check "the first of them are told with their lines" says "$err" odd.jsonl:2: odd.jsonl:3: odd.jsonl:4: \
    odd.jsonl:6: odd.jsonl:7:
check "the rest are only counted" silent_about "$err" odd.jsonl:8:
check "in one line with all reasons" says "$err" "not admitted: 6" "time 3" "too_far 1" "profile 1" "duplicate 1"
check "no message repeats a user or a position" silent_about "$err" ada bob cyd dan eve 0.125 "$lon"
run cloak city.scm odd.jsonl --max-snap-m 1e8 --json
equal "how far from a road is too far can be said" "$(jq .refused.too_far "$out")" 0

{
    asks ada 5 "$lon" "$lat" 1
    echo '{"user":"bob","t":"soon"}'
} >broken.jsonl
before=$(left_behind .)
run cloak city.scm broken.jsonl --record new.jsonl
refuses 1 "a line that is not a query ends the run" broken.jsonl:2
run cloak city.scm missing.jsonl --record new.jsonl
refuses 1 "so does a stream that is not there" missing.jsonl
run cloak missing.scm queries.jsonl
refuses 1 "so does a map that is not there" missing.scm
run cloak city.scm queries.jsonl --record nowhere/new.jsonl
refuses 1 "so does a record that cannot be written" nowhere/new.jsonl
equal "a run that failed leaves nothing behind" "$(left_behind .)" "$before"
: >empty.jsonl
run cloak city.scm empty.jsonl --json
equal "an empty stream is no mistake" "$status" 0
equal "and has no queries and no rate" "$(jq -c '[.queries, .success_rate]' "$out")" "[0,0]"
equal "but is told" "$(cat "$err")" "starcloak cloak: note: there is no query in empty.jsonl"
run cloak city.scm empty.jsonl --json --quiet
succeeds "except quietly"

# --- One file for another -----------------------------------------------------------

# mistaken SENTENCE TEXT ARG...: told with the text; no user and no position is.
mistaken() {
    local sentence=$1 text=$2
    shift 2
    run cloak "$@"
    refuses 1 "$sentence" "$text"
    check "nothing of what is in it is repeated ($*)" silent_about "$err" '"u' "$lon" "$lat" '{"'
}
mistaken "a record is no stream" "this is an event of a run record, not a query; 'starcloak verify'" \
    city.scm run.5.jsonl
mistaken "a map is no stream" "city.scm: seems to be a map, not a stream of queries; 'starcloak queries'" \
    city.scm city.scm
mistaken "a stream is no map" "queries.jsonl: seems to be a stream of queries, not a map" queries.jsonl empty.jsonl
mistaken "a record is no map" "run.5.jsonl: seems to be the record of a run, not a map" run.5.jsonl queries.jsonl
mistaken "the map comes first" "queries.jsonl: is not a map, but city.scm is; the map comes first" \
    queries.jsonl city.scm
echo '{"type":"FeatureCollection","features":[{"type":"Feature"}]}' >roads.geojson
mistaken "GeoJSON is no map" "roads.geojson: seems to be GeoJSON, not a map" roads.geojson queries.jsonl
mistaken "and no stream" "roads.geojson: seems to be GeoJSON, not a stream" city.scm roads.geojson
mistaken "a report is no stream" "report.json: seems to be a report, not a stream" city.scm report.json
gzip -k city.scm
mistaken "a packed map is to be unpacked" "city.scm.gz: is compressed" city.scm.gz queries.jsonl
head -c 5000 city.scm >cut.scm
mistaken "a damaged map is a map all the same" "cut.scm: damaged map" cut.scm city.scm

# --- Usage ------------------------------------------------------------------------

# misuse SENTENCE TEXT ARG...: refused with the text.
misuse() {
    local sentence=$1 text=$2
    shift 2
    run cloak "$@"
    refuses 2 "$sentence" "$text" Try
}
misuse "a map is needed" "no map given"
misuse "queries are needed" "no queries given" city.scm
misuse "an argument too many is refused" "'more'" city.scm queries.jsonl more
misuse "a record must not replace the queries" "also an input" city.scm queries.jsonl --record ./queries.jsonl
misuse "nor the map" "also an input" city.scm queries.jsonl --record city.scm
misuse "an unknown engine is met with the nearest" "did you mean 'hybrid'" city.scm queries.jsonl --engine hybird
misuse "strict is nothing for basic" "--strict is for --engine bounded, hybrid or patient, but the engine is basic" \
    city.scm queries.jsonl --strict
misuse "nor is lambda" "--lambda is for --engine bounded or hybrid, but the engine is basic" \
    city.scm queries.jsonl --lambda 2
misuse "nor is a spread of k for sampling" "--k-spread is for --engine basic, bounded, hybrid, patient or xstar, but the engine is sampling" \
    city.scm queries.jsonl --engine sampling --k-spread 2
misuse "alpha is nothing for bounded" "--alpha is for --engine hybrid or patient, but the engine is bounded" \
    city.scm queries.jsonl --alpha 2 --engine bounded
misuse "a crowd is for patient alone" "--crowd is for --engine patient, but the engine is hybrid" \
    city.scm queries.jsonl --crowd 2 --engine hybrid
misuse "a crowd has bounds" "--crowd" city.scm queries.jsonl --crowd 1001 --engine patient
misuse "a secure run has no seed" "--seed" city.scm queries.jsonl --secure --seed 1
misuse "a map does not come from standard input" "standard input" - queries.jsonl
misuse "an empty name is no stream" "the name of the stream is empty" city.scm ""
misuse "nor a record" "--record: the name of the file is empty" city.scm queries.jsonl --record ""
misuse "costs must make sense together" "segment" city.scm queries.jsonl \
    --cost-segment 0 --cost-border-node 0 --cost-object 0
while read -r option value; do
    misuse "--$option $value is refused" "--$option" city.scm queries.jsonl "--$option" "$value"
done <<'END'
engine fast
cost-segment 1e13
k-spread -1
k-spread 1001
k-spread 2.5
lambda 0
lambda 1.5
alpha -1
alpha soon
cap 0
seed -1
prune-threads 257
max-snap-m -1
cost-segment -1
cost-border-node x
cost-object nan
cost-balance 1.5
END

finish
