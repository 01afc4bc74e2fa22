#!/usr/bin/env bash
# The service behind real proxies: what is for operators stays unreachable for clients, whatever
# they send; and the PROXY protocol, from trusted proxies alone, says who the client is.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=proxies.sh
source "$here/proxies.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys

# admin_of NAME: where operators come in.
admin_of() {
    until_true grep -q 'event=admin_listening' "$1.log" || return 1
    sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' "$1.log" | head -n 1
}
# status_of URL [CURL-OPTION...]: nothing but the status of a reply.
status_of() { curl -s -o "$out" -w '%{http_code}' "$@"; }

# all_refused WHAT URL [CURL-OPTION...]: no way of asking shows what is for operators.
all_refused() {
    local what=$1 url=$2 page host
    shift 2
    for page in /metrics /v1/events /v1/cluster; do
        for host in localhost 127.0.0.1 localhost:80 '[::1]' example.org; do
            equal "$what: $page is not there for Host: $host" \
                "$(status_of --max-time 5 -H "Host: $host" "$@" "$url$page")" 404
        done
    done
    equal "$what: nor with headers about another client" \
        "$(status_of -H 'Host: localhost' -H 'X-Forwarded-For: 127.0.0.1' -H 'X-Real-IP: 127.0.0.1' \
            -H 'Forwarded: for=127.0.0.1' "$@" "$url/metrics")" 404
    equal "$what: nor by an absolute target" \
        "$(status_of --request-target "http://localhost/metrics" -H 'Host: localhost' "$@" "$url/")" 404
}

# --- Without a proxy ---------------------------------------------------------------------------

start plain "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0,unix:admin.sock --user "$me" \
    --token-keys keys --address-rate 0
plain=$started_id
address=$(address_of plain)
admin=$(admin_of plain)
all_refused "straight" "http://$address"
equal "the admin listener has the metrics" "$(status_of "http://$admin/metrics")" 200
equal "and the events" "$(status_of --max-time 1 "http://$admin/v1/events")" 200
equal "and the UI" "$(status_of "http://$admin/")" 200
equal "also by its unix socket" "$(status_of --unix-socket admin.sock http://localhost/metrics)" 200
equal "another site's page in a browser is refused there" \
    "$(status_of -H 'Host: evil.example' "http://$admin/metrics")" 403
equal "what the UI is told for clients" "$(curl -s "http://$address/v1/about" | jq -r '.events')" off
equal "and for operators" "$(curl -s "http://$admin/v1/about" | jq -r '.events')" local

# --- Behind nginx and HAProxy --------------------------------------------------------------------

read -r port port2 port3 port4 < <(free_ports 4)
if command -v nginx >/dev/null; then
    nginx_before "$address" "$port"
    all_refused "nginx" "http://127.0.0.1:$port"
    kill "$started_id" && wait "$started_id" 2>/dev/null
    # shellcheck disable=SC2016  # a variable of nginx
    nginx_before "$address" "$port2" 'proxy_set_header Host $host;'
    all_refused "nginx that passes Host" "http://127.0.0.1:$port2"
    kill "$started_id" && wait "$started_id" 2>/dev/null
else
    skip "nginx before the service" "nginx is not installed"
fi
if command -v haproxy >/dev/null; then
    haproxy_before "$address" "$port3"
    all_refused "HAProxy" "http://127.0.0.1:$port3"
    kill "$started_id" && wait "$started_id" 2>/dev/null
else
    skip "HAProxy before the service" "HAProxy is not installed"
fi
kill "$plain"
ended "$plain"
equal "it ends as usual" "$status" 0

# --- The PROXY protocol --------------------------------------------------------------------------
#
# Two requests per minute and address: who the client is shows in who is refused.

start proxied "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --proxies 127.0.0.1 --user "$me" \
    --token-keys keys --address-rate 0.02 --address-burst 2
proxied=$started_id
address=$(address_of proxied)
admin=$(admin_of proxied)
# pages FROM HOW: statuses of three pages, by a proxy that speaks HOW for a client FROM there.
pages() {
    python3 - "$address" "$@" <<'PY'
import socket, struct, sys
host, port = sys.argv[1].rsplit(":", 1)
who, how = sys.argv[2:4]
got = []
for _ in range(3):
    s = socket.create_connection((host, int(port)))
    if how == "v2":
        family, size, kind = (socket.AF_INET6, 36, 0x21) if ":" in who else (socket.AF_INET, 12, 0x11)
        ip = socket.inet_pton(family, who)
        head = b"\r\n\r\n\0\r\nQUIT\n" + struct.pack(">BBH", 0x21, kind, size) + ip + ip + struct.pack(">HH", 4711, 443)
    elif how == "v1":
        head = f"PROXY TCP4 {who} 192.0.2.1 4711 443\r\n".encode()
    else:
        head = b""
    s.sendall(head + b"GET /v1/about HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n\r\n")
    try:
        reply = s.recv(100)
    except ConnectionResetError:
        reply = b""
    got.append(reply.split(b" ")[1].decode() if b" " in reply else "closed")
print(*got)
PY
}
equal "each client has its own rate" "$(pages 203.0.113.7 v2)" "200 200 429"
equal "another client its own" "$(pages 203.0.113.8 v2)" "200 200 429"
equal "also by a line of version 1" "$(pages 203.0.113.9 v1)" "200 200 429"
equal "of IPv6 a network has one rate" "$(pages 2001:db8::1 v2) $(pages 2001:db8::2 v2)" "200 200 429 429 429 429"
equal "a trusted proxy that says nothing is cut off" "$(pages 203.0.113.7 nothing)" "closed closed closed"
equal "operators need no such header" "$(status_of "http://$admin/metrics")" 200
if command -v haproxy >/dev/null; then
    haproxy_before "$address" "$port4" send-proxy-v2
    equal "HAProxy names the client" "$(status_of "http://127.0.0.1:$port4/healthz")" 200
    all=()
    for _ in 1 2 3; do all+=("$(status_of -H 'X-Forwarded-For: 203.0.113.77' "http://127.0.0.1:$port4/v1/about")"); done
    equal "and no header of HTTP another one" "${all[*]}" "200 200 429"
    kill "$started_id" && wait "$started_id" 2>/dev/null
fi
stream=$(free_ports 1)
if nginx_stream_before "$address" "$stream"; then
    all=()
    for _ in 1 2 3; do all+=("$(status_of --interface 127.0.0.6 "http://127.0.0.1:$stream/v1/about")"); done
    equal "nginx names the client by its stream module" "${all[*]}" "200 200 429"
    kill "$started_id" && wait "$started_id" 2>/dev/null
else
    skip "nginx names the client by its stream module" "nginx or its stream module is not installed"
fi
kill "$proxied"
ended "$proxied"

# The header comes before TLS.
if command -v haproxy >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout tls.key -out tls.pem \
        2>/dev/null
    start tls "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --proxies 127.0.0.1 --user "$me" --token-keys keys \
        --address-rate 0.02 --address-burst 2 --tls-certificate tls.pem --tls-key tls.key
    tls=$started_id
    address=$(address_of tls)
    port5=$(free_ports 1)
    haproxy_mode=tcp haproxy_scheme=https haproxy_before "$address" "$port5" send-proxy-v2
    all=()
    for _ in 1 2 3; do all+=("$(status_of -k "https://127.0.0.1:$port5/v1/about")"); done
    equal "also before TLS" "${all[*]}" "200 200 429"
    kill "$started_id" && wait "$started_id" 2>/dev/null
    kill "$tls"
    ended "$tls"
else
    skip "also before TLS" "HAProxy is not installed"
fi

# From addresses that are not listed there is no such header.
start open "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --proxies 192.0.2.0/24,fd00::/8,unix --user "$me" --token-keys keys
open=$started_id
address=$(address_of open)
equal "a stranger cannot name a client" "$(pages 203.0.113.7 v2) $(pages 203.0.113.7 v1)" "400 400 400 400 400 400"
kill "$open"
ended "$open"

# --- Headers of requests -------------------------------------------------------------------------
#
# The same two requests per minute; now nginx and HAProxy say in each request who the client is.

# about URL [CURL-OPTION...]: statuses of three pages.
about() {
    local all=() url=$1
    shift
    for _ in 1 2 3; do all+=("$(status_of "$@" "$url/v1/about")"); done
    echo "${all[*]}"
}
# named HEADER RATE: the service behind proxies that name clients by it; leaves $address, $admin.
named() {
    start "named-$1" "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --proxies 127.0.0.1,10.0.0.0/8 \
        --forwarded "$1" --user "$me" --token-keys keys --address-rate "$2" --address-burst 2
    named=$started_id
    address=$(address_of "named-$1")
    admin=$(admin_of "named-$1")
}
for header in forwarded x-forwarded-for; do
    named "$header" 0
    all_refused "by $header" "http://$address"
    if command -v nginx >/dev/null; then
        port=$(free_ports 1)
        # shellcheck disable=SC2016  # variables of nginx
        nginx_before "$address" "$port" 'proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Forwarded for=$remote_addr;'
        all_refused "nginx and $header" "http://127.0.0.1:$port"
        kill "$started_id" && wait "$started_id" 2>/dev/null
    fi
    kill "$named"
    ended "$named"
done
named forwarded 0.02
equal "operators are local as before" "$(status_of "http://$admin/metrics")" 200
equal "but not those that a header calls so" "$(status_of -H 'Forwarded: for=127.0.0.1' "http://$admin/metrics")" 403
equal "a malformed list is refused" "$(status_of -H 'Forwarded: for=1.2.3' "http://$address/healthz")" 400
equal "the client that Forwarded names has its own rate" \
    "$(about "http://$address" -H 'Forwarded: for=203.0.113.7')" "200 200 429"
equal "behind several proxies, too" \
    "$(about "http://$address" -H 'Forwarded: for=198.51.100.1, for="[2001:db8::7]:4711"' -H 'Forwarded: for=10.0.0.1')" "200 200 429"
equal "of IPv6 its network" "$(about "http://$address" -H 'Forwarded: for="[2001:db8::8]"')" "429 429 429"
equal "clients that are not named share the proxy's" "$(about "http://$address" -H 'Forwarded: for=_hidden')" "200 200 429"
equal "as do those that only X-Forwarded-For names" "$(about "http://$address" -H 'X-Forwarded-For: 198.51.100.9')" "429 429 429"
read -r port port2 < <(free_ports 2)
if command -v nginx >/dev/null; then
    # shellcheck disable=SC2016  # variables of nginx
    nginx_before "$address" "$port" 'proxy_set_header Forwarded "for=$remote_addr;proto=$scheme";'
    equal "nginx names each client by Forwarded" \
        "$(about "http://127.0.0.1:$port" --interface 127.0.0.31) $(about "http://127.0.0.1:$port" --interface 127.0.0.35)" \
        "200 200 429 200 200 429"
    kill "$started_id" && wait "$started_id" 2>/dev/null
fi
kill "$named"
ended "$named"

named x-forwarded-for 0.02
if command -v nginx >/dev/null; then
    # 127.0.0.1 alone is a proxy, so that other addresses of this machine are clients.
    # shellcheck disable=SC2016
    nginx_before "$address" "$port2" 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'
    equal "nginx names each client by X-Forwarded-For" \
        "$(about "http://127.0.0.1:$port2" --interface 127.0.0.32) $(about "http://127.0.0.1:$port2" --interface 127.0.0.33)" \
        "200 200 429 200 200 429"
    equal "and a client that adds another name to it stays who it is" \
        "$(about "http://127.0.0.1:$port2" --interface 127.0.0.32 -H 'X-Forwarded-For: 198.51.100.77')" "429 429 429"
    equal "one that sends a malformed name is refused" \
        "$(status_of --interface 127.0.0.34 -H 'X-Forwarded-For: "' "http://127.0.0.1:$port2/v1/about")" 400
    kill "$started_id" && wait "$started_id" 2>/dev/null
else
    skip "nginx names each client by X-Forwarded-For" "nginx is not installed"
fi
port3=$(free_ports 1)
if command -v haproxy >/dev/null; then
    haproxy_before "$address" "$port3"
    kill "$started_id" && wait "$started_id" 2>/dev/null
    sed -i 's/^frontend here/&\n    option forwardfor/' haproxy.cfg
    start haproxy haproxy -f haproxy.cfg
    until_true curl -s -o /dev/null "http://127.0.0.1:$port3/healthz"
    equal "HAProxy names each client by option forwardfor" \
        "$(about "http://127.0.0.1:$port3" --interface 127.0.0.42) $(about "http://127.0.0.1:$port3" --interface 127.0.0.43)" \
        "200 200 429 200 200 429"
    equal "whatever else it sends" \
        "$(about "http://127.0.0.1:$port3" --interface 127.0.0.42 -H 'X-Forwarded-For: 198.51.100.78' -H 'Forwarded: for=198.51.100.78')" \
        "429 429 429"
    kill "$started_id" && wait "$started_id" 2>/dev/null
else
    skip "HAProxy names each client by option forwardfor" "HAProxy is not installed"
fi
kill "$named"
ended "$named"
run serve city.scm --forwarded forwarded --check
equal "without proxies no header counts" "$status" 2
check "and that is said" says "$err" "forwarded: set proxies too"

# --- Settings that cannot be -----------------------------------------------------------------------

for value in 10.0.0.0/33 10.0.0 fd00::/129 example.org 10.0.0.0/ ''/8; do
    run serve city.scm --proxies "$value" --check
    equal "--proxies $value is refused" "$status" 1
    check "with what it may be" says "$err" "is not the address of a proxy or relay"
done
run serve city.scm --admin 'listen,127.0.0.1:0' --check
equal "'listen' stands alone" "$status" 2
check "and that is said" says "$err" "give either addresses, or 'listen' alone"
run serve city.scm --admin '127.0.0.1' --check
equal "an admin address needs a port" "$status" 1
run demo city.scm --listen 0.0.0.0:0 --travellers 5
equal "a demo shows itself to other machines only if told so" "$status" 1
check "and says how" says "$err" "--events open"
finish
