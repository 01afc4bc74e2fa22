#!/usr/bin/env bash
# Verifying a record: one line per promise, the first violations in words, and an exit status
# that a script can trust.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge "$data"/townmap.txt \
    --category-names "$data"/town-categories.csv -o town.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map generate --nodes 1k -o city.scm --quiet || echo "# no second map"
# A record of the town: 21 queries in 6 cloaks with their answers, 3 drops, 1 open.
cp "$repository"/tests/data/records/town.jsonl .

# row PROMISE: "checked violated" of its row in the last table.
row() { awk -v name="$1" '$1 == name { print $(NF - 1), $NF }' "$out"; }

# --- What holds -------------------------------------------------------------------

run verify town.scm town.jsonl
succeeds "a record that keeps its promises is accepted"
check "it is summed up in one line" \
    says "$out" "town.jsonl: 21 queries in 6 cloaks, 3 dropped, 1 open at the end, 21 answers"
for promise in P1 P2 P3 P4 P5 P6 P7 P8 answers; do
    check "there is a row for $promise, checked and not violated" \
        grep -qE "^$promise +[a-z].* +[1-9][0-9]* +0$" "$out"
done
equal "every member is checked for its users" "$(row P2)" "21 0"
equal "all answers are compared, since they are few" "$(row answers)" "21 0"
check "the last line says so in words" test "$(tail -n 1 "$out")" = "All promises hold."
check "the table keeps to 80 columns" test -z "$(grep -E '.{81}' "$out")"
cp "$out" table.txt

run verify town.scm town.jsonl --json
succeeds "the same as JSON"
check "it is one object on one line" test "$(wc -l <"$out")" = 1
check "it says that all holds" says "$out" '"holds":true' '"violations":0' '"first":[]'
check "it has the counts" says "$out" '"queries":25' '"cloaks":6' '"cloaked":21' '"drops":3' '"failed":0' \
    '"answers":21' '"open_at_end":1' '"overdue":0' '"P4":{"checked":21,"violated":0}'
if command -v jq >/dev/null; then
    equal "it is JSON" "$(jq '.promises | length' "$out")" 9
else
    skip "it is JSON" "no jq"
fi

run verify town.scm town.jsonl --quiet
succeeds "--quiet leaves it to the exit status"
check "and prints nothing" test ! -s "$out"
run verify town.scm town.jsonl --quiet --json
check "but what --json asks for" says "$out" '"holds":true'
run verify town.scm town.jsonl --answers 5
equal "--answers says how many answers are compared" "$(row answers)" "5 0"
run verify town.scm town.jsonl --answers 0
equal "it may be none" "$(row answers)" "0 0"

gzip -k town.jsonl
run verify town.scm town.jsonl.gz
succeeds "a record may be packed by gzip"
check "which changes nothing" cmp -s <(tail -n +2 table.txt) <(tail -n +2 "$out")
xz -k town.jsonl
run verify town.scm town.jsonl.xz
succeeds "or by xz"

# piped COMMAND...: run the program on what the command prints.
piped() {
    command_line="... | starcloak verify town.scm -"
    "$@" | "$STARCLOAK" verify town.scm - >"$out" 2>"$err"
    status=$?
}
piped cat town.jsonl
succeeds "a record may come from standard input"
check "which changes nothing but the name" cmp -s <(tail -n +2 table.txt) <(tail -n +2 "$out")
piped cat town.jsonl.gz
succeeds "packed, too"
check "which still changes nothing" cmp -s <(tail -n +2 table.txt) <(tail -n +2 "$out")
piped head -c 200 town.jsonl.gz
refuses 1 "a packed one that is cut is told" "standard input: " "damaged or cut short"

# --- What does not ------------------------------------------------------------------

# breaks PROMISE SENTENCE TEXT SED...: the record, edited, breaks that promise and no other.
breaks() {
    local promise=$1 sentence=$2 text=$3
    shift 3
    sed -E "$@" town.jsonl >broken.jsonl
    run verify town.scm broken.jsonl
    if cmp -s town.jsonl broken.jsonl; then
        fail "$sentence" "the edit changed nothing"
    elif [[ $status != 1 || -s $err ]]; then
        fail "$sentence" "wanted exit 1 and silence on standard error"
    elif ! says "$out" "$text"; then
        fail "$sentence" "should say: $text"
    elif [[ $(awk '$NF ~ /^[1-9][0-9]*$/ && NF > 4 && $1 ~ /^(P[1-8]|answers)$/ { print $1 }' "$out") != "$promise" ]]; then
        fail "$sentence" "another promise is broken as well, or none"
    elif ! grep -qE "^  line [0-9]+: $promise: " "$out"; then
        fail "$sentence" "the violation should be told with its line"
    else
        pass "$sentence"
    fi
}
breaks P1 "a segment that is not that of the edge" "is not on the segment it names" '1s/"segment":6/"segment":0/'
breaks P1 "a member without its star" "it has no star" '17s/,"star":2//'
breaks P2 "more users than there are" "needs 9 users, but there are 5" '1s/"k":1,"l"/"k":9,"l"/'
breaks P3 "more segments than there are" "needs 6 segments, but there are 5" '1s/"l":3/"l":6/'
breaks P4 "a star farther than allowed" "allows 0 hops, but the cloak reaches 1" \
    '/"query":"0+9e3779b9","user"/s/"sigma_s":[0-9]+/"sigma_s":0/'
breaks P5 "a cloak that comes too late" "too late" '1s/"sigma_t":[0-9.]+/"sigma_t":0.5/'
breaks P5 "time that runs backwards" "earlier by 0.443576 s" '56s/"t":41.443576/"t":31.0/;55d'
breaks P6 "segments in another order" "segment 1 is listed after segment 3" '17s/\[1,3,4,6,7\]/[3,1,4,6,7]/'
breaks P7 "a segment too few" "segment 7 touches star 2 but is missing" '17s/\[1,3,4,6,7\]/[1,3,4,6]/'
breaks P7 "a border node too few" "border node 0 is missing" '17s/"border_nodes":\[0\]/"border_nodes":[]/'
breaks P7 "a field that tells who" "could tell who" '17s/"stars"/"user":"u9","stars"/'
breaks P7 "any other field of a cloak" "could tell who" '17s/"stars"/"mood":"fine","stars"/'
breaks P7 "a cloak without the stars that others have" "cloak 1: it has no stars, unlike the first cloak" \
    '17{s/,"star":[0-9]+//g;s/"stars":\[2\]/"stars":[]/}'
breaks P2 "a cloak without members" "cloak 9: it has no members" '17{p;s/"cloak":1,/"cloak":9,/;s/"members":.*/"members":[]}/}'
breaks P8 "a cloak number that comes twice" "cloak 0: an earlier cloak has the same number" '17,23s/"cloak":1,/"cloak":0,/'
breaks P8 "a drop as infeasible that was not" "is dropped as infeasible, though" '31s/"l":9/"l":3/'
breaks P8 "a drop that is missing" "has no outcome" '25d'
breaks P8 "a query that is answered twice" "is answered a second time" '18p'
breaks answers "a distance that is not the true one" "another distance" '18s/188.5107/188.5207/'
check "no user is named, and no position" silent_about "$out" '"u9"' 'u9' 'offset'

sed -E 's/"l":[0-9]/"l":50/' town.jsonl >broken.jsonl
run verify town.scm broken.jsonl
equal "many violations are all counted" "$(row P3 | cut -d' ' -f2)" "$(grep -oE '^[0-9]+ violations' "$out" | cut -d' ' -f1)"
equal "and the first ten told" "$(grep -c '^  line ' "$out")" 10
run verify town.scm broken.jsonl --json
equal "JSON has the same exit status" "$status" 1
check "and the same words" says "$out" '"holds":false' '"promise":"P3","text":"cloak '
run verify town.scm broken.jsonl --quiet
equal "and so has --quiet" "$status" 1

# --- What is no record ----------------------------------------------------------------

run verify town.scm absent.jsonl
refuses 1 "a missing record is told" "absent.jsonl: cannot read: No such file"
run verify absent.scm town.jsonl
refuses 1 "a missing map is told" "absent.scm" "No such file"
run verify town.jsonl town.jsonl
refuses 1 "a record is no map" "town.jsonl"
mkdir folder
run verify town.scm folder
refuses 1 "a directory is no record" "folder: is a directory"
: >empty.jsonl
run verify town.scm empty.jsonl
refuses 1 "an empty file is no record" "empty.jsonl: the record has no end event: the file is empty"
run verify town.scm town.scm
refuses 1 "a map is no record" "town.scm: seems to be a map, not the record of a run; --record"
run verify town.jsonl town.scm
refuses 1 "the map comes first" "town.jsonl: is not a map, but town.scm is; the map comes first"
"$STARCLOAK" queries town.scm --users 5 -o queries.jsonl --quiet || echo "# no queries"
run verify town.scm queries.jsonl
refuses 1 "a stream is no record" "queries.jsonl:1: this is a query of a stream" "starcloak cloak --record"
check "nothing of what is in it is repeated" silent_about "$err" '"u' '{"' lon
echo "Dear reader, this is not a record." >letter.jsonl
run verify town.scm letter.jsonl
refuses 1 "a letter is no record" "letter.jsonl:1: not JSON"
head -n 20 town.jsonl >cut.jsonl
run verify town.scm cut.jsonl
refuses 1 "a record that is cut short is told" "cut.jsonl: the record has no end event: the file is cut short"
head -c 3000 town.jsonl >cut.jsonl
run verify town.scm cut.jsonl
refuses 1 "a line that is cut is told with its number" "cut.jsonl:14: not JSON"
sed '3s/query/teleport/' town.jsonl >odd.jsonl
run verify town.scm odd.jsonl
refuses 1 "an unknown event is told with its line" "odd.jsonl:3: 'event' is missing or is not one of query,"
sed '3s/"edge":[0-9]*/"edge":"main street"/' town.jsonl >odd.jsonl
run verify town.scm odd.jsonl
refuses 1 "a field of the wrong kind is told with its line" "odd.jsonl:3: 'edge'"
check "and its value is not repeated" silent_about "$err" "main street"
sed '3s/"k":[0-9]*,"l"/"k":0,"l"/' town.jsonl >odd.jsonl
run verify town.scm odd.jsonl
refuses 1 "an impossible query is told with its line" "odd.jsonl:3: 'k'"
gzip -c town.jsonl | head -c 200 >cut.jsonl.gz
run verify town.scm cut.jsonl.gz
refuses 1 "a packed record that is cut is told" "cut.jsonl.gz"

# --- Another map ----------------------------------------------------------------------

run verify city.scm town.jsonl
equal "a record of another map breaks promises" "$status" 1
check "not only one" test "$(grep -c '^  line ' "$out")" = 10
equal "and the map is doubted, once" "$(cat "$err")" "starcloak verify: town.jsonl: most of its \
queries are not on the roads of city.scm; check that this is the map of the run"
run verify city.scm town.jsonl --json --quiet
check "quietly, too" says "$err" "check that this is the map of the run"
check "and in JSON" says "$out" '"map_match":"doubtful","holds":false'

"$STARCLOAK" simulate town.scm --users 50 --record run.jsonl --quiet || echo "# no run"
run verify town.scm run.jsonl --json
check "a run names its map" says "$out" '"map_match":"same","holds":true'
run verify town.scm town.jsonl --json
check "a record that does not is not doubted" says "$out" '"map_match":"untold","holds":true'
checksum=$("$STARCLOAK" map info town.scm | awk '$1 == "checksum" { print $2 }')
run verify city.scm run.jsonl
equal "a run on another map is refused" "$status" 1
check "with words before all others" says "$err" "run.jsonl: the run was not on city.scm" "$checksum"
check "and with what came of it" says "$out" "violations"
sed -E "s/\"map\":\"[0-9a-f]+\"/\"map\":\"0123456789abcdef\"/" run.jsonl >other.jsonl
run verify town.scm other.jsonl
equal "even if it breaks no promise" "$status" 1
check "it does not pass for one that holds" silent_about "$out" "All promises hold."
run verify town.scm other.jsonl --json --quiet
check "nor in JSON" says "$out" '"map_match":"other","holds":false,"violations":0'
check "and the map is told quietly, too" says "$err" 0123456789abcdef

# --- Demands ----------------------------------------------------------------------------

"$STARCLOAK" density city.scm -o even.csv --seed 1 --quiet || echo "# no density"
# Every seventh road is far busier than the others.
awk -F, -v OFS=, 'NR > 2 && $1 % 7 == 0 { $2 = $2 * 40 + 400 } { print }' even.csv >seed1.csv
"$STARCLOAK" density city.scm -o seed2.csv --seed 2 --quiet || echo "# no second density"
# Zones of a few users, each of five roads.
{
    echo "zone,user,segment"
    for zone in {0..99}; do
        for road in 0 1 2 3 4; do echo "$zone,u$zone,$((zone * 5 + road))"; done
    done
} >zones.csv
printf 'segment,class\n%s\n' "$(seq -f '%g,clinic' 5 20 500)" >classes.csv
"$STARCLOAK" simulate city.scm --users 1k --seconds 40 --engine patient --paranoid --density seed1.csv \
    --continuity --vmax 8 --zones zones.csv --classes classes.csv --record asked.jsonl --quiet ||
    echo "# no run with demands"
checksum=$(sed -nE '1s/.*"density":"([0-9a-f]+)".*/\1/p' asked.jsonl)

run verify city.scm asked.jsonl --density seed1.csv
succeeds "a run keeps all that it was asked for"
for promise in P3 P9 P12 P13 P14; do
    check "$promise is checked and not violated" grep -qE "^$promise +[a-z].* +[1-9][0-9,]* +0$" "$out"
done
run verify city.scm asked.jsonl --density seed1.csv --json
check "JSON says that the traffic was checked" says "$out" '"traffic_checked":true' '"holds":true' '"P14":{"checked":'
run verify city.scm asked.jsonl --density seed2.csv
refuses 1 "the density of another seed is refused with both checksums" \
    "asked.jsonl:1: the run was with the density of checksum $checksum, but the one given has "
run verify city.scm asked.jsonl
equal "without a density it is no pass" "$status" 1
check "and says what to do" says "$err" "the density with the checksum $checksum, so P14 is not checked; give it with --density FILE"
check "at its end, too" test "$(tail -n 1 "$out")" = "No violation, but P14 was not checked without the density."
run verify city.scm asked.jsonl --json --quiet
equal "quietly, too" "$status" 1
check "and in JSON" says "$out" '"traffic_checked":false' '"holds":false' '"violations":0'
run verify city.scm asked.jsonl --density classes.csv
refuses 1 "a table of classes is no density" "classes.csv: seems to be a table of classes, not a density"
run verify city.scm asked.jsonl --density ""
refuses 2 "an empty name is refused" "--density"

run verify town.scm run.jsonl --density seed1.csv
refuses 1 "a density of another map is refused" "seed1.csv:1: this is a density of the map with the checksum"
"$STARCLOAK" density town.scm -o town.csv --quiet || echo "# no density of the town"
run verify town.scm run.jsonl --density town.csv
equal "a density that is not needed is not used" "$status" 0
check "and a note says so" says "$err" "the run did not ask for traffic, so --density is not used"

# moves: move members to the busiest road of their cloak until one does not keep P14.
python3 - "$PWD" <<'PYTHON'
import json, sys
busy = dict(map(int, line.split(",")) for line in open("seed1.csv").read().split("\n")[2:] if line)
events = [json.loads(line) for line in open("asked.jsonl")]
asked = {e["query"]: e for e in events if e["event"] == "query"}
edges, ends = {}, {}
for e in asked.values():
    edges.setdefault(e["segment"], (e["edge"], e["offset_m"]))
best = None
for cloak in (e for e in events if e["event"] == "cloak"):
    total = sum(busy[s] + 1 for s in cloak["segments"])
    for s in cloak["segments"]:
        # More than half of all traffic is on it, so it is in no core of two.
        if s not in edges or 2 * (busy[s] + 1) <= total: continue
        for member in cloak["members"]:
            query = asked[member["query"]]
            if query["profile"]["l"] >= 2 and query["segment"] != s and "zone" not in query:
                best = (member["query"], s)
with open("moved.jsonl", "w") as out:
    for line, e in zip(open("asked.jsonl"), events):
        if best and e["event"] == "query" and e["query"] == best[0]:
            edge, offset = edges[best[1]]
            e.update(segment=best[1], edge=edge, offset_m=offset)
            line = json.dumps(e) + "\n"
        out.write(line)
PYTHON
run verify city.scm moved.jsonl --density seed1.csv
equal "a member that is moved to a road outside its core is found" "$status" 1
check "by its promise" grep -qE "^  line [0-9]+: P14: cloak [0-9]+: query '[0-9a-f]+': by the traffic its own" "$out"

# spoils PROMISE SENTENCE TEXT SED...: the run with demands, edited, breaks at least that promise.
spoils() {
    local promise=$1 sentence=$2 text=$3
    shift 3
    sed -E "$@" asked.jsonl >broken.jsonl
    run verify city.scm broken.jsonl --density seed1.csv
    if cmp -s asked.jsonl broken.jsonl; then
        fail "$sentence" "the edit changed nothing"
    elif [[ $status != 1 ]] || ! says "$out" "$text" || ! grep -qE "^$promise .* [1-9][0-9,]*$" "$out"; then
        fail "$sentence" "should break $promise and say: $text"
    else
        pass "$sentence"
    fi
}
spoils P9 "a slower user" "that its user can have reached since the last cloak" '1s/"vmax_m_s":8/"vmax_m_s":1/'
spoils P13 "a class of many more roads" "besides those of class clinic" \
    "2s/\"segments\":.*/\"segments\":[$(seq -s, 0 516)]}/"
spoils P14 "more traffic than was asked for" "is likelier than one of 4" '1s/"traffic":2/"traffic":4/'
spoils P12 "a zone of more roads" "segments of its zone" \
    "/\"event\":\"zone\"/s/\"segments\":.*/\"segments\":[$(seq -s, 0 516)]}/;/\"event\":\"query\"/{/\"user\":\"u[0-9][0-9]?\"/{s/,\"zone\":[0-9]+//;s/\"user\":\"u([0-9]+)\"(.*)\}$/\"user\":\"u\1\"\2,\"zone\":\1}/}}"
spoils P8 "an expired query that is said to be exposed" "is dropped as exposed, though" 's/"expired"/"exposed"/'
sed -E '1{h;G}' asked.jsonl >broken.jsonl
run verify city.scm broken.jsonl --density seed1.csv
refuses 1 "demands that come twice are refused with their line" "broken.jsonl:2: the demands come a second time"
check "no user is named" silent_about "$err" '"u'

run simulate city.scm --engine xstar --zones zones.csv
refuses 2 "zones are for engines that keep them" "--zones is for --engine basic, bounded, hybrid or patient"
run simulate city.scm --classes zones.csv
refuses 1 "a table of zones is no table of classes" "zones.csv: seems to be a table of zones, not a table of classes"
run simulate city.scm --zones zones.csv --record zones.csv
refuses 2 "the record must not replace the zones" "is also an input"

# --- Usage ----------------------------------------------------------------------------

run verify
refuses 2 "without anything, the map is missed" "no map given"
run verify town.scm
refuses 2 "without a record, it is missed" "no record given" "-"
run verify town.scm town.jsonl more
refuses 2 "an argument too many is refused" "'more'"
run verify town.scm town.jsonl --frobnicate
refuses 2 "an unknown option is refused" "'--frobnicate'"
for value in x -1 1.5 ""; do
    run verify town.scm town.jsonl --answers "$value"
    refuses 2 "--answers '$value' is refused" "--answers" "'$value'"
done
command_line="starcloak verify town.scm town.jsonl >/dev/full"
"$STARCLOAK" verify town.scm town.jsonl >/dev/full 2>"$err"
equal "a full disk is a failure" $? 1
finish
