#!/usr/bin/env bash
# Attacking the cloaks of a recorded run: what comes out obeys its identities, is repeatable, appears
# in files that programs read, and names no user.
# program: release
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 1k -o city.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map generate --nodes 1k --seed 2 -o other.scm --quiet || echo "# no second map"
"$STARCLOAK" map import "$data"/town.cedge "$data"/townmap.txt -o bare.scm --quiet || echo "# no map without coordinates"
"$STARCLOAK" simulate city.scm --users 400 --seconds 90 --no-answers --category any --record run.jsonl --quiet || echo "# no run"
cloaks=$(grep -c '"event":"cloak"' run.jsonl)
few=(--samples 2k --placements 2k --runs 2 --fruitful 0)

# --- The table --------------------------------------------------------------------

run attack city.scm run.jsonl --limit 5 "${few[@]}"
succeeds "cloaks are attacked"
check "the table says of what" says "$out" "run.jsonl on city.scm" "5 of $(printf "%'d" "$cloaks") cloaks"
check "and with what knowledge" says "$out" "density uniform; method basic; likeness overlap"
check "has a mean" grep -qE '^ +mean ' "$out"
check "says how sure it is" says "$out" "(standard error 0."
run attack city.scm run.jsonl --limit 1 --placements 0 --samples 100
check "where placements are only drawn, it says so" says "$out" "100 placements of each cloak, drawn at random"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"

run attack city.scm run.jsonl --limit 2 "${few[@]}" --links
succeeds "every segment is shown where it is asked for"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
check "under its cloak, likeliest first, with the longest bar, and together they are all" python3 - "$out" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
sizes = [int(row.split()[1]) for row in text.splitlines() if re.match(r" +\d+ +\d+ .* (all|drawn)$", row)]
cloaks = re.split(r"\ncloak \d+\n", text)[1:]
assert len(cloaks) == len(sizes) == 2
for cloak, size in zip(cloaks, sizes):
    head, *rows = [line.split() for line in cloak.splitlines() if line]
    assert head == ["segment", "linkability", "error"] and len(rows) == size
    p = [float(row[1]) for row in rows]
    assert p == sorted(p, reverse=True) and abs(sum(p) - 1) < 1e-4 * size and p[0] > p[-1]
    bars = [len(row[3]) if len(row) > 3 else 0 for row in rows]
    assert bars[0] == 40 and bars == sorted(bars, reverse=True)
PY

# --- What is not explained ---------------------------------------------------------

# Another method hardly ever comes to the very same cloak.
strange=(--limit 4 --placements 0 --samples 32 --likeness exact --engine expansion)
run attack city.scm run.jsonl "${strange[@]}"
succeeds "cloaks that nothing explains are attacked all the same"
check "and nothing is claimed of them" grep -qE '^ +[0-9]+ +[0-9]+ +[0-9]+ +0 +- +- +- +- +- .* \?$' "$out"
check "nor of their mean" grep -qE '^ +mean +[0-9.]+ +[0-9.]+ +0.0 +- +- +- +- +-$' "$out"
check "which is told" says "$out" "4 cloaks are unexplained (?) and left out of the means"
check "no mean is" silent_about "$out" "Mean entropy"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
run attack city.scm run.jsonl "${strange[@]}" --json --cloaks-csv strange.csv
check "programs are told nothing of it too" python3 - "$out" <<'PY'
import csv, json, sys
told = json.load(open(sys.argv[1]))
mean = told["mean"]
assert mean["explained"] == 0 and mean["unexplained"] == mean["cloaks"] == 4 and mean["segments"] > 1
for name in ("normalised_entropy", "standard_error", "mean_standard_error", "bias", "effective", "effective_by_density",
             "probability", "by_chance", "rank", "ruled_out", "expected_probability"):
    assert mean[name] is None, name
for cloak, row in zip(told["cloaks"], csv.DictReader(open("strange.csv"))):
    assert cloak["is_unexplained"] and row["is_unexplained"] == "1"
    assert cloak["standard_error"] is None and cloak["bias"] is None and row["standard_error"] == row["bias"] == ""
    assert abs(cloak["expected_probability"] - 1 / len(cloak["links"])) < 1e-6
PY

# --- For programs -----------------------------------------------------------------

run attack city.scm run.jsonl --limit 8 "${few[@]}" --json --cloaks-csv cloaks.csv --links-csv links.csv --geojson map.geojson
succeeds "JSON and files come at once"
cp "$out" first.json
check "all of it is sound: identities, files and JSON agree" python3 - <<'PY'
import csv, json, math
told = json.load(open("first.json"))
shown = {f["properties"]["segment"] for f in json.load(open("map.geojson"))["features"]}
rows = list(csv.DictReader(open("cloaks.csv")))
links = list(csv.DictReader(open("links.csv")))
assert len(told["cloaks"]) == len(rows) == 8
for cloak, row in zip(told["cloaks"], rows):
    p = [link["linkability"] for link in cloak["links"]]
    mine = [float(link["linkability"]) for link in links if link["cloak"] == row["cloak"]]
    assert len(p) == len(mine) == int(row["segments"]) and max(abs(a - b) for a, b in zip(p, mine)) < 1e-8
    assert abs(sum(p) - 1) < 1e-6 and min(p) >= 0
    h = -sum(x * math.log2(x) for x in p if x > 0)
    assert abs(h - cloak["entropy_bits"]) < 1e-5 and abs(h / math.log2(len(p)) - float(row["normalised_entropy"])) < 1e-5
    assert abs(2 ** h - cloak["effective"]) < 1e-3 and abs(cloak["effective_by_density"] - len(p)) < 1e-6
    assert 1 <= cloak["rank"] <= len(p) and 0 <= cloak["probability"] <= 1
    assert 0 <= cloak["standard_error"] < 0.1 and cloak["replays"] > 0
    assert {link["segment"] for link in cloak["links"]} <= shown
    expected = sum(x * x for x in p)
    assert abs(expected - cloak["expected_probability"]) < 1e-6 and abs(expected - float(row["expected_probability"])) < 1e-6
mean = sum(c["normalised_entropy"] for c in told["cloaks"]) / 8
assert abs(mean - told["mean"]["normalised_entropy"]) < 1e-8
assert told["mean"]["explained"] == 8 and told["passed_over"] == 0
mean = sum(c["expected_probability"] for c in told["cloaks"]) / 8
assert abs(mean - told["mean"]["expected_probability"]) < 1e-8
PY
run attack city.scm run.jsonl --limit 8 "${few[@]}" --json --threads 1
check "the same with one thread" cmp -s "$out" first.json
run attack city.scm run.jsonl --limit 8 "${few[@]}" --json --threads 3
check "and with three" cmp -s "$out" first.json
run attack city.scm run.jsonl --limit 8 "${few[@]}" --json --seed 2
check "another seed draws other cloaks" test "$(grep -o '"cloak":[0-9]*' "$out" | head -3 | xargs)" != "$(grep -o '"cloak":[0-9]*' first.json | head -3 | xargs)"
check "nothing names a user or a query" silent_about first.json user query
for file in cloaks.csv links.csv map.geojson; do
    check "neither does $file" silent_about "$file" user query '"u1'
done
run attack city.scm - --limit 1 "${few[@]}" --json
refuses 1 "no record on standard input is refused" "standard input"
xz -k run.jsonl
run attack city.scm run.jsonl.xz --limit 8 "${few[@]}" --json
check "a packed record is the same record" cmp -s "$out" first.json

# --- What is known --------------------------------------------------------------------

run attack city.scm run.jsonl --limit 4 "${few[@]}" --attack replay
succeeds "replay alone"
check "is told so" says "$out" "replay: 4 of" "replays of each cloak"
run density city.scm --users 500 --seconds 60 --step 20 -o density.csv --quiet
succeeds "traffic is counted"
equal "a row for every segment" "$(grep -cE '^[0-9]+,[0-9]+' density.csv)" "$("$STARCLOAK" map info city.scm --json | grep -oE -m 1 '"segments": *[0-9]+' | head -n 1 | grep -oE '[0-9]+$')"
equal "everyone each time" "$(awk -F, '/^[0-9]/ { sum += $2 } END { print sum }' density.csv)" 1500
run attack city.scm run.jsonl --limit 8 "${few[@]}" --json --density density.csv
succeeds "a table of traffic is known to the adversary"
check "who then sees fewer effective segments, by density too" python3 - "$out" <<'PY'
import json, sys
with_density, without = json.load(open(sys.argv[1]))["mean"], json.load(open("first.json"))["mean"]
assert with_density["effective_by_density"] < without["effective_by_density"]
assert with_density["effective"] < without["effective"]
PY
run attack city.scm run.jsonl --density run.jsonl
refuses 1 "a record for a density is refused by what it is" "seems to be the record of a run, not a density"
run attack city.scm density.csv
refuses 1 "as is a density for a record" "density.csv: seems to be a density, not the record of a run"
printf '\xef\xbb\xbf# by hand\nname,Weight,SEGMENT\r\nx,1,2\r\n' >hand.csv
run attack city.scm hand.csv
refuses 1 "whatever its columns are like" "hand.csv: seems to be a density"
run density city.scm --run run.jsonl -o asked.csv --quiet
succeeds "questions are counted"
equal "all of them" "$(awk -F, '/^[0-9]/ { sum += $2 } END { print sum }' asked.csv)" "$(grep -c '"event":"query"' run.jsonl)"
"$STARCLOAK" simulate city.scm --users 5 --seconds 20 --no-answers --k 50:0 --record lonely.jsonl --quiet
run attack city.scm lonely.jsonl
refuses 1 "a run without cloaks is no use to an attack" "the record has no cloaks to attack"
run density city.scm --run lonely.jsonl -o lonely.csv --quiet
succeeds "but its questions count"
printf '{"event":"end","t":1}\n' >silence.jsonl
run density city.scm --run silence.jsonl -o silence.csv
refuses 1 "a run without questions does not" "has no queries"

# --- A table learnt from cloaks ---------------------------------------------------------

run density city.scm --cloaks run.jsonl -o learnt.csv --quiet
succeeds "a table is learnt from cloaks"
check "is like that of their queries, and has busy roads first" python3 - <<'PY'
import csv, json
def table(name):
    with open(name) as file:
        return [int(row[1]) for row in csv.reader(file) if row[0].isdigit()]
asked, learnt = table("asked.csv"), table("learnt.csv")
members = sum(len(e["members"]) for e in map(json.loads, open("run.jsonl")) if e["event"] == "cloak")
assert len(asked) == len(learnt) and abs(sum(learnt) - members) < 0.05 * members, (sum(learnt), members)
def deviations(counts):
    mean = sum(counts) / len(counts)
    return [c - mean for c in counts]
a, b = deviations(asked), deviations(learnt)
likeness = sum(x * y for x, y in zip(a, b)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
assert likeness > 0.5, likeness
first = sorted(range(len(learnt)), key=lambda s: -learnt[s])[:len(learnt) // 20]
assert sum(asked[s] for s in first) > 4 * sum(asked) / 20, (sum(asked[s] for s in first), sum(asked))
PY
# All members of a cloak where its first one is: another run, of the same cloaks.
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("run.jsonl")]
queries = {e["query"]: e for e in lines if e["event"] == "query"}
for e in lines:
    if e["event"] == "cloak":
        first = queries[e["members"][0]["query"]]
        for member in e["members"]:
            for name in ("edge", "offset_m", "segment"):
                queries[member["query"]][name] = first[name]
with open("moved.jsonl", "w") as out:
    out.writelines(json.dumps(e, separators=(",", ":")) + "\n" for e in lines)
PY
run density city.scm --cloaks moved.jsonl -o moved.csv
check "not by where their members were" cmp -s learnt.csv moved.csv
run density city.scm --run moved.jsonl -o moved.csv
check "which had been elsewhere" test "$(cksum <moved.csv)" != "$(cksum <asked.csv)"
run density city.scm --cloaks run.jsonl --cloaks run.jsonl -o twice.csv --quiet
succeeds "or from those of several records"
check "which add up" python3 - <<'PY'
def total(name):
    return sum(int(line.split(",")[1]) for line in open(name) if line[0].isdigit())
assert abs(total("twice.csv") - 2 * total("learnt.csv")) < 0.05 * total("twice.csv")
PY
run density city.scm --cloaks run.jsonl -o learnt.csv
check "a table says of what it is made" says "$out" "users of cloaks were likely on"
check "and one that rests on few counts is warned of" says "$err" "warning: the density rests on" "fewer than 5"
run density city.scm --users 5k --seconds 60 --step 20 -o many.csv
succeeds "one with many is not"
run density city.scm --cloaks run.jsonl --cloaks lonely.jsonl -o lonely.csv
refuses 1 "a record without cloaks is refused" "lonely.jsonl: there are no cloaks to learn from"
run density other.scm --cloaks run.jsonl -o x.csv
refuses 1 "as is one of another map" "run.jsonl"
run density city.scm --cloaks density.csv -o x.csv
refuses 1 "and what is none" "density.csv: seems to be a density, not the record of a run"
check "and no table is left" test ! -e x.csv
printf 'segment,weight\n3,1e100\n4,1e-100\n' >huge.csv
run attack city.scm run.jsonl --limit 3 "${few[@]}" --density huge.csv --json
succeeds "one segment may be as busy as all others never are"
check "and nothing is lost to overflow" python3 -c 'import json, sys; json.load(open(sys.argv[1]), parse_constant=sys.exit)' "$out"
run attack city.scm run.jsonl --limit 2 "${few[@]}" --density traffic
succeeds "traffic can be counted on the way"
run attack other.scm run.jsonl --limit 2
refuses 1 "a record of another map is refused" "run.jsonl"
run attack city.scm run.jsonl --limit 2 --density cloaks.csv
refuses 1 "a table of something else is refused" "cloaks.csv"
"$STARCLOAK" density other.scm --users 50 --seconds 60 -o other.csv --quiet
run attack city.scm run.jsonl --density other.csv
refuses 1 "as is a density of another map" "other.csv"
run attack city.scm run.jsonl --limit 4 "${few[@]}" --engine expansion
succeeds "the adversary may take it for another method"
check "which is told" says "$out" "method expansion (assumed)"
for method in bounded hybrid patient xstar sampling expansion; do
    "$STARCLOAK" simulate city.scm --users 400 --seconds 40 --no-answers --engine "$method" --record "$method.jsonl" --quiet
    run attack city.scm "$method.jsonl" --limit 3 "${few[@]}" --likeness exact
    succeeds "cloaks of $method are attacked, for the very same cloak"
    check "by the method that the record names" says "$out" "method $method; likeness exact"
done
"$STARCLOAK" simulate city.scm --users 60 --seconds 30 --no-answers --engine sampling --k 1:0 --l 1:0 --record single.jsonl --quiet
for attack in replay correlation injection tracking; do
    run attack city.scm single.jsonl --attack "$attack" --limit 5 --json
    succeeds "cloaks of one segment fall to $attack"
    check "entirely" says "$out" '"normalised_entropy":0,' '"probability":1,"by_chance":1,"rank":1,'
done
sed 's/,"engine":{.*}}$/}/' run.jsonl >silent.jsonl
run attack city.scm silent.jsonl --limit 2 "${few[@]}"
equal "a record that does not say its method is taken for basic" "$status" 0
check "with a note" says "$err" "basic StarCloak is assumed"

# --- Injection and tracking --------------------------------------------------------------

run attack city.scm run.jsonl --attack injection --injected 3 --limit 30 "${few[@]}" --json
succeeds "queries are injected"
check "and some recognised" python3 - "$out" <<'PY'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["injected"] == 3 and told["victims"] == 30 and 0 < told["mean"]["recognised"] <= 6
PY
run attack city.scm run.jsonl --attack tracking --limit 50
succeeds "travellers are followed"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
check "with a row for each number of cloaks" grep -qE '^ +2 +[0-9]+ ' "$out"
check "and intervals" grep -qE '^cloaks travellers segments entropy effective +\+- by density +truth +\+- rank$' "$out"
run attack city.scm run.jsonl --attack tracking --limit 50 --json
check "the more cloaks, the fewer effective segments" python3 - "$out" <<'PY'
import json, sys
steps = json.load(open(sys.argv[1]))["by_seen"]
assert len(steps) >= 3 and steps[0]["effective"] > steps[1]["effective"] > 0
for step in steps[:2]:
    assert 0 < step["effective_standard_error"] < 3 and 0 < step["probability_standard_error"] < 0.2
PY

run attack city.scm run.jsonl --attack tracking --limit 50 --top-speed 1 --links
succeeds "travellers who are faster than anyone are followed"
check "as far as it goes, which is told" grep -qE '^[0-9]+ of [0-9]+ steps are unexplained and left out of the means' "$out"
equal "with every segment of twenty cloaks" "$(grep -cE '^cloak [0-9]+, number [0-9]+ of traveller [0-9]+' "$out")" 20
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"

# --- The rules ------------------------------------------------------------------------

run attack city.scm run.jsonl --rule --density density.csv --limit 0
succeeds "what the rules exclude is told of every member"
check "with shares and their intervals" grep -qE '^  true segment likelier than 1/2 +[0-9.]+ %  \([0-9.]+ to [0-9.]+\)$' "$out"
check "of too few segments, too" grep -qE '^  fewer possible segments than l +[0-9.]+ %  \([0-9.]+ to [0-9.]+\)$' "$out"
check "no true segment is excluded" silent_about "$out" "assumptions are wrong"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
run attack city.scm run.jsonl --attack rule --density density.csv --limit 0 --json --cloaks-csv members.csv
cp "$out" rule.json
run attack city.scm run.jsonl --rule --traffic 2 --density density.csv --limit 0 --json
check "identities hold, and a demand for traffic bounds every segment" python3 - "$out" <<'PY'
import csv, json, sys
events = [json.loads(line) for line in open("run.jsonl")]
needs = {e["query"]: e["profile"] for e in events if e["event"] == "query"}
cloaks = {e["cloak"]: e for e in events if e["event"] == "cloak"}
told, bounded = json.load(open("rule.json")), json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open("members.csv")))
assert len(rows) == len(told["cloaks"]) == len(bounded["cloaks"]) == sum(len(c["members"]) for c in cloaks.values())
above = few = 0
for row, member, other in zip(rows, told["cloaks"], bounded["cloaks"]):
    cloak = cloaks[member["cloak"]]
    assert member["l"] in [needs[m["query"]]["l"] for m in cloak["members"]] and int(row["l"]) == member["l"]
    p = [link["linkability"] for link in member["links"]]
    left = sum(x > 0 for x in p)
    assert left == member["possible"] == int(row["possible"]) <= len(cloak["segments"]) and member["probability"] > 0
    above += member["probability"] > 0.5
    few += member["possible"] < member["l"]
    q = [link["linkability"] for link in other["links"]]
    assert other["is_unexplained"] or member["l"] < 2 or max(q) <= 0.5 + 1e-9
    assert other["is_unexplained"] or all(a > 0 or b == 0 for a, b in zip(p, q))
exposure = told["mean"]["exposure"]
assert exposure["above_half"]["count"] == above and exposure["too_few"]["count"] == few > 0
for share in exposure.values():
    assert share["all"] == len(rows) and share["low"] <= share["share"] <= share["high"]
assert exposure["excluded"]["count"] == 0 < bounded["mean"]["exposure"]["excluded"]["count"]
assert told["knows_rules"] and told["traffic"] == 0 and bounded["traffic"] == 2
PY
run attack city.scm run.jsonl --attack tracking --rule --density density.csv --limit 50 --json
cp "$out" ruled.json
run attack city.scm run.jsonl --attack tracking --density density.csv --limit 50 --json
check "who knows the rules follows better" python3 - "$out" <<'PY'
import json, sys
plain, ruled = json.load(open(sys.argv[1])), json.load(open("ruled.json"))
assert ruled["mean"]["effective"] < plain["mean"]["effective"] and ruled["mean"]["ruled_out"] > plain["mean"]["ruled_out"]
assert ruled["by_seen"][1]["exposure"]["above_half"]["all"] == ruled["by_seen"][1]["cloaks"]
PY
run attack city.scm run.jsonl --rule --density density.csv --engine-density density.csv --traffic 2 --limit 9 --quiet
succeeds "the engine's table may be given by itself"
"$STARCLOAK" simulate city.scm --users 400 --seconds 90 --no-answers --category any --engine patient --density density.csv --record demanding.jsonl --quiet
run density city.scm --cloaks demanding.jsonl -o x.csv
check "cloaks that were to tell little of traffic are learnt from with a warning" says "$err" "warning: traffic was demanded of the cloaks of demanding.jsonl"
rm -f x.csv
run attack city.scm demanding.jsonl --rule --traffic 2 --density density.csv --limit 0 --json
check "of cloaks that were made so, none has a road above 1/2, too few of them, or a true one excluded" python3 - "$out" <<'PY'
import json, sys
exposure = json.load(open(sys.argv[1]))["mean"]["exposure"]
assert exposure["above_half"]["all"] > 500
assert not any(exposure[name]["count"] for name in ("above_half", "above_bound", "too_few", "excluded"))
PY
cp "$out" demanding.json
run attack city.scm demanding.jsonl --rule --density density.csv --limit 0 --json
check "the record says so itself" cmp -s "$out" demanding.json
run attack city.scm demanding.jsonl --rule --engine-density density.csv --limit 0 --json
check "whatever the adversary knows of traffic" says "$out" '"density":"uniform"' '"traffic":2'
run attack city.scm demanding.jsonl --rule --limit 2
equal "without the table it is not reckoned with" "$status" 0
check "with a note" says "$err" "by a table that was not given" "--engine-density"
run attack city.scm demanding.jsonl --density density.csv --limit 3 "${few[@]}" --json
cp "$out" demanding.json
run attack city.scm demanding.jsonl --density density.csv --traffic 1 --limit 3 "${few[@]}" --json
check "replays demand the same, unless they are not to" test "$(sed 's/"traffic":2/"traffic":1/' demanding.json | md5sum)" != "$(md5sum <"$out")"
run attack city.scm demanding.jsonl --traffic 2 --limit 2
refuses 1 "a demand without a table cannot be replayed" "--traffic needs the table of the engine"
run attack city.scm demanding.jsonl --limit 2 "${few[@]}"
refuses 1 "nor is one whose table is not given passed over in silence" "demanded traffic by the table with the checksum" "name it by --engine-density, or say --traffic 1"
"$STARCLOAK" density city.scm --users 500 --seconds 60 --step 20 --seed 9 -o other-seed.csv --quiet
run attack city.scm demanding.jsonl --limit 2 "${few[@]}" --density other-seed.csv
refuses 1 "or with another table" "which was not given"
run attack city.scm demanding.jsonl --limit 2 "${few[@]}" --engine basic --quiet
equal "a method that has no such demand is assumed without" "$status" 0
check "with a note" says "$err" "note: the engine of the record demanded traffic, and basic does not"
run attack city.scm single.jsonl --rule
refuses 1 "a method without stars has no such rules" "cloaks without stars, so the rules cannot be applied"

# --- Every demand ---------------------------------------------------------------------

python3 - <<'PY'
import json
events = [json.loads(line) for line in open("run.jsonl")]
roads = {}
for e in events:
    if e["event"] == "query":
        roads.setdefault(e["user"], []).append(e["segment"])
users = [u for u in roads if len(set(roads[u])) > 1][:60]
with open("zones.csv", "w") as zones:
    zones.write("zone,user,segment\n")
    for i, user in enumerate(users):
        for segment in sorted(set(roads[user]))[:2]:
            zones.write(f"{i},{user},{segment}\n")
with open("classes.csv", "w") as classes:
    classes.write("segment,class\n")
    for segment in range(0, 300, 9):
        classes.write(f"{segment},clinic\n{segment + 1},worship\n")
PY
"$STARCLOAK" simulate city.scm --users 400 --seconds 90 --no-answers --category any --engine patient --density density.csv \
    --classes classes.csv --zones zones.csv --continuity --vmax 20 --record all.jsonl --quiet || echo "# no run with every demand"
run attack city.scm all.jsonl --density density.csv --limit 3 "${few[@]}"
succeeds "a run with every demand is replayed"
check "which the report names, and what replays do without" says "$out" "demanded: strict, traffic 2, class clinic, class worship" "$(($(tail -n +2 zones.csv | cut -d, -f1 | sort -u | wc -l))) zones (not in replays)" "continuity of 20 m/s and 300 s (not in replays)"
check "within 80 columns" test -z "$(grep -E '.{81}' "$out")"
run attack city.scm all.jsonl --density density.csv --attack injection --limit 3 "${few[@]}" --json
succeeds "and made again with injected queries"
check "and JSON has them" says "$out" '"demands":{"strict":true,"traffic":2,"classes":["clinic","worship"],"zones":' '"continuity":{"vmax_m_s":20,"tau_s":300}'
run attack city.scm all.jsonl --rule --density density.csv --limit 0 --json
cp "$out" unknown.json
run attack city.scm all.jsonl --rule --known-zones --density density.csv --limit 0 --json
check "zones exclude roads for one who knows them, and no true one" python3 - "$out" <<'PY'
import json, sys
known, unknown = json.load(open(sys.argv[1])), json.load(open("unknown.json"))
assert known["demands"]["knows_zones"] and not unknown["demands"]["knows_zones"]
assert known["mean"]["ruled_out"] > unknown["mean"]["ruled_out"]
assert known["mean"]["exposure"]["excluded"]["count"] == unknown["mean"]["exposure"]["excluded"]["count"] == 0
assert known["mean"]["exposure"]["above_half"]["count"] >= unknown["mean"]["exposure"]["above_half"]["count"] == 0
PY
run attack city.scm all.jsonl --attack tracking --rule --density density.csv --top-speed 1000 --both-ways --limit 0 --json
check "nor does what was reached" python3 - "$out" <<'PY'
import json, sys
assert json.load(open(sys.argv[1]))["mean"]["exposure"]["excluded"]["count"] == 0
PY
run attack city.scm run.jsonl --rule --known-zones
refuses 1 "zones of a record without are not known" "--known-zones: the record has no zones"
run attack city.scm run.jsonl --known-zones
refuses 2 "nor without the rules" "--known-zones is for --rule"

# --- Crowds --------------------------------------------------------------------------

python3 - <<'PY'
import json
events = [json.loads(line) for line in open("run.jsonl")]
end = events.pop()
last = next(event for event in reversed(events) if event["event"] == "cloak")
members = {member["query"]: member["star"] for member in last["members"]}
like = next(event for event in events if event["event"] == "query" and event["query"] in members)
crowd = [dict(like, query=f"{i:032x}", user=f"crowd{i}", t=end["t"]) for i in range(10001)]
cloak = dict(last, cloak=last["cloak"] + 1, t=end["t"],
             members=[{"query": one["query"], "star": members[like["query"]]} for one in crowd])
with open("crowd.jsonl", "w") as out:
    for event in events + crowd + [cloak, end]:
        out.write(json.dumps(event, separators=(",", ":")) + "\n")
PY
run attack city.scm crowd.jsonl --limit 2 "${few[@]}"
succeeds "a crowd does not end an attack"
check "it is passed over, and counted" says "$out" "2 of $(printf "%'d" "$cloaks") cloaks" "1 cloak with more than 10,000 members was skipped."

# --- Usage -----------------------------------------------------------------------

run attack
refuses 2 "no map" "no map"
run attack city.scm
refuses 2 "no record" "no record given"
run attack city.scm run.jsonl third
refuses 2 "a word too many" "third"
run attack city.scm run.jsonl --attack magic
refuses 2 "an unknown attack" "--attack" "magic"
run attack city.scm run.jsonl --injected 2
refuses 2 "injected without injection" "--injected is for --attack injection"
run attack city.scm run.jsonl --attack injection --injected 0
refuses 2 "none injected" "--injected"
for profile in 5,1,4 5:1 5:1:4: 5:1:4:x 5:1:4:-3 5:1:4:3:1 5:1:4:nan 5::4 -5:1:4 ' 5:1:4' 5:1:99999999999999999999 ''; do
    run attack city.scm run.jsonl --attack injection --injected-profile "$profile"
    refuses 2 "'$profile' is no profile" "K:L:SIGMA_S"
done
run attack city.scm run.jsonl --attack injection --injected-profile 5:0:4
refuses 2 "no profile is without a segment" "L from 1"
run attack city.scm run.jsonl --attack injection --injected-profile 5:1:4:0
refuses 2 "none is without a wait" "the wait goes from above 0"
run attack city.scm run.jsonl --attack injection --injected-profile 3:2:5:0.5 --injected 2 --limit 9 "${few[@]}" --quiet
succeeds "a profile whose queries are the most urgent"
run attack city.scm run.jsonl --attack injection --injected-profile 3:2:5 --injected 2 --limit 9 "${few[@]}" --quiet
succeeds "a profile that is one"
run attack city.scm run.jsonl --attack tracking --samples 1000
refuses 2 "replays for tracking" "--samples is about replays"
run attack city.scm run.jsonl --rule --samples 1000
refuses 2 "replays for the rules" "--samples is about replays, and --attack rule runs none"
run attack city.scm run.jsonl --rule --attack injection
refuses 2 "the rules for replays" "--rule goes with --attack tracking, or alone, but the attack is injection"
run attack city.scm run.jsonl --attack tracking --traffic 2
refuses 2 "traffic without the rules" "--traffic needs --rule with --attack tracking"
run attack city.scm run.jsonl --rule --traffic 1 --engine-density density.csv
refuses 2 "a table for no demand" "--engine-density is for a demand of traffic, and --traffic 1 is none"
run attack city.scm run.jsonl --traffic 2
refuses 1 "a demand of an engine that has none" "--traffic is what the engine patient demands, but the method is basic"
run attack city.scm run.jsonl --rule --traffic 5
refuses 2 "more than can be demanded of traffic" "--traffic"
run attack city.scm run.jsonl --top-speed 30
refuses 2 "a speed without tracking" "--attack tracking"
run attack city.scm run.jsonl --lambda 2
refuses 2 "an engine's option without an engine" "needs --engine NAME"
run attack city.scm run.jsonl --samples 5
refuses 2 "too few samples" "--samples"
run attack city.scm run.jsonl --cloaks-csv city.scm
refuses 2 "an output that is the map" "also an input"
run attack city.scm run.jsonl --cloaks-csv x --geojson x
refuses 2 "two outputs in one" "the same file"
run attack city.scm run.jsonl --cloaks-csv x --geojson ./x
refuses 2 "under whatever name" "the same file"
run attack city.scm - --density -
refuses 2 "two inputs in one" "standard input"
run attack city.scm run.jsonl --links-csv - --json
refuses 2 "a table and JSON in one" "both write to standard output"
run attack run.jsonl city.scm
refuses 1 "map and record the wrong way round" "run.jsonl"
"$STARCLOAK" simulate bare.scm --users 30 --seconds 20 --no-answers --k 2:0 --l 1:0 --record bare.jsonl --quiet
run attack bare.scm bare.jsonl "${few[@]}" --limit 2 --geojson bare.geojson
refuses 1 "GeoJSON of a map without coordinates" "no coordinates"
check "leaves nothing behind" test ! -e bare.geojson
run attack city.scm run.jsonl --limit 0 --samples 1000000M --cloaks-csv /nowhere/x.csv
refuses 1 "a folder that is not there, before the work begins" "/nowhere/x.csv"
run attack city.scm run.jsonl --limit 0 --samples 1000000M --cloaks-csv whole.csv --links-csv /dev/full
refuses 1 "a file that is none" "/dev/full"
check "leaves nothing behind either" test ! -e whole.csv
run density city.scm
refuses 2 "a density without a place" "-o DENSITY.csv"
printf 'time,id,x,y\n' >cabs.csv
run density city.scm --traces cabs.csv -o ./cabs.csv
refuses 2 "a density in the place of its traces" "also an input"
run density city.scm --users 100M --seconds 1000000 -o /nowhere/x.csv
refuses 1 "or in a folder that is not there, before the work begins" "/nowhere/x.csv"
run density city.scm --run run.jsonl --users 5 -o x.csv
refuses 2 "travellers and questions at once" "--run counts the queries of a record"
run density city.scm --run run.jsonl --cloaks run.jsonl -o x.csv
refuses 2 "questions and cloaks at once" "--cloaks learns from cloaks alone; leave one out"
run density city.scm --cloaks run.jsonl --seconds 5 -o x.csv
refuses 2 "travellers and cloaks at once" "--cloaks learns from published cloaks, and --seconds"
run density city.scm --cloaks run.jsonl --cloaks moved.jsonl -o ./moved.jsonl
refuses 2 "a density in the place of one of its records" "also an input"
finish
