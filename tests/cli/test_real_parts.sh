#!/usr/bin/env bash
# What a partition costs, on real maps: ten thousand travellers on Northwest Atlanta, and real cabs in San Francisco. With 16
# parts and company, success is within half a point of one engine's, and knowing the partition rules out no segment.
# Everything is virtual, so the figures are the same on every machine (bench/cluster/bench_parts.c).
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

bench=$repository/build/bench/bench_parts
sentences=("%s: 16 parts answer within half a point of one engine" "%s: no cloak tells on which side of a border its members are"
    "%s: engines by themselves would tell" "%s: one engine in a cluster answers as a simulation does")

# figure NAME PARTS COLUMN: of the row of that name and number of parts.
figure() {
    awk -v name="$1" -v parts="$2" -v column="$3" '
        { line = $0; sub(/^ */, "", line) }
        index(line, name) == 1 { rest = substr(line, length(name) + 1); split(rest, f, " "); if (f[1] == parts) print f[column] }' "$out" | head -n 1
}

try() {  # NAME TRACES
    local name=$1 one company
    command_line="bench_parts 150 10000 $name"
    "$bench" 150 10000 "$name.scm" "$2" >"$out" 2>"$err"
    status=$?
    one=$(figure "one engine" 1 3)
    company=$(figure company 16 3)
    # shellcheck disable=SC2059
    check "$(printf "${sentences[0]}" "$name") ($one, $company)" awk -v a="$one" -v b="$company" 'BEGIN { exit !(a > 50 && b > 50 && a - b < 0.5) }'
    # shellcheck disable=SC2059
    equal "$(printf "${sentences[1]}" "$name")" "$(figure company 16 5)" 0.00
    # shellcheck disable=SC2059
    check "$(printf "${sentences[2]}" "$name")" awk -v r="$(figure isolated 16 5)" 'BEGIN { exit !(r > 5) }'
    # shellcheck disable=SC2059
    check "$(printf "${sentences[3]}" "$name")" awk -v a="$one" -v s="$(sed -nE 's/.*one engine: ([0-9.]+) % cloaked/\1/p' "$out")" \
        'BEGIN { d = a - s; exit !(s > 50 && d < 0.5 && d > -0.5) }'
}

# No sanitizer: it takes a hundred times the steps of a test.
if [[ ! -x $bench ]]; then
    fail "the benchmark is built" "$bench is not there"
elif [[ ! -d $STARCLOAK_DATA/northwest-atlanta || ! -d $STARCLOAK_DATA/sf-cabs ]]; then
    for name in northwest-atlanta san-francisco; do
        for sentence in "${sentences[@]}"; do
            # shellcheck disable=SC2059
            skip "$(printf "$sentence" "$name")" "no real maps"
        done
    done
else
    "$STARCLOAK" map import --quiet "$STARCLOAK_DATA"/northwest-atlanta/*.svg* -o northwest-atlanta.scm
    "$STARCLOAK" map import --quiet "$STARCLOAK_DATA"/san-francisco-tiger/*.shp* -o san-francisco.scm
    mkdir cabs
    tar -xJf "$STARCLOAK_DATA"/sf-cabs/*.tar.xz -C cabs --strip-components=1
    try northwest-atlanta -
    try san-francisco cabs
fi
finish
