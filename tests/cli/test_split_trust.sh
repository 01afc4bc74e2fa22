#!/usr/bin/env bash
# Requests that come sealed by a relay: what each party sees, answers as without, keys that take turns,
# requests sent twice, relays of others.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=proxies.sh
source "$here/proxies.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
token alice >alice.token
token bob >bob.token

# tee_before NAME TO: a TCP proxy that keeps what clients send in NAME.sent and what comes back in NAME.back; its address is
# in $tee.
tee_before() {
    start "$1" python3 "$here/byte_tee.py" "$1" "$2"
    until_true test -s "$1.port"
    tee=127.0.0.1:$(cat "$1.port")
}

serve_sealed() {
    start "$1" "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --user "$me" --token-keys keys --oblivious \
        --min-k 1 --min-wait 0.1 --user-rate 0 --user-pending 10 --jitter 0 "${@:2}"
    service=$(address_of "$1")
    admin=$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' "$1.log")
}

metric() { curl -s "http://$admin/metrics" | grep -v '^#' | grep -F "$1 " | sed 's/.* //'; }

# ask TOKEN-FILE [OPTION...]: a query that needs no company.
ask() {
    local token=$1
    shift
    run query "http://$service" --token-file "$token" --edge 10 --offset-m 1 --k 1 --l 1 --nearest 3 --max-wait 5 --json "$@"
}

serve_sealed serve
serve=$started_id
tee_before upstream "$service"
start relay "$STARCLOAK" relay "http://$tee" --listen 127.0.0.1:0 --user "$me"
relay_id=$started_id
relay=$(address_of relay)
tee_before downstream "$relay"

# --- Answers ---------------------------------------------------------------------------------------

ask alice.token
objects() { jq -c '.objects' "$out"; }
direct=$(objects)
ask alice.token --relay "http://$tee"
succeeds "a sealed query is answered"
equal "as it is without a relay" "$(objects)" "$direct"
equal "and was opened once" "$(metric starcloak_oblivious_opened_total)" 1

run query "http://$service" --token sct1_x --relay "http://$tee" --edge 10 --offset-m 1
refuses 1 "what is refused is refused as without a relay" "A valid token is needed"
ask alice.token --k 2 --max-wait 0.2 --relay "http://$tee"
check "what is dropped, too" true_of "$out" '.outcome == "dropped"'

# Larger than 4 KiB, so padded to 16: as much as may come unsealed.
printf 'scz1_%s\n' "$(printf 'A%.0s' {1..6000})" >large.zone
ask alice.token --zone large.zone
cp "$out" direct.json
ask alice.token --zone large.zone --relay "http://$tee"
check "a large request is taken sealed, too" cmp -s "$out" direct.json
check "and refused for what is in it" says "$out" "this service has no zones"

# A relay that has seen no reply yet: none waits for that of another.
start relay_pair "$STARCLOAK" relay "http://$service" --listen 127.0.0.1:0 --user "$me"
pair=$(address_of relay_pair)
ask_both() {
    "$STARCLOAK" query "http://$service" --token-file "$1.token" --relay "http://$pair" --edge 10 --offset-m 1 --k 2 --l 1 \
        --nearest 1 --max-wait 20 --json >"$1.json" 2>"$1.err"
}
ask_both alice &
ask_both bob
wait $!
check "two who wait at one relay hide together" true_of alice.json '.outcome == "answered" and .cloak.users == 2'
check "both of them" true_of bob.json '.outcome == "answered" and .cloak.users == 2'

# --- Who sees what ---------------------------------------------------------------------------------

check "the relay sees no token" silent_about downstream.sent "$(cat alice.token)" Bearer Authorization
check "nor what is asked for" silent_about downstream.sent /v1/ position edge offset_m max_wait
check "nor what is answered" silent_about downstream.back objects distance_m outcome problem
check "the service sees the relay's request, and nothing of the client's" silent_about upstream.sent Forwarded X-Real-IP Via \
    User-Agent starcloak Cookie Origin
check "nor is anything of it in the relay's log" silent_about relay.log 127.0.0.1:"${tee#*:}" POST ohttp-res
sizes=$(tr -d '\r' <downstream.back | sed -nE 's/^Content-Length: //p' | sort -u | tr '\n' ' ')
equal "an answer, a refusal and a drop have one size" "$(wc -w <<<"$sizes")" 1

# --- Requests sent twice ---------------------------------------------------------------------------

curl -s "http://$service/.well-known/ohttp-gateway" -D headers.txt -o keys.bin
check "keys are published with their media type" grep -qi '^content-type: application/ohttp-keys' headers.txt
check "and say how long they may be kept" grep -qiE '^cache-control: public, max-age=[1-9]' headers.txt

rm -f downstream.sent
ask bob.token --relay "http://$tee" --relay-keys keys.bin
succeeds "keys may come from a file"
python3 - <<'PY'
bytes = open("downstream.sent", "rb").read()
open("sealed.bin", "wb").write(bytes[bytes.index(b"\r\n\r\n") + 4:])
PY
sealed() { code=$(curl -s -o "$out" -w '%{http_code} %{content_type}' -H 'Content-Type: message/ohttp-req' --data-binary "@$1" "${2:-http://$relay/}"); }
answered=$(metric 'starcloak_queries_total{outcome="answered"}')
sealed sealed.bin
equal "a request that is sent again is told so within" "$code" "200 message/ohttp-res"
equal "and counted" "$(metric 'starcloak_oblivious_refused_total{reason="replayed"}')" 1
equal "and asks nothing" "$(metric 'starcloak_queries_total{outcome="answered"}')" "$answered"

python3 - <<'PY'
bytes = bytearray(open("sealed.bin", "rb").read())
bytes[100] ^= 1
open("damaged.bin", "wb").write(bytes)
open("short.bin", "wb").write(bytes[:20])
bytes[0] ^= 0x55
open("foreign.bin", "wb").write(bytes)
PY
for spoilt in damaged short foreign; do
    sealed $spoilt.bin
    equal "a $spoilt request is refused in the clear" "$code" "400 application/problem+json"
    check "with the type by which clients fetch keys again" says "$out" 'http-problem-types#ohttp-key'
done
sealed sealed.bin "http://$service/.well-known/ohttp-gateway"
equal "a relay is not needed to be refused" "$code" "200 message/ohttp-res"
code=$(curl -s -o "$out" -w '%{http_code}' --data-binary @sealed.bin "http://$service/.well-known/ohttp-gateway")
equal "other media types are refused by the service" "$code" 415
code=$(curl -s -o "$out" -w '%{http_code}' --data-binary @sealed.bin "http://$relay/")
equal "and by the relay" "$code" 415
code=$(curl -s -o "$out" -w '%{http_code}' "http://$relay/v1/about")
equal "which has nothing to show" "$code" 405
code=$(curl -s -o "$out" -w '%{http_code}' "http://$relay/healthz")
equal "but its health" "$code" 200

# --- Another's relay, and restarts -----------------------------------------------------------------

if command -v nginx >/dev/null; then
    read -r port < <(free_ports 1)
    # What a relay of nginx must do: leave out what says who the client is.
    nginx_before "$service" "$port" 'proxy_set_header User-Agent "";' 'proxy_set_header Accept "";'
    ask alice.token --relay "http://127.0.0.1:$port/.well-known/ohttp-gateway" --relay-keys keys.bin
    succeeds "nginx will do as a relay"
else
    skip "nginx will do as a relay" "nginx is not installed"
fi

kill "$relay_id"
ended "$relay_id"
equal "the relay ends with 0" "$status" 0
ask alice.token --relay "http://$relay" --relay-keys keys.bin
refuses 1 "without a relay there is no answer" "the relay cannot be reached"
start relay_again "$STARCLOAK" relay "http://$service" --listen "$relay" --user "$me"
until_true grep -q event=ready relay_again.log
ask alice.token --relay "http://$relay"
succeeds "a relay that has begun again has lost nothing"
kill "$serve"
ended "$serve"
ask alice.token --relay "http://$relay" --relay-keys keys.bin
refuses 1 "a relay whose gateway is away says so" "status 502"

# --- Keys of a file --------------------------------------------------------------------------------

run oblivious keys sealed-keys
succeeds "a file of keys is made"
serve_sealed shared --oblivious-keys sealed-keys --relays 127.0.0.1
shared=$started_id
curl -s "http://$service/.well-known/ohttp-gateway" -o keys.bin
start relay_shared "$STARCLOAK" relay "http://$service" --listen 127.0.0.1:0 --user "$me"
relay=$(address_of relay_shared)
ask alice.token --relay "http://$relay" --relay-keys keys.bin
succeeds "and requests are opened with them"
python3 - <<'PY'
# The key in it is over, and the next one is on: as after a day.
lines = open("sealed-keys").read().split("\n")
number, start, until, end, seed = lines[1].split()
day = 86400
old = f"{number} {int(start) - day} {int(until) - day} {int(end)} {seed}"
open("sealed-keys", "w").write("\n".join([lines[0], old, ""]))
PY
run oblivious keys sealed-keys
check "the next key is made when its time has come" says "$out" "2 keys" "one of them new"
kill -HUP "$shared"
until_true grep -q event=reloaded shared.log
curl -s "http://$service/.well-known/ohttp-gateway" -o keys-2.bin
check "and published after a reload" test "$(cmp -s keys.bin keys-2.bin; echo $?)" = 1
ask alice.token --relay "http://$relay" --relay-keys keys.bin
succeeds "the old one is honoured for a while"
ask alice.token --relay "http://$relay" --relay-keys keys-2.bin
succeeds "beside the new one"
echo nonsense >sealed-keys
kill -HUP "$shared"
until_true grep -q event=reload_failed shared.log
ask alice.token --relay "http://$relay" --relay-keys keys-2.bin
succeeds "a file that is none changes nothing"

# --- A gateway that says too much -------------------------------------------------------------------

cat >talker.py <<'PY'
# Replies of as many bytes as the request says.
import http.server
class Talker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "message/ohttp-res")
        self.end_headers()
        try:
            for _ in range(0, size, 4096):
                self.wfile.write(bytes(4096))
        except OSError:
            pass
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Talker)
open("talker.new", "w").write(str(server.server_port))
import os
os.rename("talker.new", "talker.port")
server.serve_forever()
PY
start talker python3 talker.py
until_true test -s talker.port
start relay_talker "$STARCLOAK" relay "http://127.0.0.1:$(cat talker.port)" --listen 127.0.0.1:0 --user "$me"
relay=$(address_of relay_talker)
echo 1048576 >much
echo 4194304 >too-much
sealed much
equal "a large reply is passed on" "$code" "200 message/ohttp-res"
sealed too-much
equal "one that is larger than any that is sealed is not" "$code" "502 application/problem+json"

# --- Wrong words -----------------------------------------------------------------------------------

run relay
refuses 2 "a relay needs a gateway" "no gateway given"
run relay ftp://cloak.example
refuses 2 "by HTTP" "begins with neither http:// nor https://"
run relay http://127.0.0.1:9 --gateway-key k.pem
refuses 2 "keys go with certificates" "--gateway-key needs --gateway-cert"
run query http://127.0.0.1:9 --edge 1 --offset-m 0 --relay-keys keys.bin
refuses 2 "keys go with a relay" "--relay-keys is used with --relay"
echo nonsense >nonsense.bin
run query http://127.0.0.1:9 --edge 1 --offset-m 0 --relay http://127.0.0.1:9 --relay-keys nonsense.bin
refuses 1 "what is no list of keys is refused" "nonsense.bin: these are no keys of Oblivious HTTP"
run serve city.scm --relays 10.0.0.7 --check
refuses 2 "relays go with oblivious" "relays: set oblivious too"
run oblivious keys nonsense.bin
refuses 1 "a file that has no keys is not written over" "nonsense.bin"
finish
