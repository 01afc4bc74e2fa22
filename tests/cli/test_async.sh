#!/usr/bin/env bash
# Queries with a life of their own, by curl: lines are cut while requests are held, the query goes on and its outcome is
# had by another connection; a service that is told to stop still gives it.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
"$STARCLOAK" map generate --nodes 500 --seed 5 -o city.scm --quiet
"$STARCLOAK" token key keys
start serve "$STARCLOAK" serve city.scm --token-keys keys --listen 127.0.0.1:0 --admin listen --user "$me" --user-rate 0 \
    --address-rate 0 --user-pending 20 --drain 60 --outcome-keep 5 --lease 120
serve_id=$started_id
address=$(address_of serve)
alice=$("$STARCLOAK" token issue --key keys --user alice --days 1)
bob=$("$STARCLOAK" token issue --key keys --user bob --days 1)
# body K SECONDS
body() {
    echo '{"position":{"edge":7,"offset_m":1},"profile":{"k":'"$1"',"l":1,"max_hops":8,"max_wait_s":'"$2"'},"request":{"type":"knn","k":1}}'
}
# post TOKEN BODY HEADER...
post() {
    local token=$1 text=$2 headers=()
    shift 2
    for header; do headers+=(-H "$header"); done
    curl -s -w '\n' "http://$address/v1/queries" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "${headers[@]}" -d "$text"
}
metric() { curl -s "http://$address/metrics" | sed -n "s/^$1 //p"; }
is_metric() { [[ $(metric "$1") == "$2" ]]; }

# A held request with a key, whose line is cut.
curl -s "http://$address/v1/queries" -H "Authorization: Bearer $alice" -H 'Content-Type: application/json' \
    -H 'Idempotency-Key: "a"' -d "$(body 2 30)" >cut.txt &
held=$!
check "a query with a key is held" until_true is_metric starcloak_async_pending 1
kill "$held"
wait "$held" 2>/dev/null
check "its line is cut" until_true is_metric starcloak_http_gone_total 1
equal "it waits all the same" "$(metric starcloak_async_pending)" 1
post "$alice" "$(body 2 30)" 'Idempotency-Key: "a"' 'Prefer: respond-async' >again.json
equal "who repeats the request has the same query" "$(jq -r .state again.json)" waiting
equal "which was asked once" "$(metric starcloak_queries_taken_total)" 1
id=$(jq -r .id again.json)
curl -s "http://$address/v1/queries/$id?wait=30" -H "Authorization: Bearer $alice" >looked.json &
look=$!
post "$bob" "$(body 2 5)" >bob.json
wait "$look"
equal "two hide together" "$(jq -r .outcome bob.json)" answered
equal "and the one whose line was cut has its answer" "$(jq -r .state looked.json)" answered
equal "so has who repeats the request" "$(post "$alice" "$(body 2 30)" 'Idempotency-Key: "a"' | jq -r .outcome)" answered

# No log has an id of a query.
check "the log does not have its id" eval '! grep -q -- "$id" serve.log'

# Told to stop: no new ones, but the outcome of an old one.
id=$(post "$alice" "$(body 50 2)" 'Prefer: respond-async' | jq -r .id)
kill -TERM "$serve_id"
is_draining() { [[ $(post "$bob" "$(body 2 5)" | jq -r .type) == urn:starcloak:problem:draining ]]; }
check "a service that stops takes no new queries" until_true is_draining
equal "and gives the outcome of one that it has" \
    "$(curl -s "http://$address/v1/queries/$id?wait=30" -H "Authorization: Bearer $alice" | jq -r .state)" dropped
ended "$serve_id"
equal "then it ends, and cuts nothing off" "$status" 0
finish
