#!/usr/bin/env bash
# `starcloak serve` as an operator meets it: settings from files and flags, what is wrong with them,
# the one command that is a complete system, sockets handed over, privileges given up, chaos.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys

# --- Settings --------------------------------------------------------------------------------

run serve --print-config
succeeds "all settings are printed"
cp "$out" all.ini
check "with sections and meanings" says all.ini '[server]' '[policy]' 'max-k = 100' '; the largest k that a query may ask for (default 100)'
run serve --config all.ini --max-k 50 --print-config
succeeds "what is printed can be read again"
equal "a flag goes before the file, and nothing else changes" "$(diff all.ini "$out" | grep -c '^[<>]')" 2
check "it is that flag" says "$out" "max-k = 50"
run serve city.scm --check
succeeds "a service that would do is checked"
check "and that is said" says "$out" "all settings are valid"
sed 's/^map = $/map = city.scm/; s/^listen = .*/listen = 127.0.0.1:0/' all.ini >good.ini
run serve --config good.ini --check
succeeds "the map may stand in the file"

run serve
refuses 2 "without a map there is nothing to serve" "no map given"
run serve city.scm other.scm
refuses 2 "one map at a time" "other.scm"
run serve city.scm --loops 65
refuses 2 "a flag that cannot be is refused" "loops" "from 0 to 64"
run serve city.scm --engine magic
refuses 2 "a word that is none of its list, too" "magic" "basic bounded"
run serve city.scm --min-k 9 --max-k 8
refuses 2 "settings must go together" "k"
run serve city.scm --tls-key x.pem
refuses 2 "a key without its certificate is refused" "tls-certificate"
run serve nowhere.scm
refuses 1 "a map that is not there is told" "nowhere.scm"
run serve city.scm --config nowhere.ini
refuses 1 "a file that is not there is told" "nowhere.ini"
printf '[server]\nloops = 2\nlisten 127.0.0.1\n' >bad.ini
run serve city.scm --config bad.ini --check
refuses 1 "what is wrong in a file is told with its line" "bad.ini:3: "
run serve city.scm --listen 127.0.0.1:99999 --check
refuses 1 "an address that is none is refused" "127.0.0.1:99999"
run serve city.scm --listen 192.0.2.1:8080 --check
refuses 1 "an address of another machine is refused" "192.0.2.1:8080" "this machine"
run serve city.scm --listen no-such-host.invalid:8080 --check
refuses 1 "a name that stands for no address is refused" "no-such-host.invalid"
run serve city.scm --listen unix:no/such/folder/socket --check
refuses 1 "a socket in a folder that is not there is refused" "no/such/folder"
run serve city.scm --listen 127.0.0.1:18080 --listen 127.0.0.1:18080 --check
refuses 1 "an address twice is refused" "127.0.0.1:18080" "same address"
run serve city.scm --listen 0.0.0.0:18080 --admin 127.0.0.1:18080 --check
refuses 1 "also as one of all addresses, for operators" "0.0.0.0:18080" "127.0.0.1:18080" "same address"
if [ "$(cat /proc/sys/net/ipv6/bindv6only 2>/dev/null)" = 0 ]; then
    run serve city.scm --listen "[::]:18080,0.0.0.0:18080" --check
    refuses 1 "also as one of all addresses, by IPv4 and IPv6" "[::]:18080" "0.0.0.0:18080" "same address"
    run serve city.scm --listen 127.0.0.1:18080 --admin "[::]:18080" --check
    refuses 1 "in whichever order" "[::]:18080" "127.0.0.1:18080" "same address"
    run serve city.scm --listen 127.0.0.1:18080 --admin "[::1]:18080" --check
    check "but one of each is two addresses" test "$status" = 0
fi
run serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --check
succeeds "ports that the kernel chooses are different ones"
run serve city.scm --listen unix:one.sock --admin unix:one.sock --check
refuses 1 "a unix socket twice is refused" "one.sock" "twice"
check "and none was made" test ! -e one.sock
start busy python3 -c 'import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(600)'
until_true test -s busy.out
run serve city.scm --listen "127.0.0.1:$(cat busy.out)" --check
check "an address in use may be that of this service, which runs" test "$status" = 0
check "so there is a warning" says "$err" "warning: cannot listen at 127.0.0.1:" "in use"
run serve city.scm --provider http://lbs.example.org/ --check
refuses 2 "plain HTTP to another machine is refused" "provider: plain HTTP" "provider-plain"
run serve city.scm --provider http://lbs.example.org/ --provider-plain --check
succeeds "unless it is allowed"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout tls.key -out tls.pem \
    2>/dev/null
run serve city.scm --tls-certificate tls.pem --tls-key tls.key --check
succeeds "a certificate of today is good"
chmod 644 tls.key
run serve city.scm --tls-certificate tls.pem --tls-key tls.key --check
refuses 1 "a TLS key that others may read is refused, with what to do" "tls.key" "chmod"
run serve city.scm --tls-certificate tls.pem --tls-key tls.key --listen 127.0.0.1:0
refuses 1 "at the start too" "tls.key" "chmod"
run serve city.scm --provider https://127.0.0.1:1/ --provider-certificate tls.pem --provider-key tls.key --check
refuses 1 "and the one for the provider" "tls.key" "chmod"
chmod 600 tls.key
openssl req -new -key tls.key -subj /CN=localhost -out tls.csr 2>/dev/null
: >ca.index
printf '[ca]\ndefault_ca = a\n[a]\ndatabase = ca.index\nnew_certs_dir = .\nserial = ca.serial\ndefault_md = sha256\npolicy = p\n[p]\ncommonName = supplied\n' >ca.cnf
echo 01 >ca.serial
openssl ca -batch -config ca.cnf -selfsign -keyfile tls.key -in tls.csr -out old.pem -notext -startdate 20200101000000Z \
    -enddate 20210101000000Z 2>/dev/null
run serve city.scm --tls-certificate old.pem --tls-key tls.key --check
refuses 1 "an expired certificate is refused" "old.pem" "has expired on 2021-01-01"
run serve city.scm --tls-certificate tls.pem --tls-key tls.key --client-ca old.pem --check
refuses 1 "and one by which clients are known" "old.pem" "has expired on 2021-01-01"
run serve city.scm --provider https://127.0.0.1:1/ --provider-certificate old.pem --provider-key tls.key --check
refuses 1 "and one for the provider" "old.pem" "has expired"
run serve city.scm --token-keys nowhere.keys --check
refuses 1 "keys that are not there are told" "nowhere.keys"
chmod 644 keys
run serve city.scm --token-keys keys --check
refuses 1 "keys that others may read are refused, with what to do" "keys" "chmod"
chmod 600 keys
run serve city.scm --tls-certificate keys --check
refuses 1 "a certificate that is none is refused" "keys"
run serve city.scm --user nobody-of-that-name --listen 127.0.0.1:0
refuses 1 "a user that is not there is told" "nobody-of-that-name"
run serve city.scm --provider ftp://x/ --check
refuses 2 "a provider has an address of the web" "http://"
"$STARCLOAK" map export city.scm tables --quiet
python3 - <<'PY'
# The same roads without objects.
import csv
nodes = list(csv.DictReader(open("tables/nodes.csv")))
edges = list(csv.DictReader(open("tables/edges.csv")))
with open("bare.cnode", "w") as f:
    f.writelines(f"{n['node']} {n['lon']} {n['lat']}\n" for n in nodes)
with open("bare.cedge", "w") as f:
    f.writelines(f"{e['edge']} {e['from']} {e['to']} {e['length_m']}\n" for e in edges)
PY
if "$STARCLOAK" map import bare.cnode bare.cedge -o bare.scm --quiet 2>"$err"; then
    run serve bare.scm --check
    refuses 1 "a map without objects has no answers" "objects"
else
    fail "a map without objects is made"
fi

# --- Demands ----------------------------------------------------------------------------------

"$STARCLOAK" density city.scm --users 300 --seconds 60 --step 20 -o thin.csv --quiet
"$STARCLOAK" density city.scm --users 3000 --seconds 600 --step 10 -o thick.csv --quiet
printf 'segment,class\n1,clinic\n2,clinic\n2,shelter\n' >classes.csv
run serve city.scm --engine patient --density thin.csv --classes classes.csv --check
equal "the tables of demands are read by a check" "$status" 0
check "and what is asked is told" says "$err" "event=demands traffic=2 strict=yes" "classes=2 class_names=clinic,shelter class_segments=2"
check "one that rests on few counts is warned of" says "$err" event=density_thin "fewer than 5 counts per road"
run serve city.scm --engine patient --density thick.csv --no-strict --check
equal "another will do" "$status" 0
check "and need not be strict" says "$err" "event=demands traffic=2 strict=no"
equal "of thick ones nothing is said" "$(grep -c density_thin "$err")" 0
run serve city.scm --engine basic --density thick.csv --check
succeeds "other engines measure by a density"
equal "and ask for nothing" "$(grep -c event=demands "$err")" 0
run serve city.scm --engine patient --density thick.csv --traffic 5
refuses 2 "a traffic that is none is refused" "traffic: '5' is not one of: auto 0 2 3 4"
run serve city.scm --engine patient --traffic 2 --check
refuses 2 "traffic needs a density" "traffic: set density too"
run serve city.scm --engine basic --density thick.csv --traffic 2 --check
refuses 2 "and the engine that keeps it" "only the patient engine keeps it"
run serve city.scm --engine patient --strict --no-strict --check
refuses 2 "strict and not strict is refused" "strict and no-strict"
printf '[engine]\nstrict = yes\n' >strict.ini
run serve city.scm --config strict.ini --no-strict --check
refuses 2 "also where a file has the one and a flag the other" "strict and no-strict"
printf '[engine]\nstrict = yes\nno-strict = yes\n' >both.ini
run serve city.scm --config both.ini --check
refuses 1 "a file that has both is no matter of usage" "strict and no-strict"
# name FLAG... : what has no effect, and what a check says of it.
for unused in "crowd --engine basic --crowd 9" "vmax --vmax 5" "tau --tau 5" "rare-users --rare-users 3" "zone-roads --zone-roads 3" \
    "k-spread --engine sampling --k-spread 3" "lambda --lambda 2" "alpha --engine basic --alpha 3" "cloak-log-max --cloak-log-max 5"; do
    read -r name flags <<<"$unused"
    # shellcheck disable=SC2086  # several flags
    run serve city.scm $flags --check
    equal "$name is legal" "$status" 0
    check "and a check warns that it has no effect" says "$err" "warning: $name has no effect: "
done
run serve city.scm --continuity --vmax 5 --tau 5 --rare-requests drop --rare-users 3 --zone-key keys --zone-roads 3 --crowd 9 --check
equal "what is used is not warned of" "$(grep -c 'no effect' "$err")" 0
start idle "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --vmax 5
until_true grep -q event=ready idle.log
check "a start logs it" grep -q 'level=warning event=setting_unused setting=vmax' idle.log
kill "$started_id"
run serve city.scm --engine patient --continuity --vmax 20 --tau 60 --check
equal "continuity can be asked for" "$status" 0
check "and is told" says "$err" "event=demands traffic=0 strict=yes" "continuity=yes"
run serve city.scm --engine basic --continuity --check
refuses 2 "continuity needs the engine that keeps it" "continuity: only the patient engine keeps it"
run serve city.scm --engine patient --continuity --vmax 0
refuses 2 "a vmax of 0 is refused" "vmax"
run serve city.scm --engine patient --continuity --tau 0
refuses 2 "and a tau of 0" "tau"
run serve city.scm --engine patient --zone-key keys --check
equal "zones can be offered" "$status" 0
check "and all of their roads can then be a member's own" says "$err" "event=demands traffic=0 strict=yes" "zones=yes"
run serve city.scm --engine patient --zone-key keys --no-strict --check
equal "unless that is not wanted" "$status" 0
check "which is told" says "$err" "strict=no" "zones=yes"
run serve city.scm --engine basic --zone-key keys --check
equal "other engines have no such strict, and keep zones" "$status" 0
run serve city.scm --engine xstar --classes classes.csv --check
refuses 2 "classes need an engine that keeps them" "classes: only the engines patient, basic"
run serve city.scm --density classes.csv --check
refuses 1 "a table of another kind is refused" "classes.csv"
printf 'segment,class\n1,Clinic!\n' >bad.csv
run serve city.scm --engine patient --classes bad.csv --check
refuses 1 "a class that is none is refused with its line" "bad.csv:2"

start asking "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --engine patient --density thin.csv
until_true grep -q event=ready asking.log
check "a start warns of a thin table, too" grep -q event=density_thin asking.log
cp thick.csv thin.csv
kill -HUP "$started_id"
check "a table that is another by now is taken up" until_true grep -q event=map_changed asking.log
kill -TERM "$started_id"
ended "$started_id"
equal "it ends when told to" "$status" 0

start checking "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --paranoid --user-rate 0 --address-rate 0 \
    --engine patient --density thick.csv --classes classes.csv --continuity --zone-key keys --admin listen --metrics open
address=$(address_of checking)
run load "http://$address" city.scm --key keys --travellers 150 --duration 5 --pause 1 --k 3:1 --l 3:1 --sigma-t 4:1 --json --quiet
equal "travellers are served with all demands" "$status" 0
check "and the verifier finds none of them broken" python3 - "$out" <<'PY'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["answered"] > 20, told["answered"]
assert told["violations"]["all"] == 0 and told["service"]["violations"] == 0
PY
curl -s "http://$address/metrics" >checking.metrics
check "some of their queries go by a last cloak" grep -qE '^starcloak_continuity_linked_total [1-9]' checking.metrics
kill -TERM "$started_id"
ended "$started_id"
equal "that service ends well, too" "$status" 0

# --- One command ------------------------------------------------------------------------------

start alone "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me"
alone=$started_id
address=$(address_of alone)
check "one command is a complete system" test -n "$address"
until_true grep -q sct1_ alone.out
guest=$(grep -o 'sct1_.*' alone.out)
post "http://$address" '{"position":{"edge":5,"offset_m":1},"profile":{"k":2,"max_wait_s":1},"request":{"type":"range","radius_m":500}}' \
    -H "Authorization: Bearer $guest"
equal "the token that it prints is good" "$code" 200
check "alone, a query is not hidden" says "$out" dropped
threads_of() { cat "/proc/$1"/task/*/comm | grep -E '^(http|ledger|engine|courier|provider)' | sort | tr '\n' ' '; }
equal "HTTP, ledger, engine and provider share one thread" "$(threads_of "$alone")" "http-0 "
kill -HUP "$alone"
until_true grep -q event=reloaded alone.log
post "http://$address" '{}' -H "Authorization: Bearer $guest"
equal "and stays good after a reload" "$code" 400
kill -INT "$alone"
ended "$alone"
equal "it ends when told to" "$status" 0

has_threads() { [ "$(threads_of "$started_id")" = "$1" ]; }
start two "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --loops 2
until_true grep -q event=ready two.log
check "with --loops the ledger has a thread of its own" until_true has_threads "http-0 http-1 ledger "
kill -TERM "$started_id"
ended "$started_id"
equal "and it ends with them" "$status" 0

start several "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --threads 2
until_true grep -q event=ready several.log
check "with --threads engines have threads of their own" until_true has_threads "courier-0 courier-1 courier-watch engine-0 engine-1 http-0 http-1 ledger "
kill -TERM "$started_id"
ended "$started_id"
equal "and all of them end" "$status" 0

# Those who ask for a large k are counted, and told of when they are many.
start many "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys
many=$started_id
until_true grep -q 'event=listening' many.log
address=$(sed -nE 's/.*event=listening address=(\S+).*/\1/p' many.log | head -n 1)
large=()
for i in {1..10}; do
    curl -s -o /dev/null -X POST -H 'Content-Type: application/json' -H "Authorization: Bearer $(token "large-$i")" \
        --data-binary '{"position":{"edge":5,"offset_m":1},"profile":{"k":30,"max_wait_s":60},"request":{"type":"knn","k":1}}' \
        "http://$address/v1/queries" &
    large+=($!)
done
check "many queries with a large k are told of" until_true grep -q 'event=pending_large_k pending=10 large=10' many.log
kill "${large[@]}"
check "and so is their end" until_true grep -q 'event=pending_large_k_over' many.log
kill -TERM "$many"
ended "$many"

# Many more than a small service takes at once.
start small "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --max-pending 2 --log-format json
small=$started_id
until_true grep -q '"event":"listening"' small.log
address=$(sed -nE 's/.*"event":"listening","address":"([^"]+)".*/\1/p' small.log)
body='{"position":{"edge":5,"offset_m":1},"profile":{"k":9,"max_wait_s":6},"request":{"type":"knn","k":1}}'
for i in 1 2 3; do tokens[i]=$(token "full-$i"); done
for i in 1 2 3; do
    curl -s -o "full-$i.json" -w '%{http_code}\n' -X POST -H 'Content-Type: application/json' \
        -H "Authorization: Bearer ${tokens[i]}" --data-binary "$body" "http://$address/v1/queries" >"full-$i.code" &
    full[i]=$!
done
wait "${full[@]}"
equal "one too many is refused at once, others are not" "$(sort full-?.code | tr '\n' ' ')" "200 200 503 "
check "every line of a JSON log is JSON" python3 -c 'import json, sys
lines = [json.loads(l) for l in open("small.log")]
assert lines and all({"time", "level", "event"} <= set(l) for l in lines)'
kill -TERM "$small"
ended "$small"

# --- Whose it is ----------------------------------------------------------------------------------

if [[ $(id -u) == 0 ]]; then
    chmod 755 "$work" "$work/here"
    start dropped "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --token-keys keys
    dropped=$started_id
    address_of dropped >/dev/null
    until_true grep -q event=ready dropped.log
    equal "started by root, it becomes nobody" "$(stat -c %U "/proc/$dropped/task/$dropped")" nobody
    check "and warns of what a reload could not read" grep -q 'event=reload_will_fail.*file=keys' dropped.log
    kill -TERM "$dropped"
    ended "$dropped"
    equal "and ends well" "$status" 0
else
    skip "started by root, it becomes nobody" "not root"
    skip "and warns of what a reload could not read" "not root"
    skip "and ends well" "not root"
fi

# Sockets from a service manager. The tool opens them, and starts the service when a client connects.
if command -v systemd-socket-activate >/dev/null; then
    port=$(free_ports 1)
    start handed systemd-socket-activate -l "127.0.0.1:$port" "$STARCLOAK" serve city.scm --user "$me"
    until_true curl -s -o "$out" "http://127.0.0.1:$port/healthz"
    equal "a socket that is handed over is served" "$(cat "$out")" '{"status":"ok"}'
    until_true grep -q event=listening handed.log
    check "and no other" test "$(grep -c event=listening handed.log)" = 1
    kill -TERM "$started_id"
    ended "$started_id"
    equal "it ends well" "$status" 0
    for unit in "$repository"/packaging/systemd/*; do
        cp "$unit" . && sed -i "s:/usr/local/bin/starcloak:$STARCLOAK:; /^Documentation/d" "$(basename "$unit")"
    done
    complaints=$(systemd-analyze verify ./starcloak.service ./starcloak.socket ./starcloak-lbs.service ./starcloak-gateway.service ./starcloak-worker.service 2>&1)
    equal "systemd finds nothing wrong with the units" "$complaints" ""
    exposure=$(systemd-analyze security --offline=yes ./starcloak.service 2>/dev/null | sed -nE 's/.*exposure level.*: ([0-9.]+).*/\1/p')
    check "and thinks the service well shut in ($exposure of 10)" python3 -c "assert $exposure < 2"
else
    for sentence in "a socket that is handed over is served" "and no other" "it ends well" \
        "systemd finds nothing wrong with the units" "and thinks the service well shut in"; do
        skip "$sentence" "no systemd"
    done
fi

# --- Chaos ---------------------------------------------------------------------------------------

lbs_port=$(free_ports 1)
start chaos "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --paranoid --user-rate 0 \
    --address-rate 0 --provider "http://127.0.0.1:$lbs_port/" --provider-deadline 3 --provider-timeout 1 --request-timeout 2 --admin listen --metrics open
chaos=$started_id
address=$(address_of chaos)
run load "http://$address" city.scm --key keys --travellers 150 --duration 15 --pause 1 --k 3:1 --l 3:1 --sigma-t 4:1 --metric time --chaos --chaos-every 3 \
    --provider-command "$STARCLOAK lbs city.scm --listen 127.0.0.1:$lbs_port --user $me" --json --quiet
equal "through chaos nothing is lost, answered twice or broken" "$status" 0
check "although something happened" python3 - "$out" <<'PY'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["answered"] > 20, told["answered"]
assert told["left"] > 0 and told["faulty"] > 0, told
assert told["provider_kills"] + told["provider_stops"] > 0
assert told["violations"]["all"] == 0 and told["service"]["violations"] == 0 and told["service"]["pending"] == 0
PY
kill -TERM "$chaos"
ended "$chaos"
equal "and the service ends well" "$status" 0
check "its log names no user" silent_about chaos.log load- sct1_

# --- A forced stop --------------------------------------------------------------------------------

# There is no other query: this one would wait for a minute, and has a second.
start forced "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --drain 1 --admin listen --metrics open
forced=$started_id
address=$(address_of forced)
curl -s -o cut-off.json -w '%{http_code}' -X POST -H 'Content-Type: application/json' -H "Authorization: Bearer $(token hasty)" \
    --data-binary '{"position":{"edge":5,"offset_m":1},"profile":{"k":9,"max_wait_s":60},"request":{"type":"knn","k":1}}' \
    "http://$address/v1/queries" >cut-off.code &
client=$!
one_is_pending() { curl -s "http://$address/metrics" | grep -qx 'starcloak_pending 1'; }
check "a query is pending" until_true one_is_pending
kill -TERM "$forced"
wait "$client"
equal "a query that a forced stop cuts off is told so" "$(cat cut-off.code)" 503
check "with its outcome" says cut-off.json '"outcome":"failed"' '"reason":"stopped"'
ended "$forced"
equal "which is no failure of the service" "$status" 0
check "and how many were cut off" grep -q 'event=stopped.* cut_off=1$' forced.log

finish
