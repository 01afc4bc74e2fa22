#!/usr/bin/env bash
# Queries with a life of their own in a cluster of real processes: asked at one gateway, they are looked at and withdrawn
# at the other, and who asks after them there is told when their gateway is gone.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=nats.sh
source "$here/nats.sh"

me=$(id -un)
"$STARCLOAK" map generate --nodes 500 --seed 5 -o city.scm --quiet
"$STARCLOAK" token key keys
"$STARCLOAK" cluster key cluster.key
"$STARCLOAK" cluster key --worker w1 --from cluster.key w1.key
"$STARCLOAK" partition city.scm -n 2 -o city.partition >/dev/null 2>&1
start_nats
check "NATS servers are there" test -n "$nats"
cat >cluster.ini <<INI
[server]
map = city.scm
listen = 127.0.0.1:0
admin = listen
user = $me
drain = 1
[tokens]
token-keys = keys
[policy]
user-rate = 0
user-pending = 20
address-rate = 0
lease = 60
[engine]
partition = city.partition
[cluster]
nats = $nats
nats-user = gateway
nats-password = gateway.password
cluster-key = cluster.key
heartbeat = 0.4
INI
start w1 "$STARCLOAK" worker --config cluster.ini --name w1 --cluster-key w1.key --nats-user worker --nats-password worker.password
start g1 "$STARCLOAK" gateway --config cluster.ini --name g1
g1_id=$started_id
start g2 "$STARCLOAK" gateway --config cluster.ini --name g2
g1=$(address_of g1)
g2=$(address_of g2)
is_ready() { [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$1/readyz") == 200 ]]; }
check "both gateways are ready" until_true eval 'is_ready "$g1" && is_ready "$g2"'

token_of() { "$STARCLOAK" token issue --key keys --user "$1" --days 1; }
alice=$(token_of alice)
bob=$(token_of bob)
carol=$(token_of carol)
# ask GATEWAY TOKEN K SECONDS: the id of a new query.
ask() {
    curl -s "http://$1/v1/queries" -H "Authorization: Bearer $2" -H 'Content-Type: application/json' -H 'Prefer: respond-async' \
        -d '{"position":{"edge":7,"offset_m":1},"profile":{"k":'"$3"',"l":1,"max_hops":8,"max_wait_s":'"$4"'},"request":{"type":"knn","k":1}}' |
        jq -r .id
}
# look GATEWAY TOKEN ID [SEARCH]: "STATUS BODY".
look() { curl -s -w '\n%{http_code}\n' "http://$1/v1/queries/$3${4:-}" -H "Authorization: Bearer $2" | tac | tr '\n' ' '; }
says_state() { [[ $(look "${@:2}") == "200 "*'"state":"'"$1"'"'* ]]; }
# The gateways know each other with their second heartbeats.
first=$(ask "$g1" "$carol" 50 60)
check "an id of a cluster names its gateway, sealed" test "${#first}" = 32
check "a query is looked at where it was asked" says_state waiting "$g1" "$carol" "$first"
check "and at the other gateway" until_true says_state waiting "$g2" "$carol" "$first"
equal "there, too, it is not found by another user" "$(look "$g2" "$bob" "$first" | cut -c1-3)" 404
equal "nor is an id that never was" "$(look "$g2" "$carol" "AAAA${first:4}" | cut -c1-3)" 404
check "a look is held at the other gateway for as long as it wishes" says_state waiting "$g2" "$carol" "$first" '?wait=0.5'

# Held at g2 until there is an outcome; two hide together, once no more can be waited for.
second=$(ask "$g1" "$alice" 2 8)
look "$g2" "$alice" "$second" '?wait=30' >held.txt &
held=$!
third=$(ask "$g2" "$bob" 2 8)
wait "$held"
check "one that is held there has its answer when it comes" grep -q '^200 .*"state":"answered".*"objects"' held.txt
check "the answer is there again, at both" eval 'says_state answered "$g1" "$alice" "$second" && says_state answered "$g2" "$alice" "$second"'
check "so it is the other way round" says_state answered "$g1" "$bob" "$third" '?wait=30'

withdraw() { curl -s -o /dev/null -w '%{http_code}' -X DELETE "http://$1/v1/queries/$3" -H "Authorization: Bearer $2"; }
equal "another user withdraws nothing there" "$(withdraw "$g2" "$bob" "$first")" 404
equal "its own user withdraws it at the other gateway" "$(withdraw "$g2" "$carol" "$first")" 204
equal "then it is not found where it was asked" "$(look "$g1" "$carol" "$first" | cut -c1-3)" 404

# A gateway that is killed is missed after three heartbeats; until then it may be asked again.
fourth=$(ask "$g1" "$alice" 50 60)
kill -KILL "$g1_id"
seen=$(look "$g2" "$alice" "$fourth" | cut -c1-3)
check "where its gateway does not answer, one may ask again, or it is not found" test "$seen" = 503 -o "$seen" = 404
is_missed() { [[ $(look "$g2" "$alice" "$fourth") == 404* ]]; }
check "once it is missed, its queries are not found" until_true is_missed
finish
