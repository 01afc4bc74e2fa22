#!/usr/bin/env bash
# Answering a recorded run: the answers stand behind their cloaks and are the exact ones, which
# `starcloak verify` finds out by other means; a record is replaced whole or not at all.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 1k -o city.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map generate --nodes 1k --seed 2 -o other.scm --quiet || echo "# no second map"
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o empty.scm --quiet || echo "# no map without objects"
"$STARCLOAK" map import "$data"/town.cedge "$data"/townmap.txt -o bare.scm --quiet || echo "# no map without coordinates"
"$STARCLOAK" simulate city.scm --users 300 --seconds 30 --no-answers --category any --record run.jsonl --quiet || echo "# no run"
cp run.jsonl plain.jsonl
members=$(grep -oE '"members":\[.*' plain.jsonl | grep -o '"query"' | wc -l)
cloaks=$(grep -c '"event":"cloak"' plain.jsonl)

# row PROMISE: "checked violated" of its row in the last table of verify.
row() { awk -v name="$1" '$1 == name { print $(NF - 1), $NF }' "$out"; }

# --- Answers ----------------------------------------------------------------------

run evaluate city.scm run.jsonl
succeeds "a record is answered"
check "there is something to answer" test "$members" -gt 100
equal "every member of a cloak is" "$(grep -c '"event":"answer"' run.jsonl)" "$members"
check "nothing else of the record changes" cmp -s plain.jsonl <(grep -v '"event":"answer"' run.jsonl)
check "the report tells what ran" says "$out" "run.jsonl on city.scm" "compact, answers in run.jsonl"
check "how many were answered" grep -qE "^  answered +$members\$" "$out"
check "in how many cloaks" grep -qE "^  evaluated +$cloaks\$" "$out"
for word in provider encoding 'trusted side' together 'bytes out' 'bytes in' candidates 'different candidates' \
    results 'looked up' 'searched for'; do
    check "and has a row for: $word" grep -qE "^  $word +[0-9]" "$out"
done
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
check "without a failure or a difference" silent_about "$out" failed refused wrong
cp run.jsonl answered.jsonl

run verify city.scm run.jsonl --answers 100k
succeeds "the verifier finds nothing wrong with it"
equal "having looked at every answer" "$(row answers)" "$members 0"
check "which it counts" says "$out" ", $members answers"

# The first cloak has its answers right behind it, in the order of its members.
first=$(grep -n -m 1 '"event":"cloak"' run.jsonl | cut -d: -f 1)
mapfile -t wanted < <(sed -n "${first}p" run.jsonl | grep -oE '"members":.*' | grep -oE '"query":"[0-9a-f]+"')
mapfile -t got < <(tail -n "+$((first + 1))" run.jsonl | head -n "${#wanted[@]}" | grep '"event":"answer"' |
    grep -oE '"query":"[0-9a-f]+"')
equal "answers stand behind their cloak" "${got[*]}" "${wanted[*]}"
check "distances have four decimals at least" test -z "$(grep '"event":"answer"' run.jsonl |
    grep -oE '"distance_m":[0-9.]+' | grep -vE '\.[0-9]{4,}$')"

# tampered SENTENCE SED: the verifier sees that an answer was changed.
tampered() {
    sed -E "$2" answered.jsonl >tampered.jsonl
    run verify city.scm tampered.jsonl --answers 100k
    if cmp -s answered.jsonl tampered.jsonl; then
        fail "$1" "the edit changed nothing"
    elif [[ $status != 1 || $(row answers) == *" 0" ]]; then
        fail "$1" "not noticed"
    else
        pass "$1"
    fi
}
line=$((first + 1))
tampered "a distance that was changed is noticed" "${line}s/(\"distance_m\":)([0-9]+)/\11\2/"
tampered "an object that was changed is noticed" "${line}s/\"poi\":[0-9]+/\"poi\":0/;${line}s/(.*\"poi\":)[0-9]+/\11/"
tampered "an object that was left out is noticed" "${line}s/\"results\":\[\{[^}]*\},/\"results\":[/"
tampered "an answer without objects is noticed" "${line}s/\"results\":.*/\"results\":[]}/"
tampered "results in another order are noticed" \
    "${line}s/\"results\":\[(\{[^}]*\})(.*),(\{[^}]*\})\]/\"results\":[\3\2,\1]/"
tampered "two objects that were swapped are noticed" \
    "${line}s/\"poi\":([0-9]+)(,[^}]*\},\{\"poi\":)([0-9]+)/\"poi\":\3\2\1/"

# --- Ways to do it ------------------------------------------------------------------

run evaluate city.scm run.jsonl --quiet
equal "a second time" "$status" 0
check "without a word" test ! -s "$out" -a ! -s "$err"
check "it comes to the same" cmp -s run.jsonl answered.jsonl
run evaluate city.scm run.jsonl
equal "answers that were there are replaced" "$(cat "$err")" \
    "starcloak evaluate: note: $members answers that the record had before are replaced"

cp plain.jsonl run.jsonl
run evaluate city.scm run.jsonl --dry-run
succeeds "--dry-run measures"
check "says so" says "$out" "answers not kept"
check "and writes nothing" cmp -s plain.jsonl run.jsonl
run evaluate city.scm run.jsonl -o out.jsonl --encoding geojson
succeeds "geometry instead of ids"
check "is said to be" says "$out" "geojson, answers in out.jsonl"
check "gives the very same answers" cmp -s out.jsonl answered.jsonl
check "and leaves the record alone" cmp -s plain.jsonl run.jsonl
run evaluate city.scm run.jsonl -o out.jsonl --without-index
check "so do searches" cmp -s out.jsonl answered.jsonl
check "without looking anything up" grep -qE "^  looked up +0\$" "$out"
check "but for searching" grep -qE "^  searched for +[1-9][0-9,]* +in [1-9]" "$out"
run evaluate city.scm run.jsonl -o out.jsonl --seed 3
check "so does another order of requests" cmp -s out.jsonl answered.jsonl
run evaluate city.scm run.jsonl --dry-run --check all
succeeds "--check all compares every answer with a plain search"
check "and finds no difference" grep -qE "^  checked +$members  against" "$out"
run evaluate city.scm run.jsonl --dry-run --check 50
check "--check 50 compares fifty" grep -qE "^  checked +50  against" "$out"

run evaluate city.scm run.jsonl --dry-run --json
succeeds "the report as JSON"
equal "has the counts" "$(number cloaks "$out") $(number queries "$out") $(number answered "$out") $(number failed "$out")" \
    "$cloaks $members $members 0"
check "and where it came from" says "$out" '"record": "run.jsonl"' '"output": null' '"encoding": "compact"'
if command -v jq >/dev/null; then
    equal "it is JSON" "$(jq -r '[.cpu_s.provider > 0, .bytes_out.mean > 0, .candidates.max >= .results.max] | all' "$out")" true
else
    skip "it is JSON" "no jq"
fi
run evaluate city.scm run.jsonl -o - --json --quiet
check "a record on standard output" cmp -s "$out" answered.jsonl
check "sends the report to standard error" says "$err" '"cloaks":'

gzip -k run.jsonl
run evaluate city.scm run.jsonl.gz -o out.jsonl
succeeds "a packed record is answered"
check "elsewhere" cmp -s out.jsonl answered.jsonl
xz -k run.jsonl
run evaluate city.scm run.jsonl.xz
refuses 1 "in its own place it cannot be" "run.jsonl.xz: the record is compressed" "-o"
command_line="starcloak evaluate city.scm - -o out.jsonl <plain.jsonl"
rm -f out.jsonl
"$STARCLOAK" evaluate city.scm - -o out.jsonl --quiet <plain.jsonl >"$out" 2>"$err"
status=$?
succeeds "a record may come from standard input"
check "and is the same" cmp -s out.jsonl answered.jsonl
ln -s run.jsonl link.jsonl
chmod 600 run.jsonl
run evaluate city.scm link.jsonl --quiet
check "a link is followed and stays" test -L link.jsonl
check "what it leads to is replaced" cmp -s run.jsonl answered.jsonl
equal "and is closed to others as before" "$(stat -c %a run.jsonl)" 600

# --- Categories -----------------------------------------------------------------------

"$STARCLOAK" queries city.scm --users 200 --seconds 20 --category any -o queries.jsonl --quiet || echo "# no queries"
sed -E '1~4s/"category":null/"category":["school","cafe"]/;2~4s/"category":null/"category":"bank"/' \
    queries.jsonl | sed -E '3~4s/"request":\{[^}]*\}/"request":{"type":"range","radius_m":400,"category":null}/' >mixed.jsonl
run cloak city.scm mixed.jsonl --record mixed-run.jsonl --quiet
succeeds "requests for several categories, one, all, and within a distance are cloaked"
check "lists of categories are recorded as such" grep -qE '"category":\["[a-z_]+","[a-z_]+"\]' mixed-run.jsonl
run evaluate city.scm mixed-run.jsonl --check all
succeeds "and answered"
run verify city.scm mixed-run.jsonl --answers 100k
succeeds "all rightly"
check "every one was looked at" test "$(row answers)" = "$(grep -c '"event":"answer"' mixed-run.jsonl) 0"

# So does one for a category that there is not.
ask_odd() { sed -E "$(grep -n -m 1 "\"event\":\"query\",${wanted[0]}" plain.jsonl | cut -d: -f 1)$1" plain.jsonl >odd.jsonl; }
ask_odd 's/"category":null/"category":["zoo keeper","school"]/'
run evaluate city.scm odd.jsonl --quiet
equal "a category that there is not is no failure of the command" "$status" 0
check "but told" says "$err" "1 queries request" "or an unknown category"
check "and recorded" grep -q "{\"event\":\"failed\",${wanted[0]},.*\"reason\":\"request\"}" odd.jsonl
equal "all others are answered" "$(grep -c '"event":"answer"' odd.jsonl)" "$((members - 1))"
ask_odd 's/"request":\{[^}]*\}/"request":{"type":"range","radius_m":0,"category":null}/'
run evaluate city.scm odd.jsonl --check all --quiet
succeeds "a range of no metres is answered"
run verify city.scm odd.jsonl --answers 100k
succeeds "rightly"

# A request beyond all limits fails alone.
sed -E '0,/"type":"knn","k":[0-9]+/s//"type":"knn","k":5000/' plain.jsonl >greedy.jsonl
asked=$(grep -m 1 '"k":5000' greedy.jsonl | grep -oE '"query":"[0-9a-f]+"')
if sed -n '/"event":"cloak"/p' greedy.jsonl | grep -q "$asked"; then
    run evaluate city.scm greedy.jsonl --quiet
    equal "a request for too much is no failure of the command" "$status" 0
    check "but told" says "$err" "1 queries request more objects or a larger radius than allowed"
    check "and recorded" grep -q "{\"event\":\"failed\",$asked,.*\"reason\":\"request\"}" greedy.jsonl
    run verify city.scm greedy.jsonl
    succeeds "and a record of that keeps its promises"
else
    skip "a request for too much" "the first query found no cloak"
fi

# --- What cannot be ---------------------------------------------------------------------

cp plain.jsonl run.jsonl
# untouched SENTENCE TEXT...: refused with that text, and the record is as it was.
untouched() {
    refuses 1 "$@"
    check "... and the record stays as it was" cmp -s plain.jsonl run.jsonl
}
run evaluate other.scm run.jsonl
untouched "a run on another map is told" "run.jsonl:1:" "check that this is the map of the run"
check "without a position" silent_about "$err" offset '"u'
run evaluate empty.scm run.jsonl
untouched "a map without objects is told" "empty.scm: the map has no objects to ask for" "--objects"
run evaluate bare.scm run.jsonl --encoding geojson
untouched "a map without degrees has no geometry" "bare.scm: the map has no coordinates in degrees" "compact"
run evaluate absent.scm run.jsonl
untouched "a missing map is told" "absent.scm" "No such file"
run evaluate run.jsonl city.scm
untouched "the map comes first" "the map comes first"
run evaluate city.scm absent.jsonl
refuses 1 "a missing record is told" "absent.jsonl: cannot read: No such file"
check "and none is made" test ! -e absent.jsonl
run evaluate city.scm city.scm -o out.jsonl
refuses 1 "a map is no record" "city.scm: seems to be a map, not the record of a run"
run evaluate city.scm queries.jsonl
refuses 1 "a stream is no record" "queries.jsonl:1: this is a query of a stream" "--record"
run evaluate city.scm run.jsonl -o no/such/place.jsonl
untouched "an output that cannot be is told" "no/such/place.jsonl: cannot write"
head -n 40 plain.jsonl >cut.jsonl
cp cut.jsonl cut-before.jsonl
run evaluate city.scm cut.jsonl
refuses 1 "a record that is cut short is told" "cut.jsonl: the record has no end event: the file is cut short"
check "and stays as it was" cmp -s cut.jsonl cut-before.jsonl
sed -E 's/"map":"[0-9a-f]+"/"map":"0123456789abcdef"/' plain.jsonl >odd.jsonl
run evaluate city.scm odd.jsonl
refuses 1 "a record that names another map is told" "0123456789abcdef" "not on this map"
sed -E "$first s/\"border_nodes\":\[[0-9]+/\"border_nodes\":[0/" plain.jsonl >odd.jsonl
run evaluate city.scm odd.jsonl
equal "a border node that is none is a failure of its cloak alone" "$status" 0
check "which is told, and where it is" says "$err" "queries failed; the first: odd.jsonl:$first: cloak 0: "
equal "and recorded" "$(grep -c '"reason":"provider"' odd.jsonl)" "${#wanted[@]}"
equal "all others are answered" "$(grep -c '"event":"answer"' odd.jsonl)" "$((members - ${#wanted[@]}))"
nowhere='http://127.0.0.1:1/nearest?lon={lon}&lat={lat}&k={k}'
run evaluate city.scm run.jsonl --point-provider "$nowhere"
untouched "a provider that cannot be reached is told" "run.jsonl:$first: cloak 0: "
# Nothing can be answered: all that is asked for is a category that there is not.
sed -E 's/"category":null/"category":"zoo keeper"/' answered.jsonl >vain.jsonl
cp vain.jsonl vain-before.jsonl
run evaluate city.scm vain.jsonl
equal "nothing but failures are a failure" "$status" 1
check "which is told" says "$err" "no query could be answered; vain.jsonl stays as it was"
check "and no answer is said to be replaced" silent_about "$err" replaced
check "or kept" says "$out" "answers not kept"
check "the answers from before are still there" cmp -s vain.jsonl vain-before.jsonl
run evaluate city.scm vain.jsonl -o vain-out.jsonl --quiet
check "no other record is made either" test "$status" = 1 -a ! -e vain-out.jsonl
check "and that is told" says "$err" "vain-out.jsonl is not written"
check "no trace of all that is left" test -z "$(find . -name '.*jsonl*')"
echo '{"event":"end","t":1.0}' >nobody.jsonl
run evaluate city.scm nobody.jsonl
succeeds "a run without cloaks has no answers"
check "and zeros in its report" grep -qE "^  evaluated +0\$" "$out"

# --- Usage ----------------------------------------------------------------------------

run evaluate
refuses 2 "without anything, the map is missed" "no map given"
run evaluate city.scm
refuses 2 "without a record, it is missed" "no record given" "-"
run evaluate city.scm run.jsonl more
refuses 2 "an argument too many is refused" "'more'"
run evaluate city.scm -
refuses 2 "standard input cannot be replaced" "standard input" "-o"
run evaluate city.scm run.jsonl --dry-run -o out.jsonl
refuses 2 "--dry-run and -o are refused together" "--dry-run" "-o"
run evaluate city.scm run.jsonl -o city.scm
refuses 2 "the map is not replaced by a record" "'city.scm' is also the map"
run evaluate city.scm run.jsonl -o ''
refuses 2 "an output without a name is refused" "-o: the name of the file is empty"
run evaluate city.scm run.jsonl --encoding xml
refuses 2 "an unknown encoding is refused" "--encoding" "'xml'" "compact, geojson"
for value in 0 x -1 1.5 every ""; do
    run evaluate city.scm run.jsonl --check "$value"
    refuses 2 "--check '$value' is refused" "--check" "'$value'"
done
for other in "--encoding compact" --without-index "--check all" "--objects postgresql://localhost/city"; do
    # shellcheck disable=SC2086  # an option and its value
    run evaluate city.scm run.jsonl --point-provider "$nowhere" $other
    refuses 2 "--point-provider and ${other%% *} are refused together" "--point-provider" "${other%% *}"
done
for url in "" 'ftp://localhost/?lon={lon}' 'http://localhost/?lon={lon}&lat={lat}' 'http://{lon}/{lat}/{k}'; do
    run evaluate city.scm run.jsonl --point-provider "$url"
    refuses 2 "--point-provider '$url' is refused" "--point-provider: "
done
run evaluate city.scm run.jsonl --point-provider "$nowhere" --point-fields lon=
refuses 2 "a field that is needed and has no name is refused" "--point-fields: " "longitude"
run evaluate city.scm run.jsonl --objects city
refuses 2 "--objects that is no database is refused" "--objects: " "postgresql://"
run evaluate city.scm run.jsonl --point-spacing 100
refuses 2 "--point-spacing without --point-provider is refused" "--point-spacing"
for value in -1 x 86401; do
    run evaluate city.scm run.jsonl --point-provider "$nowhere" --point-deadline "$value"
    refuses 2 "--point-deadline '$value' is refused" "--point-deadline" "'$value'"
done
run evaluate city.scm run.jsonl --seed many
refuses 2 "--seed 'many' is refused" "--seed" "'many'"
check "none of that touched the record" cmp -s plain.jsonl run.jsonl
command_line="starcloak evaluate city.scm run.jsonl --dry-run >/dev/full"
"$STARCLOAK" evaluate city.scm run.jsonl --dry-run >/dev/full 2>"$err"
equal "a full disk is a failure" $? 1
finish
