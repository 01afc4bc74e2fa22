#!/usr/bin/env bash
# `starcloak lbs`: a provider asked over real HTTP, in plain and with TLS, on its own sockets and on
# those of a service manager, with the map's objects and with those of a database that change.
# shellcheck source-path=SCRIPTDIR disable=SC2317  # functions are called by their names
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

log=$work/log
lbs_id=
trap '[[ -z $lbs_id ]] || kill -KILL "$lbs_id" 2>/dev/null; chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT

# told TEXT: wait until the log has it.
told() {
    for _ in {1..1200}; do
        ! grep -qF -e "$1" "$log" || return 0
        sleep 0.05
    done
    return 1
}
# serve ARG...: start a provider and wait for it; leaves $lbs_id, and in $at where it listens.
serve() {
    command_line="starcloak lbs $*"
    : >"$log"
    "$STARCLOAK" lbs "$@" >"$out" 2>"$log" </dev/null &
    lbs_id=$!
    told ready || echo "# not ready: $(cat "$log")"
    at=$(grep -F listening "$log" | grep -oE '(127\.0\.0\.1:[0-9]+|unix:[^ "]+)' | head -n 1)
}
# stop: as an operator would; leaves $status.
stop() {
    kill -TERM "$lbs_id"
    wait "$lbs_id"
    status=$?
    lbs_id=
    cp "$log" "$err"
}
# ask ARG...: curl; leaves the body in $out, and prints the status.
ask() { curl -sS --noproxy '*' --max-time 60 -o "$out" -w '%{http_code}' "$@" 2>"$err"; }

"$STARCLOAK" map generate --nodes 500 -o city.scm --quiet || echo "# no city"
"$STARCLOAK" map export --geojson --quiet city.scm csv || echo "# no roads"
# A cloak of one segment, both of whose ends are crossings.
line=$(grep -m 1 -E '"star_a":[0-9]+,"star_b":[0-9]+' csv/map.geojson | grep -oE '\[\[.*\]\]')
first=$(grep -oE '\[-?[0-9.]+,-?[0-9.]+\]' <<<"$line" | head -n 1)
last=$(grep -oE '\[-?[0-9.]+,-?[0-9.]+\]' <<<"$line" | tail -n 1)
# message REQUEST: the cloak with that request.
message() {
    cat <<END
{"type":"FeatureCollection","starcloak":2,"requests":[$1],"features":[
{"type":"Feature","id":"s0","properties":null,"geometry":{"type":"LineString","coordinates":$line}},
{"type":"Feature","id":"b0","properties":null,"geometry":{"type":"Point","coordinates":$first}},
{"type":"Feature","id":"b1","properties":null,"geometry":{"type":"Point","coordinates":$last}}]}
END
}
message '{"type":"knn","k":3}' >cloak.json
geo=(-H "Content-Type: application/geo+json")
# distances FILE: of the first border node's objects, each rounded to metres, in one line.
distances() {
    grep -oE '"b0":\[[^]]*\]' "$1" | grep -oE '"distance_m":[0-9.]+' | cut -d : -f 2 |
        awk '{ printf "%d ", $1 + 0.5 }'
}

# --- Asking --------------------------------------------------------------------------

serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --threads 2
admin=$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' "$log")
check "it tells where it listens" test -n "$at"
equal "a cloak is answered" "$(ask "http://$at/" "${geo[@]}" --data-binary @cloak.json)" 200
got=$(distances "$out")
lon=$(cut -d , -f 1 <<<"${first//[\[\]]/}") lat=$(cut -d , -f 2 <<<"${first//[\[\]]/}")
wanted=$("$STARCLOAK" nearest city.scm --lon="$lon" --lat="$lat" -k 3 --json |
    grep -oE '"distance_m":[0-9.]+' | cut -d : -f 2 | awk '{ printf "%d ", $1 + 0.5 }')
equal "with what a plain search finds from a border node" "$got" "$wanted"
check "which is something" test -n "$got"
cp "$out" plain.json
equal "at any path" "$(ask "http://$at/cloaks/here?x=y" "${geo[@]}" --data-binary @cloak.json)" 200
check "the reply is the same" cmp -s "$out" plain.json

equal "what is no message is 400" "$(ask "http://$at/" "${geo[@]}" -d '{}')" 400
check "with a problem that says why" grep -qE '^\{"type":"about:blank","status":400,"title":"[^"]+"\}$' "$out"
equal "bytes are 400, too" "$(ask "http://$at/" -H "Content-Type: application/x-protobuf" -d zzzz)" 400
equal "another media type is 415" "$(ask "http://$at/" -H "Content-Type: text/plain" --data-binary @cloak.json)" 415
equal "no media type is 415" "$(ask "http://$at/" -H "Content-Type:" --data-binary @cloak.json)" 415
equal "reading a cloak is 405" "$(ask "http://$at/")" 405
equal "a body that is too large is 413" "$(head -c 16777217 /dev/zero | ask "http://$at/" "${geo[@]}" -H Expect: --data-binary @-)" 413
message '{"type":"knn","k":3,"categories":["dragon"]}' >dragon.json
equal "a category that is not there is 422" "$(ask "http://$at/" "${geo[@]}" --data-binary @dragon.json)" 422
check "and pointed at" says "$out" "category 0 of request 0"
equal "it is healthy" "$(ask "http://$at/healthz") $(cat "$out")" "200 ok"
equal "and ready" "$(ask "http://$at/readyz") $(cat "$out")" "200 ready"
equal "its categories can be read" "$(ask "http://$at/v1/categories")" 200
check "with how many objects they have" grep -qE '^\{"categories":\[\{"name":"[a-z_]+","objects":[0-9]+\}' "$out"
equal "its counts are not for clients" "$(ask "http://$at/metrics" -H 'Host: localhost')" 404
check "who are told where they are" says "$out" "admin"
equal "operators do not ask" "$(ask "http://$admin/" "${geo[@]}" --data-binary @cloak.json)" 404
equal "but read the counts" "$(ask "http://$admin/metrics")" 200
check "which have counted" says "$out" 'starcloak_lbs_requests_total{status="415"} 2' \
    'starcloak_lbs_requests_total{status="413"} 1' 'starcloak_lbs_requests_total{status="422"} 1'

# --- What it has given up ------------------------------------------------------------

process=/proc/$lbs_id
equal "its system calls are filtered" "$(awk '/^Seccomp:/ { print $2 }' "$process"/status)" 2
equal "in all of its threads" "$(awk '/^Seccomp:/ { print $2 }' "$process"/task/*/status | sort -u)" 2
equal "it gets no new privileges" "$(awk '/^NoNewPrivs:/ { print $2 }' "$process"/status)" 1
check "it leaves no core" grep -qE '^Max core file size +0 +0 ' "$process"/limits
if [[ $(id -u) == 0 ]]; then
    equal "started by root, it is not root" "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "$process"/status | tr ' ' '\n' | sort -u)" "$(id -u nobody)"
    check "and says so" says "$log" "user=nobody"
else
    skip "started by root, it is not root" "not root"
    skip "and says so" "not root"
fi

# --- The end -------------------------------------------------------------------------

# A client that has not said all yet when the end is near. What it asks before comes with it, so
# that the answer to that shows when it was heard.
exec {slow}<>"/dev/tcp/127.0.0.1/${at##*:}"
half='GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
half+='POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/geo+json\r\nContent-Length: %d\r\n\r\n'
# shellcheck disable=SC2059  # the format is above
printf "$half" "$(stat -c %s cloak.json)" >&"$slow"
reply=
while [[ $reply != ok ]] && IFS= read -r -t 30 reply <&"$slow"; do :; done
kill -TERM "$lbs_id"
check "told to stop, it drains" told draining
refused() { ! curl -s --noproxy '*' -o /dev/null "http://$at/healthz"; }
check "new connections are refused" refused
cat cloak.json >&"$slow"
IFS= read -r -t 30 reply <&"$slow"
equal "who was there is answered" "${reply%$'\r'}" "HTTP/1.1 200 OK"
exec {slow}>&-
wait "$lbs_id"
status=$?
lbs_id=
cp "$log" "$err"
equal "and it ends with 0" "$status" 0
check "saying that all replies were sent" says "$log" 'event=stopped' 'all replies were sent'
check "no line of its log has a position" silent_about "$log" "$lon" "$lat"

serve city.scm --listen 127.0.0.1:0 --listen "unix:$work/lbs.sock" --log-format json --log-level debug --no-sandbox
equal "it listens at several places" "$(grep -c '"event":"listening"' "$log")" 2
equal "also at a unix socket" "$(ask --unix-socket "$work"/lbs.sock http://lbs/ "${geo[@]}" --data-binary @cloak.json)" 200
check "where the reply is the same" cmp -s "$out" plain.json
equal "the filter can be left out" "$(awk '/^Seccomp:/ { print $2 }' /proc/"$lbs_id"/status)" 0
kill -INT "$lbs_id"
wait "$lbs_id"
equal "an interrupt ends it as well" $? 0
lbs_id=
check "each line of a log in JSON is an object" test -z "$(grep -vE '^\{"time":"[^"]+","level":"[a-z]+","event":"[a-z_]+".*\}$' "$log")"
check "and at the level of debugging replies are told" says "$log" '"event":"reply","status":200'

serve city.scm --listen 127.0.0.1:0 --max-k 2 --max-radius 100 --max-duration 60
equal "more than --max-k is 422" "$(ask "http://$at/" "${geo[@]}" --data-binary @cloak.json)" 422
check "and says what would do" says "$out" "1 to 2"
message '{"type":"range","radius_m":101}' >far.json
equal "farther than --max-radius, too" "$(ask "http://$at/" "${geo[@]}" --data-binary @far.json)" 422
message '{"type":"range","radius_m":100}' >near.json
equal "as far as that is not" "$(ask "http://$at/" "${geo[@]}" --data-binary @near.json)" 200
message '{"type":"range","metric":"time","radius_s":61}' >late.json
equal "longer than --max-duration, too" "$(ask "http://$at/" "${geo[@]}" --data-binary @late.json)" 422
message '{"type":"range","metric":"time","radius_s":60}' >soon.json
equal "as long as that is not" "$(ask "http://$at/" "${geo[@]}" --data-binary @soon.json)" 200
stop
equal "an idle one ends with 0" "$status" 0

# --- TLS -----------------------------------------------------------------------------

# certificate NAME: a key and a certificate for this machine, signed by itself.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
        -addext "subjectAltName=IP:127.0.0.1" -keyout "$1".key -out "$1".pem 2>/dev/null ||
        echo "# no certificate $1"
}
certificate provider
certificate next
certificate proxy
certificate stranger
# Certificates are read again by the user it has become, so it keeps its user.
cp provider.pem now.pem && cp provider.key now.key
serve city.scm --listen 127.0.0.1:0 --tls-certificate now.pem --tls-key now.key --client-ca proxy.pem --user "$(id -un)"
check "it says that it speaks TLS" says "$log" "tls=yes"
mutual=(--cacert provider.pem --cert proxy.pem --key proxy.key)
equal "a client with a certificate is answered" "$(ask "https://$at/" "${mutual[@]}" "${geo[@]}" --data-binary @cloak.json)" 200
check "the reply is the same" cmp -s "$out" plain.json
equal "one without is not" "$(ask "https://$at/" --cacert provider.pem "${geo[@]}" --data-binary @cloak.json)" 000
equal "nor one with another" "$(ask "https://$at/" --cacert provider.pem --cert stranger.pem --key stranger.key "${geo[@]}" --data-binary @cloak.json)" 000
equal "nor one without TLS" "$(ask "http://$at/healthz")" 000
equal "nor one with an old version of it" "$(ask "https://$at/healthz" "${mutual[@]}" --tls-max 1.1)" 000
cp next.pem now.pem && cp next.key now.key
kill -HUP "$lbs_id"
check "told to, it reads its certificate again" told "event=reloaded"
equal "and has the new one" "$(ask "https://$at/healthz" "${mutual[@]}" --cacert next.pem)" 200
equal "in place of the old one" "$(ask "https://$at/healthz" "${mutual[@]}")" 000
echo nonsense >now.pem
kill -HUP "$lbs_id"
check "one that is no good is told" told "event=reload_failed"
equal "and the last one stays" "$(ask "https://$at/healthz" "${mutual[@]}" --cacert next.pem)" 200
stop
equal "it ends with 0" "$status" 0

# --- Sockets from a service manager --------------------------------------------------

if command -v systemd-socket-activate >/dev/null; then
    : >"$log"
    systemd-socket-activate -l "$work"/handed.sock "$STARCLOAK" lbs city.scm --log-level debug >"$out" 2>"$log" </dev/null &
    lbs_id=$!
    told "Listening on" || echo "# nothing listens"
    equal "a socket that is handed over is served" \
        "$(ask --unix-socket "$work"/handed.sock http://lbs/ "${geo[@]}" --data-binary @cloak.json)" 200
    check "the reply is the same" cmp -s "$out" plain.json
    told "event=listening" || echo "# it does not say so"
    equal "and nothing else is listened at" "$(grep -F event=listening "$log" | grep -oE 'address=[^ ]+')" "address=unix:$work/handed.sock"
    stop
    equal "it ends with 0" "$status" 0
else
    skip "a socket that is handed over is served" "no systemd-socket-activate"
fi

# --- Usage ---------------------------------------------------------------------------

run lbs
refuses 2 "a map is needed" "no map given"
run lbs none.scm
refuses 1 "and must be there" "none.scm"
"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o bare.scm --quiet || echo "# no bare map"
run lbs bare.scm
refuses 1 "a map without objects has no answers" "bare.scm" "objects"
run lbs city.scm --listen 127.0.0.1:0 --check
succeeds "what would do is checked"
check "and that is said" says "$out" "all settings are valid"
run lbs city.scm --listen 192.0.2.1:9090 --check
refuses 1 "an address of another machine is refused" "192.0.2.1:9090"
run lbs city.scm --listen 127.0.0.1:19090 --admin 127.0.0.1:19090 --check
refuses 1 "an address twice is refused" "same address"
run lbs city.scm --user starcloak-stranger --check
refuses 1 "a user that is not there is told" "starcloak-stranger"
run lbs no-such.scm --check
refuses 1 "a map that is not there is told" "no-such.scm"
run lbs city.scm --admin listen --admin 127.0.0.1:0
refuses 2 "the same addresses stand alone" "--admin"
printf '; a provider\n[server]\nmap = city.scm\nlisten = 192.0.2.1:9090\nno-sandbox = yes\nquiet = no\nmax-k = 7\n' >lbs.ini
run lbs --config lbs.ini --check
refuses 1 "what a file says is heeded" "192.0.2.1:9090"
run lbs --config=lbs.ini -l 127.0.0.1:0 --check
succeeds "and replaced by flags"
for line in 'no-such = 1' 'listen' 'no-sandbox = perhaps' 'config = other.ini'; do
    printf 'map = city.scm\n%s\n' "$line" >bad.ini
    run lbs --config bad.ini --check
    refuses 1 "'$line' in a file is refused, with its line" "bad.ini:2: "
done
printf 'map = city.scm\nmax-k = many\n' >bad.ini
run lbs --config bad.ini --check
refuses 2 "values of a file are checked as those of flags" "--max-k" "many"
run lbs --config no-such.ini --check
refuses 1 "a file that is not there is told" "no-such.ini"
run lbs city.scm --listen nowhere
refuses 1 "an address must be one" "nowhere"
run lbs city.scm --listen 127.0.0.1:0 --user starcloak-stranger
refuses 1 "a user must be there" "starcloak-stranger"
run lbs city.scm --tls-key provider.key
refuses 2 "a key is of no use without a certificate" "--tls-key" "--tls-certificate"
run lbs city.scm --client-ca proxy.pem
refuses 2 "nor are authorities" "--client-ca" "--tls-certificate"
run lbs city.scm --listen 127.0.0.1:0 --tls-certificate cloak.json
refuses 1 "a certificate must be one" "cloak.json"
for option in --loops --threads --max-waiting --max-connections --max-k; do
    run lbs city.scm "$option" 0
    refuses 2 "$option 0 is refused" "$option"
done
run lbs city.scm --log-level loud
refuses 2 "a level of logging that is none is refused" "--log-level" "loud"
run lbs city.scm --objects-table houses
refuses 2 "a table without a database is refused" "--objects-table"

# --- Objects of a database -----------------------------------------------------------

coproc server { exec "$repository"/tests/support/with_postgres --serve 2>"$work"/server.err; }
# shellcheck disable=SC2154  # coproc sets them
server_id=$server_PID
url=
read -r url <&"${server[0]}"
if [[ -z $url ]]; then
    wait "$server_id"
    skip "objects come from a database" "$(head -n 1 "$work"/server.err)"
    finish
fi
psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1)
# sql TEXT: done, or the test is worth nothing.
sql() { "$psql" -qXAt -v ON_ERROR_STOP=1 -d "$url" -c "$1" || echo "# not done: $1"; }
sql 'CREATE TABLE objects (id text PRIMARY KEY, geom geometry(Point, 4326), category text, name text)'
sql "INSERT INTO objects VALUES ('one', ST_SetSRID(ST_Point(${first//[\[\]]/}), 4326), 'cafe', 'First')"
# nearest_now: the key of what the first border node has nearest.
nearest_now() {
    ask "http://$at/" "${geo[@]}" --data-binary @cloak.json >/dev/null
    grep -oE '"b0":\[[^]]*\]' "$out" | grep -oE '"object":"[^"]+"' | head -n 1 | cut -d '"' -f 4
}
# becomes KEY: wait until it is the nearest.
becomes() {
    for _ in {1..1200}; do
        [[ $(nearest_now) != "$1" ]] || return 0
        sleep 0.05
    done
    return 1
}
serve bare.scm --listen 127.0.0.1:0 --objects "$url"
equal "a map without objects does where there is a database" "$(ask "http://$at/healthz")" 200
stop
serve city.scm --listen 127.0.0.1:0 --admin listen --objects "$url" --objects-channel changed
equal "cloaks are answered from the table" "$(nearest_now)" one
check "in place of the map's objects" silent_about "$out" '"object":"0"'
sql "DELETE FROM objects; INSERT INTO objects VALUES ('two', ST_SetSRID(ST_Point(${last//[\[\]]/}), 4326), 'cafe', 'Second'); NOTIFY changed"
check "in its sandbox it learns of changes" becomes two
check "and logs that it has" says "$log" "event=objects_loaded"
echo stop >&"${server[1]}" && read -r -t 60 _ <&"${server[0]}"
check "it tells when the database goes away" told "event=objects_stale"
equal "and answers as before" "$(nearest_now)" two
echo start >&"${server[1]}" && read -r -t 60 _ <&"${server[0]}"
sql "INSERT INTO objects VALUES ('three', ST_SetSRID(ST_Point(${first//[\[\]]/}), 4326), 'pub', NULL)"
check "it connects again, in its sandbox, and loads" becomes three
ask "http://$at/metrics" >/dev/null
check "its counts tell of the feed" says "$out" "starcloak_lbs_feed_connected 1" "starcloak_lbs_feed_stale 0" "starcloak_lbs_objects 2"
ask "http://$at/v1/categories" >/dev/null
check "and its categories are the table's" says "$out" '{"name":"pub","objects":1}'
stop
equal "it ends with 0" "$status" 0

kill "$server_id" 2>/dev/null
wait "$server_id" 2>/dev/null
finish
