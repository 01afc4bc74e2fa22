#!/usr/bin/env bash
# A stranger who takes as many connections as there are: others, health checks and operators still
# get theirs, and the log and the metrics tell.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
(
    ulimit -n 400
    exec "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 \
        --max-connections 100 --address-connections 40 --loops 2
) >serve.out 2>serve.log </dev/null &
serve=$!
started+=("$serve")
address=$(address_of serve)
until_true grep -q 'event=admin_listening' serve.log
admin=$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' serve.log)

python3 - "$address" "$admin" >crowd.txt <<'PY'
import http.client, socket, sys, time
host, port = sys.argv[1].rsplit(":", 1)
there = (host, int(port))
maps = b"GET /v1/map HTTP/1.1\r\nHost: x\r\n\r\n" * 200  # and no reading: busy until that is noticed

def connect(source):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.bind((source, 0))
    s.settimeout(20)
    s.connect(there)
    return s

def ask(s, page="/healthz"):
    """The status; 0 if the connection is closed."""
    try:
        s.sendall(f"GET {page} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        reply = b""
        while b"\r\n\r\n" not in reply:
            piece = s.recv(4096)
            if not piece:
                return 0
            reply += piece
        return int(reply.split(b" ")[1])
    except OSError:
        return 0

def busy_crowd(source, count=80):
    """More than the address may have. Those that come while others are not busy yet take their
    place, so that more may have to follow."""
    crowd = []
    for _ in range(count):
        try:
            crowd.append(connect(source))
            crowd[-1].sendall(maps)
        except OSError:
            pass
    return crowd

def told(source, page):
    try:
        with connect(source) as s:
            return ask(s, page)
    except OSError:  # it was reset before it was there
        return 0

def fetch(address, page):
    connection = http.client.HTTPConnection(address, timeout=20)
    connection.request("GET", page, headers={"Host": "localhost"})
    return connection.getresponse().read().decode()

def wait_for(call, wanted):
    for _ in range(1000):
        got = call()
        if got == wanted:
            break
        time.sleep(0.01)
    return got

def metric(name):
    return next(int(line.split()[1]) for line in fetch(sys.argv[2], "/metrics").split("\n") if line.startswith(name + " "))

# One address, all idle: it keeps its share, and the oldest make room for its own newcomers.
crowd = [connect("127.0.0.2") for _ in range(120)]
print("newcomers of a crowd are answered:", ask(crowd[-1]))
print("one address has at most its share:", metric("starcloak_http_connections") <= 42)
print("others are answered:", told("127.0.0.9", "/v1/about"))
for s in crowd:
    s.close()

# One address, all busy.
crowd = busy_crowd("127.0.0.5")
def one_more_of_it():
    crowd.extend(busy_crowd("127.0.0.5", 1))
    return told("127.0.0.5", "/healthz")

print("more of it are refused:", wait_for(one_more_of_it, 0))
print("others are answered:", told("127.0.0.9", "/v1/about"))

# Three addresses, all busy: all places are taken.
crowd += busy_crowd("127.0.0.3") + busy_crowd("127.0.0.4")
full = metric("starcloak_http_full_total")
def another_after_more():
    crowd.extend(busy_crowd("127.0.0.3", 1) + busy_crowd("127.0.0.4", 1))
    return told("127.0.0.9", "/v1/about")

print("all are busy:", wait_for(another_after_more, 503))
print("health:", told("127.0.0.9", "/healthz"), told("127.0.0.9", "/readyz"))
print("operators see it:", metric("starcloak_http_full_total") > full)
print("and who was refused:", metric("starcloak_http_refused_addresses_total") > 0)

# They go, and the next one gets a place.
for s in crowd:
    s.close()
print("there is room again:", wait_for(lambda: told("127.0.0.9", "/v1/about"), 200), metric("starcloak_http_evicted_total") > 0)
PY
for line in 'newcomers of a crowd are answered: 200' 'one address has at most its share: True' 'others are answered: 200' \
    'more of it are refused: 0' 'all are busy: 503' 'health: 200 200' 'operators see it: True' 'and who was refused: True' \
    'there is room again: 200 True'; do
    check "$line" grep -qx "$line" crowd.txt
done
check "the log tells that all are busy" until_true grep -q 'event=connections_full' serve.log
check "and that an address is" until_true grep -q 'event=address_full' serve.log
check "but not which" test -z "$(grep -E '127\.0\.0\.[2-9]' serve.log)"
check "400 descriptors are enough for 100 connections" test -z "$(grep descriptors_scarce serve.log)"
kill "$serve"
ended "$serve"
equal "it ends as usual" "$status" 0

# --- A stop ------------------------------------------------------------------------------------------

start stopped "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 --drain 0
stopped=$started_id
address=$(address_of stopped)
python3 - "$address" "$stopped" >stop.txt <<'PY'
import http.client, os, signal, sys
connection = http.client.HTTPConnection(sys.argv[1], timeout=20)
seen = []
try:
    for i in range(100000):
        if i == 5:
            os.kill(int(sys.argv[2]), signal.SIGTERM)
        connection.request("POST", "/v1/queries", body="{}", headers={"Content-Type": "application/json"})
        reply = connection.getresponse()
        reply.read()
        seen.append(reply.status)
        if reply.will_close:
            break
except (OSError, http.client.HTTPException) as e:
    seen.append(type(e).__name__)
print(*dict.fromkeys(seen))
PY
check "without grace, connections there are still hear of the stop" grep -qx '401 503' stop.txt
ended "$stopped"
equal "which ends as usual" "$status" 0

(
    ulimit -n 400
    exec "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --max-connections 1000 --loops 2
) >few.out 2>few.log </dev/null &
few=$!
started+=("$few")
check "but not for 1000, and the log says so" until_true grep -q 'event=descriptors_scarce limit=400 needed=925' few.log
kill "$few"
ended "$few"
finish
