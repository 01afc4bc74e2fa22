#!/usr/bin/env bash
# `starcloak experiment`: every figure from one command, repeatable, and resumed where it was.
# program: release
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 600 --seed 3 -o town.scm --quiet
"$STARCLOAK" map generate --nodes 900 --seed 4 -o village.scm --quiet
small=(--users 400 --seconds 10 --warm-up 15 --seeds 1 --grid k=3,5 --grid l=5 --grid sigma_s=4
    --grid sigma_t=10 --grid nearest=5 --grid injected=0)

run experiment --map town.scm "${small[@]}" -o one --json --quiet
succeeds "an experiment runs"
cp "$out" summary.json
check "it tells what it did" true_of summary.json '.points == 2 and .done_before == 0 and .figures > 10'
check "what a report needs is written down" true_of one/report.json \
    '(.figures | length) > 10 and .maps[0].name == "town" and (.methods | length) == 8 and (.paper_claims | length) == 8'
check "with the map, the methods and the claims in it" says one/report.json town XStar "random sampling" \
    "does not hold"
check "every figure is a CSV" test -s one/town-success-k.csv -a -s one/town-candidates-nearest.csv
check "tables have their means" says one/measures.csv "default,town,basic,success," "default,town,xstar,users,"
"$repository/tools/report.py" one --no-plots --quiet
check "a report can be made of it" says one/report.html town XStar "random sampling" "does not hold"
echo "<svg/>" >one/town-success-k.svg
equal "a figure has a row for each value and method" "$(($(wc -l <one/town-success-k.csv) - 1))" 16
equal "claims are listed" "$(head -n 1 one/claims.csv | cut -d, -f1)" claim

# --- Same seed, same figures ---

# steady FOLDER: all numbers that follow from the seed.
steady() {
    cat "$1"/*-success-*.csv "$1"/*-anonymization-*.csv "$1"/*-candidates-*.csv
    # Columns by name: those that are measured say so.
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i !~ /_measured$/) keep[i] = 1 }
        { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "," $i; print line }' "$1"/points.csv
}
run experiment --map town.scm "${small[@]}" -o two --jobs 1 --quiet
equal "another run with the same seed gives the same numbers, on any number of cores" \
    "$(steady two | cksum)" "$(steady one | cksum)"
run experiment --map town.scm "${small[@]}" -o three --seed 2 --quiet
check "another seed gives others" test "$(steady three | cksum)" != "$(steady one | cksum)"

# --- Options that no method uses ---

for unused in "--crowd basic" "--lambda basic,patient" "--alpha basic,bounded" "--k-spread sampling,expansion"; do
    read -r option methods <<<"$unused"
    run experiment --map town.scm "${small[@]}" --methods "$methods" "$option" 2 -o unused
    refuses 2 "$option is refused where no method uses it" "$option is for the methods"
done
check "before anything is done" test ! -e unused

# --- Baselines to the letter ---

run experiment --map town.scm "${small[@]}" --methods basic,sampling,expansion --baselines both -o letter --json --quiet
succeeds "both readings of the baselines run side by side"
check "the claims are counted in each" true_of "$out" '.claims.not_told < 8 and .claims_literal.not_told < 8'
check "they are methods of their own" true_of letter/report.json \
    '[.methods[].name] == ["basic", "sampling", "expansion", "sampling-literal", "expansion-literal"]'
equal "a query of theirs does not wait" "$(grep -c '^3,expansion-literal,0,' letter/town-anonymization-k.csv)" 1
equal "statements about them are judged twice" "$(grep -c '^2a,.*,"random sampling, literal",literal,' letter/claims.csv)" \
    "$(grep -c '^2a,.*,random sampling,shared,' letter/claims.csv)"
run experiment --map town.scm "${small[@]}" --methods basic,expansion --baselines literal -o letter-alone --quiet
check "or one of them alone" true_of letter-alone/report.json '[.methods[].name] == ["basic", "expansion-literal"]'
# Their cloaks keep no promise, so nothing that serves or cloaks has them.
for command in "serve town.scm" "cloak town.scm" "simulate town.scm" "attack town.scm"; do
    # shellcheck disable=SC2086  # two words
    run $command --engine expansion --baselines literal
    equal "$command does not have them" "$status" 2
    # shellcheck disable=SC2086
    run $command --engine expansion-literal
    equal "$command knows no engine of that name" "$status" 2
done

# --- Going on ---

run experiment --map town.scm "${small[@]}" -o one --json --quiet
check "a run that is done has nothing to do again" true_of "$out" '.points == 2 and .done_before == 2'
check "plots and report of before are gone: they show other numbers" test ! -e one/report.html -a ! -e one/town-success-k.svg
run experiment --map town.scm "${small[@]}" --grid k=3,5,7 -o one --json --quiet
check "another value is one more point" true_of "$out" '.points == 3 and .done_before == 2'
run experiment --map town.scm --map village.scm "${small[@]}" -o one --json --quiet
check "another map adds its own" true_of "$out" '.points == 4 and .done_before == 2'
first=$(find one/points -name 'town*k3*' | head -n 1)
head -c 50 "$first" >cut && cp cut "$first"
run experiment --map town.scm "${small[@]}" -o one --json --quiet
check "a point that is damaged is done again" true_of "$out" '.done_before == 1'
equal "to the same numbers" "$(steady two | cksum)" \
    "$(rm one/village*; run experiment --map town.scm "${small[@]}" -o one --quiet; steady one | cksum)"
run experiment --map town.scm "${small[@]}" --users 300 -o one
refuses 1 "what cannot be mixed is refused, and by what" travellers --fresh
run experiment --map town=village.scm "${small[@]}" -o one
refuses 1 "so is another map of the same name" town --fresh
run experiment --map town.scm "${small[@]}" --users 300 --fresh -o one --json --quiet
check "unless --fresh is given" true_of "$out" '.done_before == 0'

# Interrupted in the middle: what is done stays, and the same command goes on.
long=(--map town.scm --users 2k --seconds 20 --seeds 2 --grid "k=3,4,5,6" --figure success-k)
command_line="starcloak experiment ${long[*]}"
"$STARCLOAK" experiment "${long[@]}" -o stopped --quiet >"$out" 2>"$err" &
runner=$!
for _ in $(seq 600); do
    [[ $(find stopped/points -name '*.json' 2>/dev/null | wc -l) -ge 2 ]] && break
    sleep 0.05
done
kill -INT $runner 2>/dev/null
wait $runner
status=$?
done_by_then=$(find stopped/points -name '*.json' | wc -l)
check "an interrupted run says so, and how to go on" says "$err" interrupted "run the same command again"
equal "and ends with 1" "$status" 1
check "no process is left" test -z "$(pgrep -f "experiment .* -o stopped" || true)"
check "nothing half-done is left" test -z "$(find stopped -name '.*' ! -name .lock)"
cp -p stopped/points/* .
run experiment "${long[@]}" -o stopped --json --quiet
equal "the same command goes on where it was" "$(jq .done_before "$out")" "$done_by_then"
check "what was done is not touched" test -z "$(for f in *.json; do
    [[ $f == summary.json ]] || [[ ! stopped/points/$f -nt $f ]] || echo "$f"
done)"
run experiment "${long[@]}" -o straight --quiet
equal "and ends with the numbers of a run that was not" "$(cat stopped/town-success-k.csv)" \
    "$(cat straight/town-success-k.csv)"

# --- What else can be asked for ---

run experiment --map town.scm "${small[@]}" --figure success-k,anonymization --methods basic,xstar --closed -o some \
    --json --quiet
check "some figures, for some methods, with travellers for each" test "$(wc -l <some/town-success-k.csv)" = 5 -a \
    ! -e some/town-throughput-k.csv
run experiment --map town.scm "${small[@]}" --figure all-k -o over_k --json --quiet
check "or all over one axis" true_of "$out" '.figures == 6'
cat >cabs.csv <<'CSV'
id,t,lon,lat
CSV
"$STARCLOAK" queries town.scm --users 60 --seconds 200 --pause 10:0 -o asked.jsonl --quiet
jq -r '[.user, .t, .lon, .lat] | @csv' asked.jsonl | tr -d '"' >>cabs.csv
run experiment --map town.scm --traces cabs.csv --trace-fold 100 "${small[@]}" -o traced --json --quiet
succeeds "travellers may move as in traces"
mkdir "$work/bin"
command_line="starcloak experiment with no other program"
PATH=$work/bin "$STARCLOAK" experiment --map town.scm "${small[@]}" -o bare >"$out" 2>"$err"
status=$?
check "no other program is needed" test "$status" = 0 -a -s bare/report.json
check "what makes plots and a report is told" says "$out" "tools/report.py bare" bare/report.html

# --- What is refused ---

misuse() {
    local sentence=$1 text=$2
    shift 2
    run experiment "$@"
    refuses 2 "$sentence" "$text" Try
}
misuse "a folder is needed" "add -o DIR"
misuse "a figure that there is not is told" "--figure" -o x --figure entropy2
misuse "so is an axis" "--figure" -o x --figure success-x
misuse "so is a method" "--methods" -o x --methods ystar
misuse "values must ascend" "must ascend" -o x --grid k=5,3
misuse "an axis needs values" "--grid" -o x --grid k=
misuse "values are numbers" "--grid" -o x --grid k=three
misuse "no seed at all is refused" "--seeds" -o x --seeds 0
misuse "two maps of one name are refused" "two maps are called 'town'" -o x --map town.scm --map town.scm
misuse "a map's name must do for files" "files cannot be named after" -o x --map "a b=town.scm"
misuse "traces belong to a map" "put --map first" -o x --traces cabs.csv
misuse "folding needs traces" "has none; add --traces" -o x --map town.scm --trace-fold 60
misuse "others are those of literal baselines" "about literal baselines" -o x --methods basic --others cloak
misuse "arguments are no maps" "maps are given with --map" -o x town.scm
run experiment --map town.scm --grid k=0,5 -o x
refuses 2 "k of 0 is refused" k
misuse "traces are given once for each map" "given twice" -o x --map town.scm --traces a --traces b
run experiment --map town.scm "${small[@]}" --lambda 2 --alpha 1 --cap 16 --trucks 0.5 --cost-object 10 -o tuned --quiet
check "parameters of engines and travellers can be changed" test "$status" = 0 -a -s tuned/report.json
run experiment --map town.scm "${small[@]}" -o tuned
refuses 1 "and their points are not mixed with others" --fresh
run experiment --map absent.scm -o x
refuses 1 "a map that is not there is told" absent.scm
run experiment --map town.scm --traces absent -o x
refuses 1 "so are traces" absent
echo "no traces" >letter.txt
run experiment --map town.scm --traces letter.txt -o x
refuses 1 "a letter is no trace" letter.txt
echo taken >taken
run experiment --map town.scm "${small[@]}" -o taken
refuses 1 "a file is no folder" taken
if [[ $(id -u) != 0 ]]; then
    mkdir closed && chmod 500 closed
    run experiment --map town.scm "${small[@]}" -o closed/inside
    refuses 1 "a folder that cannot be made is told" closed
fi

# A disk that is full: as small a file system as there is, or a limit on files.
(
    ulimit -f 4
    "$STARCLOAK" experiment --map town.scm "${small[@]}" -o full --quiet >"$out" 2>"$err"
)
status=$?
refuses 1 "a full disk is told, with the file and what to do" full/
check "and nothing half-written is left" test -z "$(find full -name '.*' ! -name .lock 2>/dev/null)"
run experiment --map town.scm "${small[@]}" -o full --json --quiet
succeeds "with room again, the run goes on"

finish
