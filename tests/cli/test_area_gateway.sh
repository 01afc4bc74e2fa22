#!/usr/bin/env bash
# A gateway of a cluster that asks a provider that lists what is in a box: the answers are those of the
# map's own objects, which the provider has as well, and no key is told.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=nats.sh
source "$here/nats.sh"

me=$(id -un)
"$STARCLOAK" map generate --nodes 600 --seed 5 -o city.scm --quiet || echo "# no map to work with"
"$STARCLOAK" map export city.scm export --quiet || echo "# no objects"
"$STARCLOAK" token key keys
"$STARCLOAK" cluster key cluster.key
"$STARCLOAK" cluster key --worker w1 --from cluster.key w1.key
"$STARCLOAK" partition city.scm -n 2 -o city.partition >/dev/null 2>&1
export PLACES_KEY=s3cret-of-mine
start places "$here/places_server.py" export/pois.csv port
until_true test -s port || echo "# no provider"
cat >places.ini <<INI
[provider]
preset = ogc-features
address = http://127.0.0.1:$(cat port)/collections/places/items
[headers]
X-Key = env:PLACES_KEY
INI
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
[provider]
area-provider = places.ini
[policy]
user-rate = 0
address-rate = 0
[engine]
partition = city.partition
[cluster]
nats = $nats
nats-user = gateway
nats-password = gateway.password
cluster-key = cluster.key
heartbeat = 0.4
INI
grep -v -e '^area-provider' -e '^\[provider\]' cluster.ini >worker.ini
start w1 "$STARCLOAK" worker --config worker.ini --name w1 --cluster-key w1.key --nats-user worker --nats-password worker.password
start g1 "$STARCLOAK" gateway --config cluster.ini --name g1
gateway=$(address_of g1)
is_ready() { [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$gateway/readyz") == 200 ]]; }
check "the gateway is ready" until_true is_ready
check "and names its provider" says g1.log "provider=areas"

run load "http://$gateway" city.scm --key keys -n 60 --pause 1 --duration 4 --k 2 --l 2 --check 1000 --json
succeeds "travellers ask it, and each answer is compared with a plain search on the map"
check "none is another" true_of "$out" '([.. | objects | .checked // empty] | add) > 5 and .violations.all == 0'
check "tiles were needed and kept" test "$(curl -s "http://$gateway/metrics" | awk '/^starcloak_areas_found_total/ { print $2 }')" -gt 0
check "the log of the gateway has no secret" silent_about g1.log s3cret
check "nor has that of the worker" silent_about w1.log s3cret
finish
