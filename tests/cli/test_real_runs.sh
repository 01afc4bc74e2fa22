#!/usr/bin/env bash
# Travellers on real maps: in every variant, every promise is kept. Ten thousand of them with
# the default profile, for a virtual minute, in which each asks twice or thrice.
# program: release
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

maps='
California|california/cal.cnode.xz california/cal.cedge.xz
San Francisco|san-francisco-tiger/tl_2017_06075_roads.shp.xz
Northwest Atlanta|northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz
Maine|us-tiger-dimacs/USA-road-d.ME.gr.xz us-tiger-dimacs/USA-road-d.ME.co.xz
Rhine-Neckar|osm/rnv.osm.pbf
'

while IFS='|' read -r name files; do
    [[ -n $name ]] || continue
    read -ra paths <<<"$files"
    paths=("${paths[@]/#/$STARCLOAK_DATA/}")
    if [[ ! -r ${paths[0]} ]]; then
        skip "$name: every promise is kept" "no ${paths[0]##*/} in the folder of real maps"
        continue
    fi
    run map import "${paths[@]}" -o map.scm --quiet
    # The last two take ten times as long, and make cloaks as well in less time.
    for engine in basic bounded "bounded --strict" hybrid patient xstar "sampling --seconds 15" "expansion --seconds 15"; do
        # shellcheck disable=SC2086  # an engine with its options
        run simulate map.scm --users 10k --seconds 60 --engine $engine --no-answers --record run.jsonl --json --quiet
        succeeds "$name, $engine: 10,000 travellers ask"
        check "$name, $engine: thousands of queries, cloaks among them" \
            true_of "$out" '.queries > 7000 and .cloak.count > 0'
        run verify map.scm run.jsonl
        check "$name, $engine: every promise is kept" test "$status" = 0
    done
done <<<"$maps"

finish
