#!/usr/bin/env bash
# HTTP/2 by clients of others: curl, nghttp and h2load, by TLS and by prior knowledge.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
token=$("$STARCLOAK" token issue --key keys --user u1)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls.key -out tls.pem 2>/dev/null
chmod 600 tls.key
start plain "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 --min-k 1
plain=$started_id
start secure "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 \
    --tls-certificate tls.pem --tls-key tls.key --min-k 1
secure=$started_id
address=$(address_of plain)
port=$(address_of secure)
port=${port##*:}

# told WHAT URL [CURL-OPTION...]: status and version of a reply.
told() { curl -s -o "$out" -w '%{http_code} %{http_version}' "$@"; }

equal "curl by prior knowledge" "$(told --http2-prior-knowledge "http://$address/healthz")" "200 2"
equal "curl by TLS chooses HTTP/2" "$(told --cacert tls.pem "https://localhost:$port/healthz")" "200 2"
equal "or HTTP/1.1, if it wants that" "$(told --http1.1 --cacert tls.pem "https://localhost:$port/healthz")" "200 1.1"
equal "a client that offers an upgrade is answered by HTTP/1.1" "$(told --http2 "http://$address/healthz")" "200 1.1"
equal "the page comes whole" "$(told --http2-prior-knowledge "http://$address/v1/map.bin")" "200 2"
cp "$out" map2
equal "by both" "$(told "http://$address/v1/map.bin")" "200 1.1"
check "and is the same" cmp -s map2 "$out"
equal "what is not there is 404" "$(told --http2-prior-knowledge "http://$address/nowhere")" "404 2"
equal "a query without a token is refused" \
    "$(told --http2-prior-knowledge -H 'Content-Type: application/json' -d '{}' "http://$address/v1/queries")" "401 2"

query='{"position":{"edge":5,"offset_m":1},"profile":{"k":1,"l":2,"max_hops":4,"max_wait_s":5},"request":{"type":"knn","k":2}}'
for url in "http://$address" "https://localhost:$port"; do
    known=(--http2-prior-knowledge)
    [ "${url%%:*}" = http ] || known=(--http2 --cacert tls.pem)
    equal "a query is answered: ${url%%:*}" \
        "$(told "${known[@]}" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$query" "$url/v1/queries")" "200 2"
    equal "with what was asked for" "$(jq -r '.outcome' "$out")" answered
done

h2load -n 20000 -c 10 -m 100 "http://$address/healthz" >h2load.out 2>&1
check "h2load, 100 streams on each of 10 connections: all succeed" grep -q '20000 succeeded, 0 failed, 0 errored' h2load.out
h2load -n 5000 -c 5 -m 100 "https://localhost:$port/healthz" >h2load.tls 2>&1
check "the same by TLS" grep -q '5000 succeeded, 0 failed, 0 errored' h2load.tls
nghttp -nv "http://$address/healthz" >nghttp.out 2>&1
check "nghttp: settings are sent and acknowledged" grep -q 'recv SETTINGS frame' nghttp.out
check "there is no table of headers" grep -q 'SETTINGS_HEADER_TABLE_SIZE(0x01):0' nghttp.out

for id in "$plain" "$secure"; do
    kill "$id"
    ended "$id"
    equal "it ends as usual" "$status" 0
done
finish
