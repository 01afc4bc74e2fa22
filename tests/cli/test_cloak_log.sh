#!/usr/bin/env bash
# What a service publishes, kept by its operator (`serve --cloak-log`), and what 'starcloak density --cloaks' learns of it:
# the same as from a record of the same cloaks, and without a position.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
mkdir logs
settings=(--user "$me" --token-keys keys --user-rate 0 --address-rate 0 --user-cost 0 --user-waiting 0 --max-wait 60
    --listen 127.0.0.1:0 --admin listen --metrics open --events open)

# metric ADDRESS NAME: its value.
metric() { curl -s "http://$1/metrics" | awk -v name="$2" '$1 == name { print $2 }'; }
# all_written ADDRESS: every cloak that left is in the log.
all_written() { test "$(metric "$1" starcloak_cloak_log_written_total)" = "$(metric "$1" starcloak_cloaks_total)"; }
ask() { "$STARCLOAK" load "http://$1" city.scm --key keys -n 150 --duration "${2:-3}" --pause 1 --sigma-t 2 --seed "${3:-1}" --quiet >/dev/null; }

# --- A day ----------------------------------------------------------------------------

start service "$STARCLOAK" serve city.scm "${settings[@]}" --cloak-log logs/day.jsonl
service=$started_id
address=$(address_of service)
check "a service with a cloak log starts, in its sandbox" grep -q 'event=ready.*sandbox=yes' service.log
curl -sN "http://$address/v1/events" >events.txt &
listener=$!
started+=("$listener")
until_true grep -q '^event: history' events.txt
ask "$address"
check "all cloaks that left are written" until_true all_written "$address"
check "and none is lost" test "$(metric "$address" starcloak_cloak_log_lost_total)" = 0
users=$(metric "$address" starcloak_cloak_users_sum)
kill "$listener"
check "the file is for its user alone" test "$(stat -c %a logs/day.jsonl)" = 600
check "it has what listeners saw, the number of users, and nothing else" python3 - "$users" <<'PY'
import json, sys, time
lines = [json.loads(line) for line in open("logs/day.jsonl")]
assert lines[0].keys() == {"event", "t", "map", "traffic"} and lines[0]["event"] == "start", lines[0]
cloaks = lines[1:]
assert len(cloaks) > 20, len(cloaks)
for cloak in cloaks:
    assert list(cloak) == ["event", "t", "segments", "users"] and cloak["event"] == "cloak", cloak
    assert isinstance(cloak["t"], int) and abs(cloak["t"] - time.time()) < 3600, cloak["t"]
assert sum(c["users"] for c in cloaks) == float(sys.argv[1])
events = open("events.txt").read().split("\n\n")
seen = [json.loads(e.split("data: ", 1)[1])["segments"] for e in events if e.startswith("event: cloak\n")]
assert sorted(seen) == sorted(c["segments"] for c in cloaks), (len(seen), len(cloaks))
PY

# --- Moved away, and begun again --------------------------------------------------------

mv logs/day.jsonl logs/monday.jsonl
monday=$(cksum <logs/monday.jsonl)
kill -HUP "$service"
check "on SIGHUP the file is made again" until_true test -e logs/day.jsonl
until_true grep -q event=reloaded service.log
ask "$address" 2 2
until_true all_written "$address"
check "what follows is in it" grep -q '"event":"cloak"' logs/day.jsonl
check "and not in the one that was moved away" test "$(cksum <logs/monday.jsonl)" = "$monday"
check "which no thread has open any longer" test -z "$(find "/proc/$service/task" -lname '*monday.jsonl' 2>/dev/null)"
mv logs/day.jsonl logs/tuesday.jsonl
mkdir logs/day.jsonl
kill -HUP "$service"
check "if it cannot be opened, the log says so" until_true grep -q 'event=cloak_log_failed.*day.jsonl' service.log
rmdir logs/day.jsonl
ask "$address" 1 3
check "and the file that is open stays in use" until_true all_written "$address"
kill -KILL "$service"
wait "$service" 2>/dev/null
check "no line of the log names the user of a query or a position" test -z "$(grep -E 'edge|offset|lon=|traveller' service.log)"

# --- What is learnt -----------------------------------------------------------------------

# The same cloaks as a record with queries, each somewhere on its cloak.
"$STARCLOAK" map export city.scm exported >/dev/null
python3 - <<'PY'
import csv, json
first = {}
with open("exported/edges.csv") as file:
    for number, row in enumerate(csv.DictReader(file)):
        first.setdefault(int(row["segment"]), int(row.get("edge", number)))
count, cloaks = 0, 0
with open("lab.jsonl", "w") as out:
    put = lambda event: out.write(json.dumps(event, separators=(",", ":")) + "\n")
    for line in open("logs/monday.jsonl"):
        cloak = json.loads(line)
        if cloak["event"] != "cloak":
            continue
        members = []
        for _ in range(cloak["users"]):
            segment = cloak["segments"][count % len(cloak["segments"])]
            name, count = f"{count:032x}", count + 1
            put({"event": "query", "query": name, "user": f"u{count}", "t": cloaks, "edge": first[segment], "offset_m": 0.0,
                 "segment": segment, "profile": {"k": 1, "l": 1, "sigma_s": 4, "sigma_t": 5.0}, "request": {"type": "knn", "k": 1, "category": None}})
            members.append({"query": name})
        put({"event": "cloak", "cloak": cloaks, "t": cloaks, "stars": [], "segments": cloak["segments"], "border_nodes": [], "members": members})
        cloaks += 1
    put({"event": "end", "t": cloaks})
PY
run density city.scm --cloaks logs/monday.jsonl -o learnt.csv
equal "a density is learnt from what a service published" "$status" 0
check "and says of what" says "$out" "users of cloaks were likely on"
run density city.scm --run lab.jsonl -o asked.csv --quiet
succeeds "the laboratory has a record of the same cloaks"
run density city.scm --cloaks lab.jsonl -o lab.csv --quiet
check "from which it learns the same, segment by segment" cmp -s learnt.csv lab.csv
grep '"event":"cloak"' lab.jsonl >stripped.jsonl
run density city.scm --cloaks stripped.jsonl -o stripped.csv --quiet
check "as without any line of a query" cmp -s learnt.csv stripped.csv
run density city.scm --cloaks logs/monday.jsonl --cloaks logs/tuesday.jsonl -o both.csv --quiet
succeeds "several days are learnt from together"
xz -k logs/monday.jsonl
gzip -k logs/tuesday.jsonl
run density city.scm --cloaks logs/monday.jsonl.xz --cloaks logs/tuesday.jsonl.gz -o packed.csv --quiet
check "packed or not" cmp -s both.csv packed.csv
run simulate city.scm --seconds 5 --users 200 --engine patient --density learnt.csv --quiet
succeeds "an engine takes what was learnt"

# --- Days that are damaged -----------------------------------------------------------------

# A service that was killed while it wrote, and started again.
cut=$(($(stat -c %s logs/monday.jsonl) - 9))
head -c "$cut" logs/monday.jsonl >logs/day.jsonl
run density city.scm --cloaks logs/day.jsonl -o cut.csv
equal "a last line that is cut off is left out" "$status" 0
check "and told" says "$err" "lines that a service could not finish, left out: 1"
start again "$STARCLOAK" serve city.scm "${settings[@]}" --cloak-log logs/day.jsonl
again=$started_id
address=$(address_of again)
ask "$address" 1 4
until_true all_written "$address"
kill -TERM "$again"
ended "$again"
check "a service that starts again ends it" test "$(grep -c '"event":"start"' logs/day.jsonl)" = 2
run density city.scm --cloaks logs/day.jsonl -o cut.csv
equal "and goes on behind it" "$status" 0
check "with one line left out" says "$err" "left out: 1"
sed '5s/"segments"/"segm/' logs/monday.jsonl >damaged.jsonl
run density city.scm --cloaks damaged.jsonl -o x.csv
refuses 1 "damage anywhere else is refused with its line" "damaged.jsonl:5: column"
"$STARCLOAK" map generate --nodes 500 --seed 8 -o other.scm --quiet
run density other.scm --cloaks logs/monday.jsonl -o x.csv
refuses 1 "as are cloaks on another map" "monday.jsonl:1: this was a run on the map with the checksum"
head -n 1 logs/monday.jsonl >quiet.jsonl
run density city.scm --cloaks quiet.jsonl -o x.csv
refuses 1 "and a day without cloaks" "there are no cloaks to learn from"
head -n 1 logs/monday.jsonl >scarce.jsonl
grep -m 1 '"event":"cloak"' logs/monday.jsonl | sed 's/"users":[0-9]*/"users":1/' >>scarce.jsonl
run density city.scm --cloaks scarce.jsonl -o x.csv
refuses 1 "and one whose cloaks tell nothing, before it writes zeros" \
    "scarce.jsonl: too few cloaks to learn from, 1 in all" "more or busier days"
check "no table is left" test ! -e x.csv

# --- A limit, demands, and what cannot be ------------------------------------------------------

run density city.scm --seconds 60 --users 2k -o density.csv --quiet
start small "$STARCLOAK" serve city.scm "${settings[@]}" --cloak-log logs/small.jsonl --density density.csv --cloak-log-max 1
small=$started_id
address=$(address_of small)
ask "$address" 1 5
until_true all_written "$address"
dd if=/dev/zero bs=1024 count=1024 2>/dev/null | tr '\0' '\n' >>logs/small.jsonl
ask "$address" 1 6
check "a file that is full is told once" until_true grep -q 'event=cloak_log_failed.*has reached cloak-log-max' small.log
mv logs/small.jsonl logs/full.jsonl
kill -HUP "$small"
until_true test -e logs/small.jsonl
ask "$address" 1 7
check "and when there is room again" until_true grep -q 'event=cloak_log_resumed' small.log
check "what is missing is counted" test "$(metric "$address" starcloak_cloak_log_lost_total)" -gt 0
kill -TERM "$small"
ended "$small"
check "the end of a service writes the rest" test "$status" = 0
run density city.scm --cloaks logs/full.jsonl -o x.csv
check "cloaks of which traffic was demanded are warned of" says "$err" "traffic was demanded of the cloaks of logs/full.jsonl"
rm -f x.csv

run serve city.scm --user "$me" --cloak-log logs/none/day.jsonl --check
refuses 1 "a directory that is not there is told by --check" "cloak-log: the user $me cannot open logs/none/day.jsonl"
run serve city.scm --user "$me" --listen 127.0.0.1:0 --cloak-log logs
refuses 1 "and what is no file by a start" "cloak-log:"
run serve city.scm --user "$me" --cloak-log logs/new.jsonl --check
succeeds "a check makes no file"
check "so there is none" test ! -e logs/new.jsonl

finish
