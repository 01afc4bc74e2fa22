#!/usr/bin/env bash
# Exact answers on real maps, compared with those of others: queries from random places are cloaked
# and answered by distance and by time, and pgRouting, and a plain search in Python, find the same
# objects over the exported roads (road_answers.py). pgRouting is left out where it is not installed.
#
# scripts/check_answers runs it large:
#   STARCLOAK_ANSWERS   how many answers, per map and metric (default 50)
#   STARCLOAK_MAPS      of monaco, baltimore, andorra, rhine-neckar (default: the first two)
# program: release
# shellcheck source-path=SCRIPTDIR disable=SC2317  # check calls functions by their names
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

answers=${STARCLOAK_ANSWERS:-50}
read -ra maps <<<"${STARCLOAK_MAPS:-monaco baltimore}"
road_answers() { python3 "$repository"/tests/cli/road_answers.py "$@"; }

# compared FILE: it has as many answers as were asked for, in each metric, and none that differs.
compared() {
    local by_distance by_time
    by_distance=$(sed -nE 's/^([0-9]+) by distance, [0-9]+ by time; [1-9][0-9]* from one-way roads; 0 differ.*/\1/p' "$1")
    by_time=$(sed -nE 's/.*, ([0-9]+) by time;.*/\1/p' "$1")
    cp "$1" "$out"
    [[ -n $by_distance && $by_distance -ge $answers && $by_time -ge $answers ]]
}

# prepare MAP: MAP.scm with its index, its tables in the folder MAP, and a record for each metric.
prepare() {
    local map=$1 metric options=()
    local source=$STARCLOAK_DATA/osm/$map.osm.pbf
    if [[ $map == rhine-neckar ]]; then
        # It has hardly an object of its own.
        source=$STARCLOAK_DATA/osm/rnv.osm.pbf
        [[ ! -r $source ]] || run map import "$source" -o bare.scm -q
        [[ ! -r $source ]] || run map export bare.scm bare -q
        [[ ! -r $source ]] || road_answers objects bare 1 3000 >objects.csv
        options=(--objects objects.csv)
    fi
    [[ -r $source ]] || return 1
    run map import "$source" "${options[@]}" -o "$map".scm -q
    run map index "$map".scm -q
    run map export "$map".scm "$map" -q
    for metric in distance time; do
        # More than needed: some find no others to hide among.
        road_answers queries "$map" 7 $((answers * 3 / 2)) "$metric" >queries.jsonl
        run cloak "$map".scm queries.jsonl --record "$map-$metric".jsonl -q
        run evaluate "$map".scm "$map-$metric".jsonl -q
        run evaluate "$map".scm "$map-$metric".jsonl -q --without-index -o "$map-$metric".searched
    done
}

ready=()
for map in "${maps[@]}"; do
    if ! prepare "$map"; then
        skip "$map: answers are those of a plain search" "no $map in the folder of real maps"
        continue
    fi
    ready+=("$map")
    road_answers slow "$map" "$map"-distance.jsonl "$map"-time.jsonl >"$map".slow 2>&1
    check "$map: answers are those of a plain search" compared "$map".slow
    for metric in distance time; do
        check "$map: searched for by $metric, they are the same" cmp -s "$map-$metric".jsonl "$map-$metric".searched
        run verify "$map".scm "$map-$metric".jsonl --answers $((answers * 2))
        succeeds "$map: the verifier has nothing to say of those by $metric"
    done
done

if [[ ${#ready[@]} == 0 ]]; then
    skip "pgRouting finds the same" "no real maps"
    finish
fi
# One answer that is wrong by two millimetres.
map=${ready[0]}
awk '!done && sub(/"distance_m":[0-9.]+/, sprintf("\"distance_m\":%.6f", substr($0, match($0, /"distance_m":/) + 13) + 0.002)) {
    done = 1 } {print}' "$map"-distance.jsonl >spoilt.jsonl
road_answers slow "$map" spoilt.jsonl >"$out" 2>&1
equal "a wrong answer is noticed" "$? $(grep -oE '[0-9]+ differ' "$out")" "1 1 differ"

if ! compgen -G '/usr/share/postgresql/*/extension/pgrouting.control' >/dev/null; then
    skip "pgRouting finds the same" "pgRouting is not installed; scripts/setup test installs it"
    finish
fi
cat >ask.sh <<'END'
for map; do
    python3 "$ROAD_ANSWERS" pgrouting "$map" "$map"-distance.jsonl "$map"-time.jsonl >"$map".pgrouting 2>&1
done
python3 "$ROAD_ANSWERS" pgrouting "$1" spoilt.jsonl >spoilt.pgrouting 2>&1
END
ROAD_ANSWERS=$repository/tests/cli/road_answers.py "$repository"/tests/support/with_postgres bash ask.sh "${ready[@]}" >"$out" 2>"$err"
if [[ $? == 77 ]]; then
    skip "pgRouting finds the same" "$(head -n 1 "$err")"
    finish
fi
for map in "${ready[@]}"; do
    check "$map: pgRouting finds the same" compared "$map".pgrouting
done
equal "to pgRouting a wrong answer is one, too" "$(grep -oE '[0-9]+ differ' spoilt.pgrouting)" "1 differ"
finish
