#!/usr/bin/env bash
# The whole system over real sockets: travellers, the service with TLS, the provider as a process of
# its own with TLS, and PostGIS behind it. Then signals, files that change, and what is refused.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
read -r lon lat < <("$STARCLOAK" map export --geojson city.scm roads >/dev/null 2>&1
    python3 - <<'PY'
import glob, json
# A crossing in the middle: the start of a road near the mean of all.
lines = []
for name in glob.glob("roads/*.geojson"):
    for f in json.load(open(name))["features"]:
        if f["geometry"] and f["geometry"]["type"] == "LineString":
            lines.append(f["geometry"]["coordinates"][0])
mx = sum(p[0] for p in lines) / len(lines)
my = sum(p[1] for p in lines) / len(lines)
x, y = min(lines, key=lambda p: (p[0] - mx) ** 2 + (p[1] - my) ** 2)[:2]
print(x, y)
PY
)
check "a place to ask from is found" test -n "$lat"

# --- Certificates: an authority, and one certificate each for service and provider ----------

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
authority ca
signed server ca
signed provider ca
signed again ca

# --- PostGIS, the provider, the service ------------------------------------------------------

coproc database { exec "$repository"/tests/support/with_postgres --serve 2>"$work"/database.err; }
url=
read -r url <&"${database[0]}"
if [[ -z $url ]]; then
    skip "the provider takes its objects from PostGIS" "$(head -n 1 "$work"/database.err)"
    objects=()
else
    psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1)
    "$psql" -qX -v ON_ERROR_STOP=1 -d "$url" >"$work"/sql.log 2>&1 <<SQL
CREATE TABLE objects (id text PRIMARY KEY, geom geometry(Point, 4326), category text, name text);
INSERT INTO objects SELECT 'o' || i, ST_SetSRID(ST_Point($lon + (i % 10 - 5) * 0.0011, $lat + (i / 10 - 5) * 0.0007), 4326),
    (ARRAY['bakery', 'hospital'])[1 + i % 2], 'Place "' || i || '"' FROM generate_series(0, 99) AS i;
SQL
    objects=(--objects "$url")
fi
start lbs "$STARCLOAK" lbs city.scm --listen 127.0.0.1:0 --tls-certificate provider.pem --tls-key provider.key --user "$me" "${objects[@]}"
lbs=$started_id
provider=$(address_of lbs)
check "the provider listens" test -n "$provider"

: >revoked
cat >starcloak.ini <<INI
[server]
map = city.scm
listen = 127.0.0.1:0
admin = listen
tls-certificate = server.pem
tls-key = server.key
user = $me
loops = 2
max-body-bytes = 4096
drain = 20
[tokens]
token-keys = keys
revoked = revoked
[policy]
max-k = 20
default-k = 4
default-wait = 8
user-rate = 0
address-rate = 0
metrics = local
events = token
[engine]
paranoid = yes
jitter = 0.05
[provider]
provider = https://localhost:${provider##*:}/
provider-ca = ca.pem
provider-deadline = 6
provider-timeout = 4
breaker-failures = 3
breaker-pause = 1
categories = bakery, hospital
INI
run serve --config starcloak.ini --check
succeeds "the configuration is fine"
start serve "$STARCLOAK" serve --config starcloak.ini
serve=$started_id
address=$(address_of serve)
check "the service listens" test -n "$address"
base=https://localhost:${address##*:}
curl_tls=(--cacert ca.pem)
until_true grep -q event=ready serve.log

# --- Travellers ---------------------------------------------------------------------------------

# Five at once at about the same place, of whom each wants three others.
for i in 1 2 3 4 5; do tokens[i]=$(token "user-$i"); done
for i in 1 2 3 4 5; do
    "$STARCLOAK" query "$base" --ca ca.pem --token "${tokens[i]}" --lon "$lon" --lat "$lat" \
        --nearest 3 --category hospital --json >"answer-$i.json" 2>"answer-$i.err" &
    asked[i]=$!
done
answered=0
for i in 1 2 3 4 5; do
    wait "${asked[i]}" && answered=$((answered + 1))
done
check "at least four of five travellers at one place are hidden together and answered" test "$answered" -ge 4
if [[ -n $url ]]; then
    "$STARCLOAK" nearest city.scm --lon "$lon" --lat "$lat" -k 3 -c hospital --metric time --objects "$url" --json >nearest.json 2>/dev/null
    check "exactly, as a plain search in the database's objects finds it" python3 - <<'PY'
import glob, json
wanted = [(r["poi"], round(r["distance_m"], 2)) for r in json.load(open("nearest.json"))["results"]]
seen = 0
for name in glob.glob("answer-*.json"):
    text = open(name).read()
    if not text.strip():
        continue
    told = json.loads(text)
    if told.get("outcome") != "answered":
        continue
    got = [(o["id"], round(o["distance_m"], 2)) for o in told["objects"]]
    assert [d for _, d in got] == [d for _, d in wanted], (got, wanted)
    assert all(o["name"] == 'Place "%s"' % o["id"][1:] and o["category"] == "hospital" for o in told["objects"])
    assert told["cloak"]["users"] >= 4 and told["cloak"]["segments"] >= 3 and 0 <= told["wait_s"] <= 8
    seen += 1
assert seen >= 4
PY
else
    skip "exactly, as a plain search in the database's objects finds it" "no PostGIS"
fi
run query "$base" --token "$(token user-9)" --lon "$lon" --lat "$lat"
refuses 1 "a certificate of an unknown authority is not trusted" "starcloak query: "

# --- Replies are what /openapi.json says -----------------------------------------------------

curl -s "${curl_tls[@]}" "$base/openapi.json" >openapi.json
# described METHOD PATH: the reply at hand is as described.
described() {
    check "the reply $code to $1 $2 is as described" python3 "$here/openapi.py" openapi.json "$2" "$1" "$code" "$out"
}
get() {
    local path=$1
    shift
    code=$(curl -s -o "$out" -D headers.txt -w '%{http_code}' "${curl_tls[@]}" "$@" "$base$path")
    command_line="GET $path" status=$code
}
for path in /healthz /readyz /v1/map /v1/map.bin /v1/categories /openapi.json; do
    get "$path"
    equal "$path is there" "$code" 200
    [[ $path == /openapi.json ]] || described GET "$path"
done
get /metrics
equal "/metrics is there for this machine" "$code" 200
check "with the outcomes" says "$out" 'starcloak_queries_total{outcome="answered"}' starcloak_wait_seconds_bucket
equal "no promise was broken" "$(sed -nE 's/^starcloak_violations_total //p' "$out")" 0
get /v1/nothing
equal "elsewhere there is nothing" "$code" 404
get /v1/queries
equal "queries are posted" "$code" 405
check "as the reply says" grep -qi "^Allow: POST" headers.txt

good="{\"position\":{\"lon\":$lon,\"lat\":$lat},\"request\":{\"type\":\"knn\",\"k\":3}}"
auth() { printf 'Authorization: Bearer %s' "$(token "$1")"; }
ask() {  # BODY USER [CURL-OPTION...]
    local body=$1 user=$2
    shift 2
    post "$base" "$body" "${curl_tls[@]}" -H "$(auth "$user")" "$@"
}
# refused CODE SENTENCE FIELD-OR-WORD BODY USER...
refused() {
    local wanted=$1 sentence=$2 word=$3
    shift 3
    ask "$@"
    equal "$sentence" "$code" "$wanted"
    check "it says why ($word)" says "$out" "$word"
    described POST /v1/queries
}
post "$base" "$good" "${curl_tls[@]}"
equal "without a token no query is taken" "$code" 401
check "and is told how" grep -qi "^WWW-Authenticate: Bearer" headers.txt
described POST /v1/queries
post "$base" "$good" "${curl_tls[@]}" -H "Authorization: Bearer sct1_AAAA"
equal "nor with one that is none" "$code" 401
refused 400 "what is no JSON is refused, with the place" "byte 12" '{"position":' x
refused 400 "so is an unknown member, by its name" "'kk'" "${good%\}},\"profile\":{\"kk\":3}}" x
refused 400 "a k beyond the operator's bounds" /profile/k "${good%\}},\"profile\":{\"k\":21}}" x
refused 400 "a k of one, which does not hide" /profile/k "${good%\}},\"profile\":{\"k\":1}}" x
refused 400 "a category that there is not" /request/categories \
    "{\"position\":{\"lon\":$lon,\"lat\":$lat},\"request\":{\"type\":\"knn\",\"k\":3,\"categories\":[\"casino\"]}}" x
refused 422 "a place off the roads" off-road '{"position":{"lon":0.5,"lat":0.5},"request":{"type":"knn","k":3}}' x
check "which is not repeated" silent_about "$out" "0.5"
refused 413 "a body that is too large" too-large "$(printf '%5000s' ' ')$good" x
content_type=text/plain
refused 415 "a body that is no JSON by its type" media-type "$good" x
content_type=application/json

# Alone, with little time: dropped.
ask "${good%\}},\"profile\":{\"k\":9,\"max_wait_s\":1}}" lonely
equal "who finds no company is told so" "$code" 200
check "as dropped, expired" says "$out" '"outcome":"dropped"' '"reason":"expired"'
described POST /v1/queries

# One pending query per user. On a busy machine the first one may be over before the second one is asked.
pending() { curl -s "${curl_tls[@]}" "$base/metrics" | sed -nE 's/^starcloak_pending //p'; }
is_pending() { [[ $(pending) == "$1" ]]; }
has_come() { is_pending 1 || ! kill -0 "$1"; }  # the query of that client; or it is over already
twice=$(auth twice)
for seconds in 4 20 60; do
    curl -s -o first.txt "${curl_tls[@]}" -X POST -H 'Content-Type: application/json' -H "$twice" \
        --data-binary "${good%\}},\"profile\":{\"k\":9,\"max_wait_s\":$seconds}}" "$base/v1/queries" &
    first=$!
    until_true has_come "$first"
    post "$base" "$good" "${curl_tls[@]}" -H "$twice"
    [[ $code != 429 ]] || break
done
equal "a second query of one user has to wait" "$code" 429
check "it says why (pending)" says "$out" pending
described POST /v1/queries
check "and is told how long" grep -qi "^Retry-After: " headers.txt
wait "$first"
check "the first one gets its outcome" says first.txt '"outcome":"dropped"'

# A client that goes away takes its query along.
curl -s -o /dev/null "${curl_tls[@]}" -X POST -H 'Content-Type: application/json' -H "$(auth leaver)" \
    --data-binary "${good%\}},\"profile\":{\"k\":9,\"max_wait_s\":15}}" "$base/v1/queries" &
leaver=$!
until_true has_come "$leaver"
kill -KILL "$leaver"
wait "$leaver" 2>/dev/null
check "a client that goes away takes its query along" until_true is_pending 0
get /metrics
check "which is counted" grep -qE '^starcloak_queries_total\{outcome="gone"\} [1-9]' "$out"

# --- Events: as the provider sees them -------------------------------------------------------

get /v1/events
equal "events need a token" "$code" 401
curl -sN --max-time 500 "${curl_tls[@]}" -H "$(auth watcher)" "$base/v1/events" >events.txt 2>/dev/null &
watcher=$!
until_true grep -q '^event: counters' events.txt
crowd() {  # USERS: each asks at the same place; 0 if all are answered
    local i all=0 ids=() auths=()
    for ((i = 0; i < $1; i++)); do auths[i]=$(auth "crowd-$i"); done
    for ((i = 0; i < $1; i++)); do
        curl -s -o "crowd-$i.json" "${curl_tls[@]}" -X POST -H 'Content-Type: application/json' \
            -H "${auths[i]}" --data-binary "$good" "$base/v1/queries" &
        ids+=($!)
    done
    for i in "${ids[@]}"; do wait "$i" || all=1; done
    return $all
}
crowd 6
check "a cloak is told as an event" until_true grep -q '^event: cloak' events.txt
check "with segments and requests, and no users" python3 - <<'PY'
import json
cloaks = []
lines = open("events.txt").read().split("\n")
for i, line in enumerate(lines):
    if line == "event: cloak":
        cloaks.append(json.loads(lines[i + 1].removeprefix("data: ")))
assert cloaks
for c in cloaks:
    assert set(c) == {"id", "segments", "border_nodes", "requests"} and len(c["segments"]) >= 3, c
    assert c["segments"] == sorted(set(c["segments"]))
    assert all(set(r) <= {"type", "metric", "k", "radius_m", "radius_s", "categories"} for r in c["requests"])
PY
kill "$watcher" 2>/dev/null
check "an answer is as described" python3 - <<PY
import glob, json, subprocess, sys
n = 0
for name in glob.glob("crowd-*.json"):
    if json.load(open(name)).get("outcome") == "answered":
        n += 1
        subprocess.run([sys.executable, "$here/openapi.py", "openapi.json", "/v1/queries", "POST", "200", name], check=True)
assert n >= 4
PY

# --- What is given up --------------------------------------------------------------------------

check "system calls are filtered" grep -qE '^Seccomp:[[:space:]]*2' "/proc/$serve/status"
check "no new privileges can be had" grep -qE '^NoNewPrivs:[[:space:]]*1' "/proc/$serve/status"
check "there are no core dumps" grep -qE '^Max core file size +0 +0 ' "/proc/$serve/limits"
check "the provider is no freer" grep -qE '^Seccomp:[[:space:]]*2' "/proc/$lbs/status"

# --- Files that change, and SIGHUP ---------------------------------------------------------------

# told NAME EVENT COUNT: its log has so many lines of the event.
told() { [[ $(grep -c "event=$2" "$1.log") -ge $3 ]]; }
gone_token=$(token user-1)
"$STARCLOAK" token revoke --key keys --revoked revoked "$gone_token" >/dev/null
post "$base" '{}' "${curl_tls[@]}" -H "Authorization: Bearer $gone_token"
equal "a revoked token is good until the service is told" "$code" 400
sed -i 's/^max-k = 20/max-k = 30/; s/^loops = 2/loops = 3/' starcloak.ini
cp again.pem server.pem && cp again.key server.key
kill -HUP "$serve"
check "the service reloads" until_true told serve reloaded 1
post "$base" '{}' "${curl_tls[@]}" -H "Authorization: Bearer $gone_token"
equal "then it is not" "$code" 401
check "and that is said" says "$out" revoked
ask "${good%\}},\"profile\":{\"k\":25,\"max_wait_s\":1}}" wanting
equal "the policy is the new one" "$code" 200
check "what needs a restart is named" grep -q 'event=needs_restart.*loops' serve.log
serial() { openssl x509 -noout -serial 2>/dev/null; }
equal "new connections see the new certificate" \
    "$(openssl s_client -connect "localhost:${address##*:}" </dev/null 2>/dev/null | serial)" "$(serial <again.pem)"
sed -i 's/^max-k = 30/max-k = many/' starcloak.ini
kill -HUP "$serve"
check "what is wrong is told with its line" until_true grep -q 'event=reload_failed.*starcloak.ini:[0-9]*: max-k' serve.log
ask "${good%\}},\"profile\":{\"k\":25,\"max_wait_s\":1}}" wanting
equal "and everything stays as it was" "$code" 200
sed -i 's/^max-k = many/max-k = 30/' starcloak.ini

# --- The provider goes away, and comes back ----------------------------------------------------

kill -STOP "$lbs"
ids=()
for i in 1 2 3 4; do auths[i]=$(auth "fail-$i"); done
for i in 1 2 3 4; do
    curl -s -o "fail-$i.json" -w '%{http_code}\n' "${curl_tls[@]}" -X POST -H 'Content-Type: application/json' \
        -H "${auths[i]}" --data-binary "$good" "$base/v1/queries" >"fail-$i.code" &
    ids+=($!)
done
for i in "${ids[@]}"; do wait "$i"; done
equal "a provider that is silent is a failure" "$(sort -u fail-?.code)" 504
code=504
cp fail-1.json "$out"
check "with its reason" says "$out" '"outcome":"failed"' provider_timeout
described POST /v1/queries
check "the operator reads it in the log" until_true grep -q 'event=provider_failed.*reason=provider_timeout' serve.log
kill -KILL "$lbs"
kill -CONT "$lbs" 2>/dev/null
wait "$lbs" 2>/dev/null
crowd 4
equal "one that is not there, too" "$(python3 -c 'import json; print(json.load(open("crowd-0.json"))["status"])')" 502
start lbs "$STARCLOAK" lbs city.scm --listen "$provider" --tls-certificate provider.pem --tls-key provider.key --user "$me" "${objects[@]}"
address_of lbs >/dev/null
is_well() { crowd 5 && grep -q '"outcome":"answered"' crowd-?.json; }
check "when it is back, so are the answers" until_true is_well

# --- The end -----------------------------------------------------------------------------------

curl -s -o last.txt "${curl_tls[@]}" -X POST -H 'Content-Type: application/json' -H "$(auth last)" \
    --data-binary "${good%\}},\"profile\":{\"k\":9,\"max_wait_s\":3}}" "$base/v1/queries" &
last=$!
until_true has_come "$last"
kill -TERM "$serve"
wait "$last"
ended "$serve"
equal "told to stop, the service ends well" "$status" 0
check "pending queries got their outcome" says last.txt '"outcome":"dropped"'
check "it said so" grep -q 'event=stopped.*cut_off=0' serve.log
check "no log has a user, a token or a position" silent_about serve.log user-1 crowd sct1_ "${lon:0:7}" "${lat:0:7}"
check "nor has the provider's" silent_about lbs.log user-1 crowd "${lon:0:7}"

finish
