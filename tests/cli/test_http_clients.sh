#!/usr/bin/env bash
# HTTP/1.1 by clients of others: curl, h2load and Python's, with TLS and without. HTTP/2: test_http2.sh.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
"$STARCLOAK" token issue --key keys --user u1 >token
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls.key -out tls.pem 2>/dev/null
chmod 600 tls.key
start plain "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 --user-rate 0 --min-k 1
plain=$started_id
start secure "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 --user-rate 0 \
    --tls-certificate tls.pem --tls-key tls.key --handshake-rate 0 --min-k 1
secure=$started_id
address=$(address_of plain)
port=$(address_of secure)
port=${port##*:}

cat >client.py <<'PY'
import http.client, json, ssl, sys

def connect(address):
    if address.startswith("localhost:"):
        return http.client.HTTPSConnection(address, timeout=30, context=ssl.create_default_context(cafile="tls.pem"))
    return http.client.HTTPConnection(address, timeout=30)

class Client:
    def __init__(self, address):
        self.connection = connect(address)
        self.headers = {"Authorization": "Bearer " + open("token").read().strip(), "Content-Type": "application/json"}
        self.sockets = set()

    def ask(self, method, path, body=None, headers=None, **more):
        self.connection.request(method, path, body=body, headers={**self.headers, **(headers or {})}, **more)
        reply = self.connection.getresponse()
        self.sockets.add(self.connection.sock)
        return reply.status, reply.read()

query = json.dumps({"position": {"edge": 5, "offset_m": 1}, "profile": {"k": 1, "l": 2, "max_hops": 4, "max_wait_s": 5},
                    "request": {"type": "knn", "k": 2}}).encode()
client = Client(sys.argv[1])
for turn in range(5):
    status, body = client.ask("POST", "/v1/queries", query)
    assert status == 200 and json.loads(body)["outcome"] == "answered", (turn, status, body)
pieces = [query[i:i + 7] for i in range(0, len(query), 7)]
status, body = client.ask("POST", "/v1/queries", iter(pieces), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
assert status == 200 and json.loads(body)["outcome"] == "answered", (status, body)
assert client.ask("HEAD", "/healthz") == (200, b"")
assert client.ask("GET", "/nowhere")[0] == 404
assert client.ask("DELETE", "/v1/queries")[0] == 405
status, map_bytes = client.ask("GET", "/v1/map.bin")
assert status == 200 and len(map_bytes) > 1000
assert len(client.sockets) == 1, "every reply left the connection open"
assert client.ask("GET", "/healthz", headers={"Connection": "close"})[0] == 200
assert client.connection.sock is None, "and the last one closed it"
PY
check "Python's client: a connection is kept for all requests" python3 client.py "$address"
check "the same by TLS" python3 client.py "localhost:$port"

h2load --h1 -n 2000 -c 20 "http://$address/healthz" >h2load.out 2>&1
check "h2load, 20 connections: all succeed" grep -q '2000 succeeded, 0 failed, 0 errored' h2load.out
h2load --h1 -n 1000 -c 20 "https://localhost:$port/healthz" >h2load.tls 2>&1
check "the same by TLS" grep -q '1000 succeeded, 0 failed, 0 errored' h2load.tls
equal "curl: two requests, one connection" \
    "$(curl -s -o "$out" -o "$out" -w '%{http_code} %{http_version} %{num_connects} ' "http://$address/healthz" "http://$address/v1/map.bin")" \
    "200 1.1 1 200 1.1 0 "

for id in "$plain" "$secure"; do
    kill "$id"
    ended "$id"
    equal "it ends as usual" "$status" 0
done
finish
