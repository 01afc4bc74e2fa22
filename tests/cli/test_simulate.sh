#!/usr/bin/env bash
# `starcloak simulate`: travellers ask, wait and ask again, in virtual time.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 1000 --seed 3 -o city.scm --quiet
few=(--users 1k --seconds 30)

run simulate city.scm "${few[@]}"
succeeds "travellers are simulated"
check "the report says who asked, and how they were served" says "$out" \
    "1,000 travellers for 30 s on city.scm" "basic, cap 64, seed 1" admitted "Wait, s" "border nodes"

run simulate city.scm "${few[@]}" --json
succeeds "the report comes as JSON"
cp "$out" report.json
holds() { check "$1" true_of report.json "$2"; }
holds "it is one object with the users and the seconds" '.users == 1000 and .seconds == 30'
holds "every query was cloaked or dropped" '.cloaked + (.drops | add) == .queries'
# Each asks within the first 20 s, and once more within the 30 s only if it was the first third.
holds "each traveller asked, and some asked again" '.queries > 1000 and .queries < 2000'
holds "time went on until the last outcome" '.virtual_s > 20 and .virtual_s < 60'

for engine in basic bounded "bounded --strict" hybrid patient xstar sampling expansion; do
    # shellcheck disable=SC2086  # an engine with its options
    run simulate city.scm "${few[@]}" --engine $engine --record run.jsonl --json
    succeeds "$engine: a run is recorded"
    equal "$engine: the record has as many queries as the report" \
        "$(grep -c '"event":"query"' run.jsonl)" "$(jq .queries "$out")"
    equal "$engine: and as many cloaks" "$(grep -c '"event":"cloak"' run.jsonl)" "$(jq .cloak.count "$out")"
    equal "$engine: and an answer for everyone who was cloaked" \
        "$(grep -c '"event":"answer"' run.jsonl)" "$(jq .cloaked "$out")"
    run verify city.scm run.jsonl
    check "$engine: the record keeps every promise" test "$status" = 0
done

for engine in sampling expansion; do
    run simulate city.scm "${few[@]}" --engine $engine --record run.jsonl --quiet
    jq -e -s 'map(select(.event == "cloak")) | all(.stars == [] and (.members | all(has("star") | not)))' \
        run.jsonl >/dev/null
    equal "$engine: cloaks name no stars, nor do their members" $? 0
done

# --- A density that rests on few counts ---

run density city.scm --users 100 --seconds 20 --step 20 -o thin.csv
sed -n 's/^starcloak density: //p' "$err" >warning
run simulate city.scm "${few[@]}" --engine patient --density thin.csv --json
equal "a density of few counts is used" "$status" 0
equal "and warned of as where it was made" "$(sed -n 's/^starcloak simulate: //p' "$err")" "$(cat warning)"
check "with what it means" says warning "fewer than 5 counts per road" "'traffic' protects little"
run simulate city.scm "${few[@]}" --engine patient --density thin.csv --json --quiet
succeeds "--quiet leaves that out"

# --- How they move, what they look for ---

run simulate city.scm "${few[@]}" --movement walk --json
check "travellers may turn at random" true_of "$out" '.queries > 1000'
run simulate city.scm "${few[@]}" --trucks 1 --json
check "all may be trucks" true_of "$out" '.queries > 1000'
run simulate city.scm "${few[@]}" --record - --quiet
cp "$out" piped.jsonl
check "a record for a pipe has answers too" says piped.jsonl '"event":"answer"' '"event":"end"'
check "and leaves nothing behind" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'starcloak-??????' -newer piped.jsonl)"
categories() { jq -r 'select(.event == "query") | .request.category' "$1" | sort -u; }
run simulate city.scm "${few[@]}" --no-answers --record run.jsonl --quiet
check "answers can be left out" silent_about run.jsonl '"event":"answer"'
check "questions are for one category each" test "$(categories piped.jsonl | wc -l)" -gt 3
run simulate city.scm "${few[@]}" --category any --record run.jsonl --quiet
equal "or for any" "$(categories run.jsonl)" null
one=$(categories piped.jsonl | head -n 1)
run simulate city.scm "${few[@]}" --category "$one" --record run.jsonl --quiet
equal "or always for one" "$(categories run.jsonl)" "$one"
run simulate city.scm "${few[@]}" --category castle
refuses 1 "a category that the map has not is told" "the map has no category 'castle'"
run map import "$data"/town.cedge "$data"/town.cnode -o bare.scm --quiet
run simulate bare.scm --users 50 --seconds 30 --record run.jsonl
check "a map without objects gets no answers, and that is said" says "$err" "the map has no objects"
run simulate bare.scm --users 50 --seconds 30 --record run.jsonl --json --quiet
equal "to programs too" "$(jq .answers "$out")" null
check "and its record has none" silent_about run.jsonl '"event":"answer"'

runs=0
for seed in 7 7 8; do
    "$STARCLOAK" simulate city.scm "${few[@]}" --engine hybrid --seed "$seed" \
        --record "run.$((++runs)).jsonl" --quiet
done
check "the same seed gives the same run, byte for byte" cmp -s run.1.jsonl run.2.jsonl
check "another seed gives another" test -n "$(cmp run.1.jsonl run.3.jsonl 2>&1)"
run simulate city.scm "${few[@]}" --prune-threads 3 --json
equal "threads that prune change no count" "$(jq -c '[.queries, .cloaked, .drops, .wait_s]' "$out")" \
    "$(jq -c '[.queries, .cloaked, .drops, .wait_s]' report.json)"

run simulate city.scm "${few[@]}" --k 1 --json
equal "who wants no company is always cloaked, but where l is out of reach" \
    "$(jq '.drops.expired' "$out")" 0
run simulate city.scm --seconds 0 --json
equal "no time is an empty run" "$(jq .queries "$out")" 0
check "which is told" says "$err" "starcloak simulate: note: there was no query within 0 s"
run simulate city.scm "${few[@]}" --secure --seed 3 --json
check "a secure run succeeds, with travellers of a seed but without one of its own" \
    true_of "$out" '.secure and .seed == null and .queries > 1000'
run simulate city.scm "${few[@]}" --lambda 2 --alpha 3.5 --cap 16 --engine hybrid --json
equal "parameters are taken" "$(jq -c '.engine | [.name, .lambda, .alpha_s, .cap]' "$out")" '["hybrid",2,3.5,16]'
run simulate city.scm "${few[@]}" --cost-segment 2 --cost-balance 0.25 --json
equal "so are costs" "$(jq -c '[.cost.segment, .cost.balance]' "$out")" '[2,0.25]'

misuse() {
    local sentence=$1 text=$2
    shift 2
    run simulate "$@"
    refuses 2 "$sentence" "$text" Try
}
misuse "a map is needed" "no map given"
misuse "an argument too many is refused" "'more'" city.scm more
misuse "no travellers at all are refused" "--users" city.scm --users 0
misuse "time before zero is refused" "--seconds" city.scm --seconds -1
misuse "a need that is no number is refused" "--k" city.scm --k many
misuse "more company than is admitted is refused" "--k: travellers ask for up to 5,000, but at most 1,000" \
    city.scm --k 5000
misuse "so is more with deviations" "--k: travellers ask for up to 1,300" city.scm --k 900:100
misuse "so are more segments" "at most 10,000" city.scm --l 20000
misuse "so are more hops" "at most 16 hops" city.scm --sigma-s 17
misuse "so is a longer wait" "at most 3,600 s" city.scm --sigma-t 4000
misuse "a range is told in digits" "--k: '1e7' is not in the range 1 to 1,000,000" city.scm --k 1e7
misuse "a deviation is needed behind a colon" "'5:' is neither MEAN nor MEAN:DEV" city.scm --k 5:
misuse "lambda is nothing for basic" "--lambda is for --engine" city.scm --lambda 2
misuse "alpha is nothing for basic" "--alpha is for --engine hybrid or patient" city.scm --alpha 2
misuse "a cap is nothing for xstar" "--cap is for --engine" city.scm --engine xstar --cap 9
misuse "lambda is nothing for sampling" "--lambda is for --engine" city.scm --engine sampling --lambda 2
misuse "an engine that there is not is told, with those there are" "expansion" city.scm --engine star
misuse "trucks are for trips" "--trucks is for" city.scm --movement walk --trucks 0.5
misuse "a share is no more than all" "--trucks" city.scm --trucks 1.5
misuse "folding is about traces" "--trace-fold is about traces" city.scm --trace-fold 60
misuse "a record must not replace the map" "also an input" city.scm --record ./city.scm
run simulate missing.scm
refuses 1 "a map that is not there is told" missing.scm
run simulate run.1.jsonl
refuses 1 "a record is no map" "run.1.jsonl: seems to be the record of a run, not a map"

finish
