#!/usr/bin/env bash
# `starcloak queries`: travellers on the roads, as a stream that can be repeated and read.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 500 -o city.scm --quiet || echo "# no map to work with"
cp city.scm older.scm

# --- What comes out -----------------------------------------------------------
run queries city.scm --users 200 --seconds 60 --seed 1 -o a.jsonl
succeeds "a stream is made"
lines=$(wc -l <a.jsonl)
check "and its length is told" says "$out" "a.jsonl: $lines queries of 200 travellers within 60 s"
# Each asks every 20 s or so, from some moment of the first 20 s on.
check "each traveller asks three times a minute or so" test "$lines" -gt 560 -a "$lines" -lt 640

number='-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?'
whole='[0-9]+'
pattern="^\\{\"user\":\"u$whole\",\"t\":$whole\\.[0-9]{6},\"lon\":$number,\"lat\":$number,"
pattern+="\"profile\":\\{\"k\":$whole,\"l\":$whole,\"sigma_s\":$whole,\"sigma_t\":$whole\\.[0-9]{6}\\},"
pattern+="\"request\":\\{\"type\":\"knn\",\"k\":$whole,\"category\":\"[a-z_]+\"\\}\\}\$"
equal "every line has every field" "$(grep -cE "$pattern" a.jsonl)" "$lines"

grep -oE '"t":[0-9.]+' a.jsonl | cut -d: -f2 >moments.txt
check "the lines are in the order of time" sort -n -c moments.txt
# shellcheck disable=SC2016  # awk's own
check "all before the end" awk '$1 >= 60 { exit 1 }' moments.txt
equal "every user is one of the 200" "$(grep -oE '"user":"u[0-9]+"' a.jsonl | sort -u | wc -l)" 200

# --- The same again -----------------------------------------------------------
run queries city.scm --users 200 --seconds 60 --seed 1 -o b.jsonl --quiet
succeeds "a stream is made quietly"
check "without a word" test ! -s "$out"
check "the same seed gives the same stream, bit for bit" cmp -s a.jsonl b.jsonl
run queries city.scm -n 200 --seconds 60 -o b.jsonl --quiet
check "1 is the seed where none is given" cmp -s a.jsonl b.jsonl
run queries city.scm --users 200 --seed 2 --seconds 60 -o b.jsonl --quiet
check "another seed gives another stream" test "$(cmp -s a.jsonl b.jsonl && echo same)" = ""
run queries city.scm --users 200 --seconds 60 --seed 1 -o -
check "standard output gets the stream alone" cmp -s a.jsonl "$out"
check "and standard error how long it is" says "$err" "$lines queries"
run queries city.scm --users 2k --seconds 0 -o none.jsonl
succeeds "no time is no mistake"
check "and gives no queries" test -f none.jsonl -a ! -s none.jsonl

# --- Other travellers ---------------------------------------------------------
run queries city.scm --users 50 --k 7 --l 2:0 --sigma-s 3 --sigma-t 2.5 --nearest 4 --pause 10 --category any -o c.jsonl
succeeds "travellers may be all alike"
equal "in what they want" "$(grep -oE '"profile".*' c.jsonl | sort -u)" \
    '"profile":{"k":7,"l":2,"sigma_s":3,"sigma_t":2.500000},"request":{"type":"knn","k":4,"category":null}}'
# Each asks once in the first ten seconds and then every ten.
equal "and in how often they ask" "$(wc -l <c.jsonl)" 300
run queries city.scm --users 500 --k 20:3 --sigma-t 1:5 -o d.jsonl --quiet
# shellcheck disable=SC2016
check "needs stay within four deviations, and above their least" awk -F'[:,]' '
    { for (i = 1; i < NF; i++) {
          if ($i ~ /"k"/ && !seen[NR]++ && ($(i+1) < 8 || $(i+1) > 32)) exit 1
          if ($i ~ /"sigma_t"/ && ($(i+1) + 0 < 0.1 || $(i+1) + 0 > 21)) exit 1 } }' d.jsonl

run queries city.scm --users 5 --k 5000 -o f.jsonl
equal "needs beyond what is admitted are written" "$status" 0
check "and told" says "$err" "note: --k: travellers ask for up to 5,000, but at most 1,000 is admitted by 'starcloak cloak'"
run queries city.scm --users 5 --k 5000 -o f.jsonl --quiet
succeeds "except quietly"

cp "$data"/square.gr .
"$STARCLOAK" map import square.gr -o bare.scm --quiet || echo "# no bare map to work with"
run queries bare.scm --users 20 --seconds 30 -o e.jsonl
succeeds "a map without coordinates will do"
check "each has asked by then" test "$(wc -l <e.jsonl)" -ge 20
equal "and questions then name edge and offset" \
    "$(grep -cE '"t":[0-9.]+,"edge":[0-9]+,"offset_m":[0-9.]+,"profile"' e.jsonl)" "$(wc -l <e.jsonl)"

# --- What is refused ----------------------------------------------------------
before=$(left_behind .)
# misuse SENTENCE TEXT... -- ARG...: running with ARG... must be refused with the texts.
misuse() {
    local sentence=$1 texts=()
    shift
    while [[ $1 != -- ]]; do
        texts+=("$1")
        shift
    done
    shift
    run queries "$@"
    refuses 2 "$sentence" "starcloak queries:" "Try" "--help" "${texts[@]}"
}
misuse "no map is refused" "no map given" -- -o x.jsonl
misuse "two maps are refused" "'b.scm'" -- city.scm b.scm -o x.jsonl
misuse "an empty name is no output" "-o: the name of the file is empty" -- city.scm -o ""
misuse "no output is refused" "no output given" "-o QUERIES.jsonl" -- city.scm
misuse "the map is no output" "'./city.scm'" "also the map" -- city.scm -o ./city.scm
for value in 0 -1 1.5 x 101M ""; do
    misuse "--users '$value' is refused" "--users" "'$value'" -- city.scm -o x.jsonl --users "$value"
done
for value in -1 x nan 2e6; do
    misuse "--seconds '$value' is refused" "--seconds" "'$value'" -- city.scm -o x.jsonl --seconds="$value"
done
misuse "--seed x is refused" "--seed" "'x'" -- city.scm -o x.jsonl --seed x
for option in --k --l --nearest --pause; do
    misuse "$option below 1 is refused" "$option" "'0.9'" -- city.scm -o x.jsonl $option 0.9
done
misuse "--sigma-s below 0 is refused" "--sigma-s" "'-1'" -- city.scm -o x.jsonl --sigma-s=-1
misuse "--sigma-t below 0.1 is refused" "--sigma-t" "'0'" -- city.scm -o x.jsonl --sigma-t 0
for value in 5: :1 5:x 5:-1 5:1:1 5,1 x 2e6 5:2e6; do
    misuse "--k '$value' is refused" "--k:" -- city.scm -o x.jsonl --k "$value"
done
equal "bad usage reads and writes nothing" "$(left_behind .)" "$before"

run queries absent.scm -o x.jsonl
refuses 1 "a map that is not there is told" "absent.scm"
run queries a.jsonl -o x.jsonl
refuses 1 "a file that is no map is told" "a.jsonl: seems to be a stream of queries, not a map"
run queries city.scm -o no/such/x.jsonl
refuses 1 "an output that cannot be is told" "no/such/x.jsonl"
cp a.jsonl old.jsonl
command_line="ulimit -f 64; starcloak queries city.scm --users 1k -o old.jsonl"
(ulimit -f 64 && "$STARCLOAK" queries city.scm --users 1k -o old.jsonl >"$out" 2>"$err" </dev/null)
status=$?
refuses 1 "a full disk is told" "old.jsonl" "cannot write"
check "and leaves the older stream" cmp -s a.jsonl old.jsonl
rm old.jsonl
equal "what fails leaves nothing behind" "$(left_behind .)" "$before"
check "the map is as it was" cmp -s city.scm older.scm

if [[ -w /dev/full ]]; then
    command_line="starcloak queries city.scm --users 1k -o - >/dev/full"
    "$STARCLOAK" queries city.scm --users 1k -o - >/dev/full 2>"$err" </dev/null
    status=$?
    : >"$out"
    refuses 1 "a full disk behind standard output is told" "standard output"
else
    skip "a full disk behind standard output is told" "no /dev/full"
fi

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "'$STARCLOAK' queries city.scm -o -" /dev/null >screen 2>&1 </dev/null
    check "a stream is not written to a terminal" says screen "not written to a terminal"
    rm screen
else
    skip "a stream is not written to a terminal" "no 'script' to make a terminal with"
fi
finish
