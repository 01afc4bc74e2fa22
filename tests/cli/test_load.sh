#!/usr/bin/env bash
# `starcloak load`: simulated travellers ask the real service; all of it is accounted for.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

holds() { check "$1" true_of "$out" "$2"; }

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
no_limits=(--user "$me" --token-keys keys --user-rate 0 --address-rate 0 --user-cost 0 --user-waiting 0
    --max-k 1000 --max-wait 3600 --paranoid)

# --- What it asks for ---

run load
refuses 2 "a URL and a map are needed" "URL"
run load http://localhost:1
refuses 2 "a map is needed" "no map given"
run load http://localhost:1 city.scm
refuses 2 "tokens are needed, and it says where from" "--key FILE" "--tokens FILE"
run load http://localhost:1 city.scm --key keys --tokens keys
refuses 2 "one source of tokens is enough" "give either --key FILE"
run load http://localhost:1 city.scm more.scm --key keys
refuses 2 "one map is enough" "one URL and one map"
run load http://localhost:1 city.scm --key keys --provider-command true
refuses 2 "a provider is struck only with --chaos" "--chaos"
run load http://localhost:1 city.scm --key keys --hold 5 --rate 7
refuses 2 "holding is a thing of its own" "--hold"
run load http://localhost:1 city.scm --key keys --hold-pid 7
refuses 2 "a process is measured only while holding" "--hold-pid"
run load http://localhost:1 city.scm --key keys -n 2 --threads 3
refuses 2 "every thread has a traveller" "--threads"
run load http://localhost:1 city.scm --key keys --k 5000
refuses 2 "more than any service admits is refused" "--k" "1,000"
run load localhost:1 city.scm --key keys
refuses 2 "a URL has a scheme" "not the URL"
run load http://127.0.0.1:1 city.scm --key keys
refuses 1 "a service that is not there is told at once" "check that the service is running"
run load http://127.0.0.1:1 no-such.scm --key keys
refuses 1 "a map that is not there is told" "no-such.scm"
run load http://127.0.0.1:1 city.scm --key no-such-keys
refuses 1 "keys that are not there are told" "no-such-keys"
token somebody >tokens
run load http://127.0.0.1:1 city.scm --tokens tokens -n 2
refuses 1 "a token for each is needed" "--travellers 1"

# --- A service with its provider built in ---

start service "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin listen "${no_limits[@]}"
service=$started_id
address=$(address_of service)
check "the service is there" test -n "$address"

(
    ulimit -n 100
    run load "http://$address" city.scm --key keys -n 200 --duration 3 --pause 1 --sigma-t 2 --json
    echo "$status" >scarce.status
    cp "$out" scarce.json
    cp "$err" scarce.err
)
check "too few descriptors here are no fault of the service" test "$(cat scarce.status)" = 0
check "what cannot be sent is counted as that" true_of scarce.json '.unsent > 0 and .violations.all == 0 and .lost == 0 and .answered > 0'
check "and how many connections there can be is told first" says scarce.err "allows 84 connections per thread" "200 travellers" "ulimit -n"

run load "http://$address" city.scm --key keys -n 200 --duration 3 --pause 1 --sigma-t 2 --check 1000
succeeds "travellers ask, and all is well"
check "the report says who asked whom, and how it went" says "$out" "200 travellers on city.scm ask" \
    "answered" "beyond waiting" "outcomes per CPU second" "Violations"

run load "http://$address" city.scm --key keys -n 400 --threads 2 --duration 3 --warmup 1 --rate 300 --sigma-t 2 \
    --check 1000 --json --quiet
succeeds "they come at random, from two threads, with a report as JSON"
holds "some were answered, and each answer was compared" '.answered > 0 and .checked == .answered'
holds "every query has one end" '.answered + .dropped + .failed + .refused + .left + .lost + .unsent == .asked'
holds "the service counts the same" \
    '.service.answered == .answered and .service.dropped == .dropped and .service.pending == 0'
holds "there is no violation" '.violations.all == 0 and .remarks == []'
holds "latencies are in order" '.latency_ms | .p50 <= .p90 and .p90 <= .p99 and .p99 <= .max'
holds "the cloaks have users and segments" '.users.p50 >= 2 and .segments.p50 >= 1'

run load "http://$address" city.scm --key keys -n 50 --duration 1 --pause 0 --sigma-t 1 --json --quiet --movement walk
succeeds "they may ask again at once, and walk"
holds "each asked more than once" '.asked > 50'

# A thousand users are never found in one town.
run load "http://$address" city.scm --key keys --hold 300 --threads 2 --hold-pid "$service" --json
succeeds "queries are held"
holds "all of them were pending at once" '.held.pending == 300 and .held.wanted == 300'
holds "what each takes was measured" '.held.bytes_before > 0 and .held.bytes_after > 0'
holds "they left, and the service noticed" '.left == 300 and .service.gone == 300 and .service.pending == 0'

run load "http://$address" city.scm --key keys -n 150 --duration 6 --pause 1 --sigma-t 2 --chaos --chaos-share 0.5 \
    --check 1000 --json --quiet
succeeds "chaos harms only the clients that make it"
holds "there was chaos" '.faulty > 0 and .strays > 0 and .left > 0'
holds "a client that sends far too much is cut off, or leaves" \
    'any(.reasons[]; .end == "left" and (.reason == "cut-off" or .reason == "flood"))'
holds "and answers meanwhile" '.answered > 0 and .checked > 0'

run load "http://$address" city.scm --tokens tokens -n 1 --duration 0 --warmup 1 --pause 1 --sigma-t 1 --metrics off --json
succeeds "tokens may come from a file, and metrics be left alone"
holds "then the service's counts are not looked at" '.service == null'

"$STARCLOAK" token key other-keys
run load "http://$address" city.scm --key other-keys -n 5 --duration 2 --pause 1 --sigma-t 1 --json
equal "tokens of another key are refused, and such a run has failed" "$status" 1
holds "with their status" '.refused == .asked and .reasons[0].status == 401 and .reasons[0].reason == "token"'
holds "and with what may be wrong" '.violations.all == 1 and .violations["no outcome"] == 1
    and (.remarks[0] | test("no query was accepted: [0-9]+ refused with 401 token; check that the key file is that of the service"))'
run load "http://$address" city.scm --key other-keys -n 5 --duration 2 --pause 1 --sigma-t 1
equal "for people, too" "$status" 1
check "it says why" says "$out" "no query was accepted: " " refused with 401 token; check that the key file is that of the service"
run load "http://$address" city.scm --key other-keys -n 5 --duration 2 --pause 1 --sigma-t 1 --quiet
refuses 1 "and quietly, in one line" "violations: 1; the first: no outcome: no query was accepted: "

run load "http://$address" city.scm --key keys -n 20 --duration 1 --pause 1 --sigma-t 1 --metrics "http://$address/healthz" --json
succeeds "metrics of something else are no metrics"
holds "and are done without" '.service == null'

start load "$STARCLOAK" load "http://$address" city.scm --key keys -n 20 --duration 1000 --pause 1 --sigma-t 1
# A query waits for an answer: then it is in the midst of things.
some_are_pending() { [[ $(curl -s "http://$address/metrics" | sed -nE 's/^starcloak_pending //p') -gt 0 ]]; }
until_true some_are_pending
kill -INT "$started_id"
ended "$started_id"
equal "an interrupted run ends well" "$status" 0
check "and says so" says load.out "(interrupted)"

kill -TERM "$service"
ended "$service"
equal "the service ends well after all that" "$status" 0

# --- TLS, and a provider that is struck ---

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout tls.key -out tls.pem -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2>/dev/null
port=$(free_ports 1)
start service "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin listen "${no_limits[@]}" --tls-certificate tls.pem --tls-key tls.key \
    --provider "http://127.0.0.1:$port"
service=$started_id
address=$(address_of service)
check "a service with TLS and a provider elsewhere is there" test -n "$address"

run load "https://$address" city.scm --key keys -n 5 --duration 1
refuses 1 "a certificate of an unknown authority is refused" "--ca"

run load "https://localhost:${address##*:}" city.scm --key keys --ca tls.pem -n 150 --duration 8 --pause 1 --sigma-t 2 --check 1000 \
    --chaos --chaos-every 1 --provider-command "'$STARCLOAK' lbs city.scm --listen 127.0.0.1:$port --user '$me'" --json --quiet
cp "$out" chaos.json
equal "the provider is killed and stopped, and every query is accounted for" \
    "$status $(jq .violations.all chaos.json)" "0 0"
holds "it was struck" '.provider_kills + .provider_stops > 0'
holds "there were answers all the same" '.answered > 0 and .checked > 0'
holds "nothing was lost" '.lost == 0 and .unsent == 0 and .service.pending == 0'
check "the provider is gone with the command" test -z "$(ss -Hltn "sport = :$port" 2>/dev/null)"

kill -TERM "$service"
ended "$service"
equal "the service ends well" "$status" 0

finish
