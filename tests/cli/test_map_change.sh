#!/usr/bin/env bash
# Another map while the service runs: nothing is lost, every answer is exact on the map that it came in on, and what is wrong
# changes nothing. With it what else a reload reads: addresses and certificates of the provider, categories of a table.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city first.scm
"$STARCLOAK" map generate --nodes 600 --seed 9 -o second.scm --quiet || echo "# no other map"
head -c 5000 first.scm >broken.scm
"$STARCLOAK" token key keys
no_limits=(--user "$me" --token-keys keys --user-rate 0 --address-rate 0 --user-cost 0 --user-waiting 0 --paranoid)

checksum() { "$STARCLOAK" map info "$1" --json | jq -r .checksum; }
first=$(checksum first.scm) second=$(checksum second.scm)

# put FILE NAME: as a map is replaced: whole, under another name, then renamed.
put() { cp "$1" "$2.new" && mv "$2.new" "$2"; }

# logged NAME EVENT: how many lines of the log are of that event.
logged() { grep -c "event=$2 " "$1.log"; }
is_logged() { [[ $(logged "$1" "$2") -ge $3 ]]; }

# reload NAME: SIGHUP to $serve, and wait for what comes of it.
reload() {
    local before
    before=$(($(logged "$1" reloaded) + $(logged "$1" reload_failed)))
    kill -HUP "$serve"
    until_true more_reloads_than "$1" "$before"
}
more_reloads_than() { [[ $(($(logged "$1" reloaded) + $(logged "$1" reload_failed))) -gt $2 ]]; }

# served_map: the checksum of the map that is served at $base.
served_map() { curl -s "$base/v1/about" | jq -r .map.checksum; }

# --- Ten thousand queries while the map changes ---------------------------------------------------

# have_retired NAME: whether all maps but the one that is served are gone.
have_retired() { [[ $(logged "$1" map_retired) -ge $(logged "$1" map_changed) ]]; }

# taken: how many queries the service has taken.
taken() { curl -s "$base/metrics" | sed -nE 's/^starcloak_queries_taken_total ([0-9]+)$/\1/p'; }
# has_taken COUNT LOAD: whether it has taken so many, or none will come any more.
has_taken() { [[ $(taken) -ge $1 ]] || ! kill -0 "$2" 2>/dev/null; }

# change_all_along NAME LOAD: as long as the load runs: the other map, a broken one, none, the first again.
change_all_along() {
    local name=$1 load=$2
    while kill -0 "$load" 2>/dev/null; do
        put second.scm served.scm
        reload "$name"
        until_true has_taken $(($(taken) + 200)) "$load"
        put broken.scm served.scm
        reload "$name"
        rm served.scm
        reload "$name"
        put first.scm served.scm
        reload "$name"
        # Queries wait for two seconds; then there is room for others.
        until_true have_retired "$name"
    done
}

# travel NAME RATE SECONDS SERVE-OPTION...
travel() {
    local name=$1 rate=$2 seconds=$3
    shift 3
    put first.scm served.scm
    start "$name" "$STARCLOAK" serve served.scm --listen 127.0.0.1:0 --admin listen "${no_limits[@]}" "$@"
    serve=$started_id
    base=http://$(address_of "$name")
    until_true grep -q event=ready "$name.log"
    start "$name-load" "$STARCLOAK" load "$base" first.scm --also second.scm --check 1000 --key keys -n 1000 \
        --rate "$rate" --duration "$seconds" --sigma-t 2 --json --quiet
    local load=$started_id
    change_all_along "$name" "$load"
    ended "$load"
    cp "$name-load.out" "$out"
    cp "$name-load.log" "$err"
    command_line="load of $name"
    succeeds "$name: travellers ask while the map changes, and all is well"
    check "$name: it has changed, more than once" test "$(logged "$name" map_changed)" -ge 2
    check "$name: nothing was lost, and every query has one end" true_of "$out" \
        '.lost == 0 and .failed == 0 and .answered + .dropped + .refused == .asked and .violations.all == 0'
    check "$name: most are answered, exactly, some on each map" true_of "$out" \
        '.answered > .asked / 3 and .exact > 50 and .exact_on_another > 50 and .exact + .exact_on_another == .checked'
    check "$name: the service has counted them all" true_of "$out" \
        '.service.answered == .answered and .service.dropped == .dropped and .service.pending == 0'
    check "$name: what was broken, and what was not there, changed nothing" test "$(logged "$name" reload_failed)" -ge 2
    until_true have_retired "$name"
    curl -s "$base/metrics" >metrics.txt
    check "$name: all maps but the last are gone" says metrics.txt "starcloak_maps 1" \
        "starcloak_map_changes_total $(logged "$name" map_changed)"
    equal "$name: the last is the first one" "$(served_map)" "$first"
}

travel alone 400 30
check "ten thousand were asked" true_of "$out" '.asked >= 10000'
check "in the sandbox" says alone.log "sandbox=yes"
check "no user and no position is logged" silent_about alone.log load-1 offset lon

# --- What a reload finds -------------------------------------------------------------------------

served=$(logged alone map_changed)
reload alone
equal "the same map is no change" "$(logged alone map_changed)" "$served"
curl -s -D before.txt -o map.json "$base/v1/map"
tag=$(sed -nE 's/^ETag: (.*)\r$/\1/p' before.txt)
put second.scm served.scm
reload alone
equal "another one is served at once" "$(served_map)" "$second"
equal "its page has another tag" "$(curl -s -o map.json -w '%{http_code}' -H "If-None-Match: $tag" "$base/v1/map")" 200
check "and is that of the other map" true_of map.json ".checksum == \"$second\""
check "the log names both" says alone.log "event=map_changed map=$second before=$first"
put broken.scm served.scm
reload alone
equal "a broken file changes nothing" "$(served_map)" "$second"
check "and the log says what is wrong with it" says alone.log 'event=reload_failed message="served.scm'
kill -TERM "$serve"
ended "$serve"
equal "it ends as it should" "$status" 0

travel threads 150 10 --loops 2 --threads 2 --provider-threads 2 --partition ""
kill -TERM "$serve"
ended "$serve"
equal "so it does with many threads" "$status" 0

# --- A provider elsewhere: with the map goes its address -------------------------------------------

start lbs-first "$STARCLOAK" lbs first.scm --listen 127.0.0.1:0 --user "$me"
start lbs-second "$STARCLOAK" lbs second.scm --listen 127.0.0.1:0 --user "$me"
cat >starcloak.ini <<INI
[server]
map = first.scm
listen = 127.0.0.1:0
admin = listen
user = $me
[tokens]
token-keys = keys
[policy]
default-k = 2
user-rate = 0
[engine]
jitter = 0
[provider]
provider = http://$(address_of lbs-first)/
INI
start elsewhere "$STARCLOAK" serve --config starcloak.ini
serve=$started_id
base=http://$(address_of elsewhere)
until_true grep -q event=ready elsewhere.log
# ask_two: two travellers at one place; leaves the status of the second in $code, its reply in $out.
ask_two() {
    local body='{"position":{"edge":3,"offset_m":1},"request":{"type":"knn","k":1'$1'}}'
    curl -s -o /dev/null -X POST -H "Content-Type: application/json" -H "Authorization: Bearer $(token a)" \
        --data-binary "$body" "$base/v1/queries" &
    local other=$!
    post "$base" "$body" -H "Authorization: Bearer $(token b)"
    wait "$other"
}
ask_two ""
check "the provider of the first map answers" says "$out" '"outcome":"answered"'
sed -i "s,^map = .*,map = second.scm," starcloak.ini
reload elsewhere
ask_two ""
check "one that has another map than the service refuses, and no query goes without an outcome" test "$code" = 502
sed -i "s,^provider = .*,provider = http://$(address_of lbs-second)/," starcloak.ini
reload elsewhere
ask_two ""
check "the provider of the second map answers" says "$out" '"outcome":"answered"'
check "no setting of the map needs a restart" silent_about elsewhere.log needs_restart
sed -i "s,^provider = .*,," starcloak.ini
reload elsewhere
check "a provider that is built in does need one" says elsewhere.log "event=needs_restart message=provider"
kill -TERM "$serve"
ended "$serve"

# --- Certificates of the provider --------------------------------------------------------------------

authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
        -keyout "$1.key" -out "$1.pem" -addext basicConstraints=critical,CA:TRUE 2>/dev/null
}
signed() {  # NAME AUTHORITY
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" \
        -keyout "$1.key" -out "$1.csr" 2>/dev/null
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 2 -out "$1.pem" \
        -extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') 2>/dev/null
}
authority old-house
authority new-house
signed old old-house
signed new new-house
cp old-house.pem trusted.pem
cp old.pem shown.pem
cp old.key shown.key
read -r port < <(free_ports 1)
# provide CERTIFICATE AUTHORITY: a provider with that certificate, which trusts clients of that authority.
provide() {
    start lbs-tls "$STARCLOAK" lbs first.scm --listen "127.0.0.1:$port" --user "$me" \
        --tls-certificate "$1.pem" --tls-key "$1.key" --client-ca "$2.pem"
    lbs=$started_id
    address_of lbs-tls >/dev/null
    until_true grep -q event=ready lbs-tls.log
}
provide old old-house
start secure "$STARCLOAK" serve first.scm --listen 127.0.0.1:0 --admin listen "${no_limits[@]}" --jitter 0 --default-k 2 \
    --provider "https://127.0.0.1:$port/" --provider-ca trusted.pem --provider-certificate shown.pem \
    --provider-key shown.key --breaker-failures 0 --provider-deadline 3
serve=$started_id
base=http://$(address_of secure)
until_true grep -q event=ready secure.log
ask_two ""
check "a provider with TLS answers" says "$out" '"outcome":"answered"'
kill -TERM "$lbs"
ended "$lbs"
provide new new-house
ask_two ""
check "one of another authority is not asked, nor would it listen to us" test "$code" != 200
cp new-house.pem trusted.pem
cp old.key shown.key
cp new.pem shown.pem
reload secure
check "a certificate without its key is refused" says secure.log "event=reload_failed" "shown.key: cannot use this key"
cp new.key shown.key
reload secure
ask_two ""
check "with certificates that were read again both trust each other" says "$out" '"outcome":"answered"'
kill -TERM "$serve"
ended "$serve"

# --- Categories of a table ----------------------------------------------------------------------------

coproc database { exec "$repository"/tests/support/with_postgres --serve 2>"$work"/database.err; }
url=
read -r url <&"${database[0]}"
if [[ -z $url ]]; then
    skip "a category that is new in a table can be asked for after a reload" "$(head -n 1 "$work"/database.err)"
    finish
fi
psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1)
sql() { "$psql" -qXAt -v ON_ERROR_STOP=1 -d "$url" -c "$1" || echo "# not done: $1"; }
place=$("$STARCLOAK" map info first.scm --json | jq -c .bounds)
sql 'CREATE TABLE objects (id text PRIMARY KEY, geom geometry(Point, 4326), category text, name text)'
# row ID CATEGORY: in the middle of the map.
row() {
    sql "INSERT INTO objects VALUES ('$1', ST_SetSRID(ST_Point($lon, $lat), 4326), '$2', '$1')"
}
read -r lon lat < <(jq -r '"\((.[0] + .[2]) / 2) \((.[1] + .[3]) / 2)"' <<<"$place")
row b1 bakery
start table "$STARCLOAK" serve first.scm --listen 127.0.0.1:0 --admin listen "${no_limits[@]}" --jitter 0 --default-k 2 \
    --objects "$url" --objects-channel changed --objects-snap 100000
serve=$started_id
base=http://$(address_of table)
until_true grep -q event=ready table.log
ask_two ',"categories":["bakery"]'
check "objects are those of the table" says "$out" '"id":"b1"'
row l1 lighthouse
sql "NOTIFY changed"
until_true is_logged table objects_loaded 2
post "$base" '{"position":{"edge":3,"offset_m":1},"request":{"type":"knn","k":1,"categories":["lighthouse"]}}' \
    -H "Authorization: Bearer $(token a)"
check "a category that was not there at the start is unknown" says "$out" "unknown category"
reload table
curl -s "$base/v1/categories" >categories.json
check "after a reload it is known" says categories.json lighthouse bakery
ask_two ',"categories":["lighthouse"]'
check "and can be asked for" says "$out" '"id":"l1"'
equal "the map is the same" "$(served_map)" "$first"
kill -TERM "$serve"
ended "$serve"
finish
