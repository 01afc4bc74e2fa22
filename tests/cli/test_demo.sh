#!/usr/bin/env bash
# `starcloak demo` as people call it, and what `starcloak serve` must not have: its pages. (What the
# pages show is tested in a browser, web/e2e.)
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
city city.scm
user=$(id -un)

# page NAME PATH [CURL-OPTION...]: its status is $code, its body in NAME.body, its headers in headers.txt.
page() {
    local url=$2 name=$1
    shift 2
    code=$(curl -sS --max-time 20 -D headers.txt -o "$name.body" -w '%{http_code}' "$@" "$url")
}
is() { test "$code" = "$1"; }
holds() { jq -e "$1" "$2" >/dev/null; }
header() { grep -qi "^$1: $2" headers.txt; }

# --- Usage ---------------------------------------------------------------------------

run demo
refuses 2 "a demo without a map is a usage error" "no map given"
run demo city.scm --travellers 0
refuses 2 "a demo without travellers is a usage error" "--travellers"
run demo city.scm --k banana
refuses 2 "needs that are no numbers are a usage error" "--k"
run demo city.scm --tls-certificate missing.pem --listen 127.0.0.1:0
refuses 1 "a demo does not speak TLS, and says why" "plain HTTP"
run demo city.scm --no-ui --listen 127.0.0.1:0
refuses 1 "a demo without its UI makes no sense, and says so" "a demo needs its page"
run demo city.scm --travellers 15001 --listen 127.0.0.1:0
refuses 2 "a demo of more travellers than there are descriptors for is a usage error" "--travellers"
touch keys
run demo city.scm --token-keys keys --listen 127.0.0.1:0
refuses 1 "a demo gives tokens to everybody, so it takes no key that others trust" "token-keys"
command_line="ulimit -n 300; starcloak demo city.scm --travellers 200"
(ulimit -n 300 && exec "$STARCLOAK" demo city.scm --travellers 200 --listen 127.0.0.1:0) >"$out" 2>"$err" </dev/null
status=$?
refuses 1 "more travellers than descriptors are refused, and not called a bug later" "ulimit -n"
run demo city.scm --check --listen 127.0.0.1:0 --travellers 10
succeeds "a demo can be checked without being run"
run demo city.scm --reports missing --listen 127.0.0.1:0 --travellers 10
refuses 1 "a folder of reports that is not there is named" "missing"

# --- Recorded movement -----------------------------------------------------------------

run demo city.scm --trace-fold 60 --listen 127.0.0.1:0
refuses 2 "options of traces without traces are a usage error" "add --traces PATH"
run demo city.scm --traces missing.csv --listen 127.0.0.1:0 --check
refuses 1 "traces that are not there are named" "missing.csv"
echo "id,t,lon,lat
cab,0,170,10
cab,60,170,10.001" >elsewhere.csv
run demo city.scm --traces elsewhere.csv --listen 127.0.0.1:0 --check
refuses 1 "traces of elsewhere are refused with what became of them" "the same area"
"$STARCLOAK" queries city.scm --users 30 --seconds 300 --pause 20:0 --quiet -o asked.jsonl
jq -nr '"id,t,lon,lat", (inputs | "\(.user),\(.t),\(.lon),\(.lat)")' asked.jsonl >tracks.csv
start traced "$STARCLOAK" demo city.scm --traces tracks.csv --listen 127.0.0.1:0 --pause 2:0.5 --k 2:0 --sigma-s 8:1 --user "$user"
check "a demo follows traces" until_true grep -q "^30 travellers are on their way" traced.out
check "and says what became of them" grep -q "travellers 30, out of " traced.log
url=http://$(address_of traced)
(timeout 500 curl -sSN "$url/demo/events" >traced.txt 2>/dev/null || true) &
check "who ask and are answered" until_true grep -q '"outcome":"answered"' traced.txt
check "and are seen on the roads" grep -q '^event: positions' traced.txt
kill -TERM "$started_id"
ended "$started_id"
check "until it is told to stop" test "$status" = 0

# --- A recorded run --------------------------------------------------------------------

"$STARCLOAK" simulate city.scm --users 300 --seconds 40 --pause 5:1 --k 3:0.5 --sigma-s 8:1 --seed 3 --record run.jsonl --quiet
run demo city.scm --replay run.jsonl --travellers 10
refuses 2 "a replay has no travellers" "--travellers is about travellers"
run demo city.scm --replay run.jsonl --traces tracks.csv
refuses 2 "nor any that follow traces" "--traces is about travellers"
run demo city.scm --replay missing.jsonl --listen 127.0.0.1:0 --check
refuses 1 "a record that is not there is named" "missing.jsonl"
: >empty.jsonl
run demo city.scm --replay empty.jsonl --listen 127.0.0.1:0 --check
refuses 1 "an empty record is refused" "the file is empty"
sed 5d run.jsonl | head -c 3000 >cut.jsonl
run demo city.scm --replay cut.jsonl --listen 127.0.0.1:0 --check
refuses 1 "a broken line is named" "cut.jsonl:"
"$STARCLOAK" map generate --nodes 600 --seed 8 -o other.scm --quiet
run demo other.scm --replay run.jsonl --listen 127.0.0.1:0 --check
refuses 1 "a record of another map is refused with what to do" "starcloak map info"
run demo city.scm --replay run.jsonl --listen 127.0.0.1:0 --check
succeeds "a replay can be checked without being shown"

start replay "$STARCLOAK" demo city.scm --replay run.jsonl --listen 127.0.0.1:0 --user "$user"
replay=$started_id
url=http://$(address_of replay)
check "a replay says which address to open" until_true grep -q "run.jsonl is ready to be shown. Open this" replay.out
page about "$url/v1/about"
check "it tells that it is a replay" holds '.demo and (.offers == ["attacks","replay"])' about.body
page state "$url/demo/replay"
check "which begins when somebody looks" holds '.now == .begin and .speed == 1 and .end >= 40 and (.is_paused | not)' state.body
end=$(jq .end state.body)
page state "$url/demo/replay" -H 'Content-Type: application/json' -d '{"speed":50}'
check "it can be hurried" holds '.speed == 50' state.body
(timeout 500 curl -sSN "$url/v1/events" >seen.txt 2>/dev/null || true) &
(timeout 500 curl -sSN "$url/demo/events" >told.txt 2>/dev/null || true) &
check "it comes to its end, and stops there" until_true grep -q "\"now\":$end,\"speed\":50,\"is_paused\":true" told.txt
page state "$url/demo/replay" -H 'Content-Type: application/json' -d "{\"t\":$end}"
until_true grep -q '^event: reset' seen.txt
counted() { grep -A 1 '^event: counters' seen.txt | sed -n 's/^data: //p' | tail -n 1 | jq "$1"; }
recorded() { jq -s "map(select(.event == \"$1\")) | length" run.jsonl; }
are_counted() { test "$(counted .cloaks)" = "$(recorded cloak)" && test "$(counted .dropped)" = "$(recorded drop)"; }
check "it has counted the cloaks of the record, and what was dropped" until_true are_counted
page state "$url/demo/replay" -H 'Content-Type: application/json' -d '{"paused":true,"t":12.5}'
check "any moment can be looked at" holds '.now == 12.5 and .is_paused' state.body
waiting=$(jq -s '[.[] | select(.t != null and .t <= 12.5)] | ([.[] | select(.event == "query") | .query]
    - [.[] | select(.event == "drop" or .event == "failed") | .query] - [.[] | select(.event == "cloak") | .members[].query]) | length' run.jsonl)
shown() { grep -A 1 '^event: pending' told.txt | sed -n 's/^data: //p' | tail -n 1 | jq '.queries | length'; }
are_shown() { test "$(shown)" = "$waiting"; }
check "with those who waited then" until_true are_shown
check "what is told names no user" test -z "$(grep -E '"u[0-9]+"' told.txt seen.txt)"
page ask "$url/v1/queries" -H 'Content-Type: application/json' -d '{}'
check "asking is refused with words" grep -q "replays a recorded run" ask.body
kill -TERM "$replay"
ended "$replay"
check "told to stop, it ends well" test "$status" = 0

# --- Any map ---------------------------------------------------------------------------

# demo_script [NAME=VALUE...]: what `make demo` runs, in the background, with files of its own.
demo_script() {
    command_line="$* scripts/demo"
    env "$@" DEMO_FOLDER="$work/demo" DEMO_PORT=0 DEMO_SECONDS=600 STARCLOAK="$STARCLOAK" "$repository/scripts/demo" >"$out" 2>"$err" </dev/null
    status=$?
}
# script_refuses SENTENCE TEXT...: it has ended with 1 and said so.
script_refuses() {
    local sentence=$1
    shift
    if [[ $status == 1 ]] && says "$err" "$@"; then pass "$sentence"; else fail "$sentence" "wanted exit 1, and: $*"; fi
}
end_script() { env DEMO_FOLDER="$work/demo" "$repository/scripts/demo" stop >/dev/null; }
demo_script DEMO_MAP=nowhere.osm
script_refuses "a map that is not there is named, with where it was looked for" "MAP: there is no nowhere.osm" "relative to"
echo '<osm' >broken.osm
demo_script DEMO_MAP=broken.osm
script_refuses "one that cannot be imported is refused with the reason" "broken.osm" "cannot be imported"
demo_script DEMO_REPLAY=run.jsonl
script_refuses "a replay needs the map of its run" "add MAP=FILE"
cp "$data"/../osm/town.osm.pbf .
demo_script DEMO_MAP=town.osm.pbf DEMO_TRAVELLERS=5
succeeds "any map is imported and shown"
url=$(grep -oE 'http://[0-9.:]+/' "$out")
page map "${url}v1/map"
check "it is that map" holds '.segments | length > 0' map.body
page demo_about "${url}demo/about"
check "with travellers on it" holds '.travellers == 5' demo_about.body
end_script
page_is_gone() { ! curl -s --max-time 5 -o /dev/null "$url"; }
check "and it can be stopped" until_true page_is_gone
demo_script DEMO_MAP=city.scm DEMO_TRACES=tracks.csv
succeeds "so are traces on a map"
url=$(grep -oE 'http://[0-9.:]+/' "$out")
page demo_about "${url}demo/about"
check "with travellers who follow them" holds '.travellers == 30' demo_about.body
end_script
demo_script DEMO_MAP=city.scm DEMO_REPLAY=run.jsonl
succeeds "and a recorded run"
url=$(grep -oE 'http://[0-9.:]+/' "$out")
page state "${url}demo/replay"
check "which is shown" holds ".end == $end" state.body
end_script

# --- The demo ------------------------------------------------------------------------

mkdir report
start demo "$STARCLOAK" demo city.scm --listen 127.0.0.1:0 --travellers 200 --pause 2:0.5 --k 3:0.5 --sigma-s 8:1 --user "$user" --reports report --engine basic
demo=$started_id
url=http://$(address_of demo)
check "a demo says which address to open" until_true grep -q "Open this in a browser" demo.out
check "which is where it listens" grep -q "$url/" demo.out

page ui "$url/"
check "the UI is there" is 200
check "with a policy that lets nothing else in" header Content-Security-Policy "default-src 'none'"
check "without a script or style inside" test -z "$(grep -E '<style|<script[^>]*>[^<]|style=' ui.body)"
page about "$url/v1/about"
check "it tells that it is a demo" holds '.demo and (.engine == "basic") and .profile.k.least == 2' about.body
page demo_about "$url/demo/about"
check "a guest gets a token" holds '.token | startswith("sct1_")' demo_about.body
cp demo_about.body first.body
page demo_about "$url/demo/about"
check "and another guest another" test "$(jq -r .token first.body)" != "$(jq -r .token demo_about.body)"

(timeout 500 curl -sSN "$url/demo/events" >truth.txt 2>/dev/null || true) &
(timeout 500 curl -sSN "$url/v1/events" >events.txt 2>/dev/null || true) &
(timeout 500 curl -sSN "$url/demo/methods" >methods.txt 2>/dev/null || true) &
check "travellers ask, and are heard of" until_true grep -q '^event: asked' truth.txt
check "where they are is told" until_true grep -q '^event: positions' truth.txt
check "and how it ends" until_true grep -q '^event: ended' truth.txt
check "methods are compared, StarCloak's first" until_true grep -q '"methods":\["basic","xstar","expansion"\]' methods.txt
check "cloaks leave" until_true grep -q '^event: cloak' events.txt
check "what the provider sees names no traveller" test -z "$(grep -E '"who"|"query"|"user"|"at":' events.txt)"

page engine "$url/demo/engine" -H 'Content-Type: application/json' -d '{"engine":"hybrid"}'
check "another engine can be chosen" holds '.engine == "hybrid"' engine.body
check "which is told to all" until_true grep -q '"engine":"hybrid"' truth.txt
page about "$url/v1/about"
check "and is in force" holds '.engine == "hybrid"' about.body
page engine "$url/demo/engine" -H 'Content-Type: application/json' -d '{"engine":"expansion"}'
check "one that cannot be switched to is refused" is 400
page engine "$url/demo/engine" -d 'engine=basic'
check "a form of another site's page is refused" is 415
page foreign "$url/demo/about" -H 'Host: evil.example'
check "a name that points here is not this machine" is 403
page foreign "$url/v1/events" -H 'Host: evil.example'
check "nor for events" is 403
page foreign "$url/v1/events" -H 'X-Forwarded-For: 192.0.2.7'
check "nor is a client behind a proxy" is 403

page report "$url/reports/"
check "a report that is not there yet is not found, with what to do" is 404
check "by name of the command" grep -q "starcloak experiment" report.body
echo '<!doctype html><title>figures</title><style>p{color:red}</style><p>here' >report/report.html
page report "$url/reports/"
check "one that appears is shown" grep -q figures report.body
check "without any script" header Content-Security-Policy "default-src 'none'; style-src 'unsafe-inline'"
page secret "$url/reports/..%2fkeys"
check "nothing beside the folder is shown" is 404
page about "$url/v1/about"
check "there are reports now" holds '.offers == ["attacks","reports"]' about.body

segments=$(sed -nE 's/^data: \{"id":"[0-9a-f]{16}","segments":(\[[0-9,]+\]).*/\1/p' events.txt | head -n 1)
page attack "$url/v1/attacks" -H 'Content-Type: application/json' \
    -d "{\"segments\":$segments,\"members\":[{\"k\":3,\"l\":3,\"max_hops\":8},{\"k\":3,\"l\":3,\"max_hops\":8},{\"k\":3,\"l\":3,\"max_hops\":8}]}"
check "a cloak that left can be attacked" holds '.found and (.linkability | add) > 0.99 and .normalised_entropy <= 1' attack.body

# What the figures of methods are, once each was asked and attacked: in figures.json, a line per second.
are_compared() {
    sed -n '/^event: methods$/{n;s/^data: //p}' methods.txt | head -n -1 >figures.json
    figures 'any(.[]; all(.methods[]; .asked > 0 and .cloaks > 0 and .attacked > 0))'
}
figures() { jq -se "$1" figures.json >/dev/null; }
check "with the engine that was chosen" until_true grep -q '"methods":\["hybrid","xstar","expansion"\]' methods.txt
for method in hybrid xstar expansion; do
    check "$method finds cloaks" until_true grep -q "^data: {\"method\":\"$method\",\"id\":\"$method-" methods.txt
done
check "all of them are asked, and attacked" until_true are_compared
check "the same questions of each" figures 'all(.[]; [.methods[].asked] | unique | length == 1)'
check "what became of them adds up" figures 'all(.[].methods[]; .cloaked + .dropped == .asked and .cloaked >= 0 and .dropped >= 0)'
check "shares are shares" figures 'all(.[].methods[] | .success, .chance; . == null or (. >= 0 and . <= 1))'
check "no method breaks a promise" figures 'all(.[].methods[]; .violations == 0)'
check "a cloak of a method names no traveller" test -z "$(grep -E '"who"|"query"|"user"|"at":' methods.txt)"

kill -TERM "$demo"
ended "$demo"
check "told to stop, it ends well: no traveller found a promise broken" test "$status" = 0
check "its log names no user" test -z "$(grep -E 'sct1_|guest-|u[0-9]+=' demo.log)"

# --- The service has none of that ------------------------------------------------------

start serve "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin listen --user "$user"
serve=$started_id
url=http://$(address_of serve)
page ui "$url/"
check "the service has the UI, too" is 200
for path in /demo /demo/ /demo/about /demo/events /demo/engine /demo/methods; do
    page demo "$url$path"
    check "and not $path" is 404
done
page demo "$url/demo/engine" -H 'Content-Type: application/json' -d '{"engine":"hybrid"}'
check "nor can its engine be changed" is 404
page about "$url/v1/about"
check "it says that it is no demo" holds '.demo == false and .offers == []' about.body
page report "$url/reports/"
check "it has no reports" is 404
page attack "$url/v1/attacks" -H 'Content-Type: application/json' -d '{}'
check "it has no adversary" is 404
run serve city.scm --reports report --check
refuses 2 "reports are no flag of the service" "reports"
printf '[server]\nreports = report\n' >old.ini
run serve city.scm --config old.ini --check
refuses 1 "a file that still names them is told what to do" "old.ini:2" "starcloak demo" "--reports FOLDER"
check "it tells where the UI is" grep -q "the UI: $url/" serve.out
kill -TERM "$serve" && wait "$serve"

start plain "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$user" --no-ui --events off
url=http://$(address_of plain)
page ui "$url/"
check "the UI can be left out" is 404
kill -TERM "$started_id" && wait "$started_id"

# --- A demo of another method ------------------------------------------------------------

start other "$STARCLOAK" demo city.scm --listen 127.0.0.1:0 --travellers 10 --user "$user" --engine xstar
url=http://$(address_of other)
page about "$url/v1/about"
check "a demo of XStar says so" holds '.engine == "xstar"' about.body
page demo_about "$url/demo/about"
check "and offers no engine to switch to" holds '.engine == "xstar" and .engines == ["xstar"]' demo_about.body
page engine "$url/demo/engine" -H 'Content-Type: application/json' -d '{"engine":"basic"}'
check "nor switches" is 400
kill -TERM "$started_id" && wait "$started_id"

start quiet "$STARCLOAK" demo city.scm --listen 127.0.0.1:0 --travellers 10 --user "$user" --events off
url=http://$(address_of quiet)
page attack "$url/v1/attacks" -H 'Content-Type: application/json' -d '{}'
check "who may not listen may not attack" is 404
page methods "$url/demo/methods"
check "nor compare methods" is 404

finish
