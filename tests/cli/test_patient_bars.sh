#!/usr/bin/env bash
# How many the patient engine serves on real maps, and how long they wait: with nothing demanded, where it is hard, strict,
# and with traffic 2; and how many each engine serves while others flood it with a k that cannot be had. A seed gives the same cloaks everywhere, so that these are no matter of chance or of the machine.
# program: release
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# serves NAME SUCCESS WAIT OPTION...: of the stream, at least that share of the queries, in that time on average; verified.
serves() {
    local name=$1 success=$2 wait=$3
    shift 3
    run cloak map.scm stream.jsonl --engine patient --seed 7 "$@" --record run.jsonl --json --quiet
    check "$name: at least $success of the queries are cloaked, after at most $wait s on average" \
        true_of "$out" ".success_rate >= $success and .wait_s.mean <= $wait"
    jq -r '"# \(.success_rate), \(.wait_s.mean) s"' "$out"
    run verify map.scm run.jsonl ${density[@]+"${density[@]}"}
    check "$name: every promise is kept" test "$status" = 0
}

# served STREAM ENGINE: how many per mille of the queries of users whose names begin with u are cloaked, with the service's
# k-spread, as `mille`.
served() {
    run cloak map.scm "$1" --engine "$2" --k-spread 2 --seed 7 --record run.jsonl --quiet
    jq -r 'select(.event == "query" and (.user | startswith("u"))) | .query' run.jsonl | sort >honest
    jq -r 'select(.event == "cloak") | .members[].query' run.jsonl | sort >cloaked
    mille=$((1000 * $(comm -12 honest cloaked | wc -l) / $(wc -l <honest)))
}

# A twentieth of all queries want a thousand users, within eight hops, and wait a minute for them.
withstands_flood() {
    run queries map.scm --seconds 60 --seed 9007 -o honest.jsonl --quiet
    run queries map.scm --seconds 60 --seed 9008 -n 500 --k 1000:0 --l 1:0 --sigma-s 8:0 --sigma-t 60:0 -o flood.jsonl --quiet
    sed 's/"user":"u/"user":"f/' flood.jsonl | cat honest.jsonl - | jq -sc 'sort_by(.t)[]' >both.jsonl
    for engine in patient basic bounded hybrid xstar; do
        served honest.jsonl "$engine"
        alone=$mille
        served both.jsonl "$engine"
        check "$1, $engine: a flood costs others at most a point of success" test "$alone" -ge 750 -a "$mille" -ge $((alone - 10))
        echo "# $alone per mille alone, $mille under a flood"
    done
}

# NAME | FILES | off: success, wait | strict: success | traffic 2, strict: success, wait
maps='
Northwest Atlanta|northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz|0.925 1.75|0.925|0.915 1.95
California|california/cal.cnode.xz california/cal.cedge.xz|0.990 0.85|0.988|0.983 0.85
'

while IFS='|' read -r name files off strict traffic; do
    [[ -n $name ]] || continue
    read -ra paths <<<"$files"
    paths=("${paths[@]/#/$STARCLOAK_DATA/}")
    if [[ ! -r ${paths[0]} ]]; then
        skip "$name: most queries are served" "no ${paths[0]##*/} in the folder of real maps"
        continue
    fi
    run map import "${paths[@]}" -o map.scm --quiet
    run queries map.scm --seconds 90 --seed 7 -o stream.jsonl --quiet
    succeeds "$name: 10,000 travellers ask for 90 s"
    density=()
    # shellcheck disable=SC2086  # two numbers
    serves "$name" $off
    serves "$name, strict" "$strict" 2.5 --strict
    run density map.scm --seed 101 -o density.csv --quiet
    density=(--density density.csv)
    # shellcheck disable=SC2086
    serves "$name, traffic 2" $traffic "${density[@]}"
    withstands_flood "$name"
    if [[ $name == Northwest* ]]; then
        run queries map.scm --seconds 90 --seed 7 --k 10:1.5 --sigma-s 3:1 --sigma-t 5:1 -o stream.jsonl --quiet
        succeeds "$name: travellers who are hard to serve"
        density=()
        serves "$name, where it is hard" 0.53 2.5
    fi
done <<<"$maps"

finish
