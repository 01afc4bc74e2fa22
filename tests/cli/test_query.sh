#!/usr/bin/env bash
# Asking a service: what is sent, to whom, and what is made of any reply. The service here is a
# small stand-in that keeps each request and answers by the first word of its path.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
unset STARCLOAK_TOKEN

if ! command -v python3 >/dev/null; then
    skip "a service can be asked" "no python3 to stand in for one"
    finish
fi

cat >"$work/service.py" <<'PYTHON'
import http.server, json, os, ssl, sys, time

folder, cert = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
near = {"outcome": "answered", "wait_s": 1.284, "cloak": {"users": 6, "segments": 1014}, "objects": [
    {"id": "17", "name": "St. Mary", "category": "hospital", "position": {"lon": 8.001, "lat": 49.9987}, "distance_m": 33.358},
    {"id": "18", "name": "", "category": "hospital", "position": {"lon": -8.5, "lat": 49.5}, "distance_m": 12345.678901}]}
plane = {"outcome": "answered", "wait_s": 0, "cloak": {"users": 2, "segments": 3}, "objects": [
    {"id": "1", "name": "Well", "category": "well", "position": {"x": 735050.5, "y": 3740000}, "distance_m": 50}]}
bare = {"outcome": "answered", "wait_s": 0, "cloak": {"users": 2, "segments": 3}, "objects": [
    {"id": "1", "name": "Well", "category": "well", "distance_m": 50}]}
evil = {"outcome": "answered", "wait_s": 0, "cloak": {"users": 2, "segments": 3}, "objects": [
    {"id": "1", "name": "\x1b[2Jgone\u009b\n1 0", "category": "caf\u00e9\t", "position": {"lon": 1, "lat": 2}, "distance_m": 5}]}
named = {"outcome": "answered", "wait_s": 0, "cloak": {"users": 2, "segments": 3}, "street": "Ring \x1b (B 37)", "metric": "time",
         "objects": [{"id": "1", "name": "Well", "category": "well", "street": "Up", "distance_m": 50, "duration_s": 61.25}]}
empty = {"outcome": "answered", "wait_s": 75, "cloak": {"users": 2, "segments": 3}, "objects": []}
replies = {  # status, body, headers
    "answered": (200, near, {}), "plane": (200, plane, {}), "bare": (200, bare, {}), "evil": (200, evil, {}),
    "named": (200, named, {}),
    "empty": (200, empty, {}), "slow": (200, empty, {}),
    "expired": (200, {"outcome": "dropped", "reason": "expired", "wait_s": 10.0}, {}),
    "linked": (200, {"outcome": "dropped", "reason": "exposed", "wait_s": 0, "advice": "ask again later (in 9 s at the latest)",
                     "demands": ["continuity"], "later_s": 9}, {}),
    "zoned": (200, {"zone": "scz1_Ab-_9", "roads": 6, "max_hops": 4}, {}),
    "badzone": (200, {"zone": "scz1_\x1b[2J", "roads": 6, "max_hops": 4}, {}),
    "advised": (200, {"outcome": "dropped", "reason": "new", "wait_s": 0, "advice": "come on foot"}, {}),
    "moody": (200, {"outcome": "dropped", "reason": "mood\u009b", "wait_s": 0}, {}),
    "token": (401, {"type": "urn:starcloak:problem:token", "title": "A valid token is needed", "status": 401,
                    "detail": "it has expired", "field": "header Authorization"}, {"WWW-Authenticate": "Bearer"}),
    "rate": (429, {"title": "Too many requests", "status": 429}, {"Retry-After": "7"}),
    "rude": (400, {"title": "\x1b[31mred\n", "detail": "\u009b", "field": "/\x07"}, {}),
    "long": (400, {"title": "x" * 100000}, {}),
    "html": (404, "<html>not here</html>", {}), "nothing": (500, "", {}), "text": (200, "hello", {}),
    "list": (200, [1, 2], {}), "half": (200, '{"outcome":"answered","wait_s":1', {}),
    "no-cloak": (200, {"outcome": "answered", "wait_s": 1, "objects": []}, {}),
    "no-distance": (200, {"outcome": "answered", "wait_s": 1, "cloak": {"users": 2, "segments": 3}, "objects": [{"name": "x"}]}, {}),
    "deep": (200, "[" * 100000, {}), "wait-text": (200, dict(near, wait_s="1"), {}),
    "redirect": (307, "", {"Location": "/answered/v1/queries"}),
    "huge": (200, " " * (17 << 20), {}),
}

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(folder + "/request", "w") as file:
            json.dump({"path": self.path, "headers": dict(self.headers), "body": json.loads(body)}, file, sort_keys=True)
        word = self.path.split("/")[1]
        status, reply, headers = replies.get(word, (404, "", {}))
        if word == "slow":
            time.sleep(2.5)
        if word == "closed":
            self.close_connection = True
            return
        text = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        try:
            self.wfile.write(text)
        except OSError:
            pass

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
if cert:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert + ".pem", cert + ".key")
    if os.path.exists(cert + ".clients"):
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cert + ".clients")
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(folder + "/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(folder + "/port.new", folder + "/port")
server.serve_forever()
PYTHON

# serve NAME [CERT]: start one; leaves its port in $port and its process in `services`.
services=()
serve() {
    mkdir "$work/$1"
    timeout 500 python3 "$work/service.py" "$work/$1" "${@:2}" 2>"$work/$1/log" &
    services+=($!)
    for ((i = 0; i < 600; i++)); do
        [[ ! -f $work/$1/port ]] || break
        sleep 0.1
    done
    port=$(cat "$work/$1/port")
}
serve plain
base=http://127.0.0.1:$port
request=$work/plain/request
where=(--lon 8.0012 --lat -49.5)

# sent EXPRESSION: what that is of the last request `r`, in Python.
sent() {
    python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$request" "$1"
}

# --- What is sent -----------------------------------------------------------------

run query "$base"/answered "${where[@]}"
succeeds "a position is asked for"
equal "at the place for queries" "$(sent 'r["path"]')" "/answered/v1/queries"
equal "with nothing but what is needed" "$(sent 'r["body"]')" \
    "{'position': {'lat': -49.5, 'lon': 8.0012}, 'profile': {}, 'request': {'k': 5, 'type': 'knn'}}"
equal "as JSON" "$(sent 'r["headers"]["Content-Type"]')" application/json
equal "by a program that does not tell its version" "$(sent 'r["headers"]["User-Agent"]')" starcloak
equal "and no token, if there is none" "$(sent '"Authorization" in r["headers"]')" False
run query "$base"/answered// "${where[@]}"
equal "slashes at the end of an address do not matter" "$(sent 'r["path"]')" "/answered/v1/queries"
run query "${base/http/HTTP}"/answered "${where[@]}"
succeeds "nor do capitals"
run query "$base"/answered --edge 7 --offset-m 2.5 --k 3 --l 4 --max-hops 2 --max-wait 1.5 --within 700 -c cafe,school -c 'a park'
succeeds "all can be said"
equal "and is" "$(sent 'r["body"]')" "{'position': {'edge': 7, 'offset_m': 2.5}, \
'profile': {'k': 3, 'l': 4, 'max_hops': 2, 'max_wait_s': 1.5}, \
'request': {'categories': ['cafe', 'school', 'a park'], 'radius_m': 700, 'type': 'range'}}"
run query "$base"/answered "${where[@]}" --heading 90 --within-s 60 --metric time
equal "a heading, and a range in seconds" "$(sent "r['body']['position'], r['body']['request']")" \
    "({'heading_deg': 90, 'lat': -49.5, 'lon': 8.0012}, {'metric': 'time', 'radius_s': 60, 'type': 'range'})"
run query "$base"/answered "${where[@]}" --metric distance
equal "a metric" "$(sent "r['body']['request']")" "{'k': 5, 'metric': 'distance', 'type': 'knn'}"
run query "$base"/plane --x 735000.25 --y 3740000 --nearest 2
equal "on a plane, too" "$(sent 'r["body"]["position"], r["body"]["request"]')" \
    "({'x': 735000.25, 'y': 3740000}, {'k': 2, 'type': 'knn'})"
run query "$base"/answered "${where[@]}" -c $'caf\xc3\xa9'
equal "categories are UTF-8" "$(sent 'r["body"]["request"]["categories"] == ["caf\u00e9"]')" True
run query "$base"/answered "${where[@]}" -c $'caf\xe9'
refuses 1 "what is not is refused" "a name is not UTF-8"

# --- Tokens -----------------------------------------------------------------------

token_sent() { sent 'r["headers"].get("Authorization")'; }
run query "$base"/answered "${where[@]}" --token sct1_abc
equal "a token is shown" "$(token_sent)" "Bearer sct1_abc"
printf 'sct1_def  \r\nmore\n' >token
run query "$base"/answered "${where[@]}" --token-file token
equal "from a file" "$(token_sent)" "Bearer sct1_def"
"$STARCLOAK" query "$base"/answered "${where[@]}" --token-file - >"$out" 2>"$err" <<<sct1_ghi
equal "from standard input" "$(token_sent)" "Bearer sct1_ghi"
export STARCLOAK_TOKEN=sct1_jkl
run query "$base"/answered "${where[@]}"
equal "from the environment" "$(token_sent)" "Bearer sct1_jkl"
run query "$base"/answered "${where[@]}" --token sct1_abc
equal "unless another is given" "$(token_sent)" "Bearer sct1_abc"
STARCLOAK_TOKEN=$'x\r\nEvil: 1'
run query "$base"/answered "${where[@]}"
refuses 1 "no token brings a header of its own" "STARCLOAK_TOKEN in the environment is not a token"
unset STARCLOAK_TOKEN
run query "$base"/answered "${where[@]}" --token-file nowhere
refuses 1 "a file that is not there is told" "nowhere: cannot read the token"
: >empty
run query "$base"/answered "${where[@]}" --token-file empty
refuses 1 "so is an empty one" "empty: cannot read the token: it is empty"
printf '\x01\n' >binary
run query "$base"/answered "${where[@]}" --token-file binary
refuses 1 "and one that holds something else" "binary: its first line is not a token"
"$STARCLOAK" query "$base"/slow "${where[@]}" --token sct1_secret >"$out" 2>"$err" </dev/null &
asking=$!
for ((i = 0; i < 600; i++)); do
    [[ $(tr '\0' ' ' <"/proc/$asking/cmdline") != *"--token  "* ]] || break
    sleep 0.1
done
check "a token does not stay in the list of processes" silent_about "/proc/$asking/cmdline" sct1_secret
wait $asking

# --- Answers ----------------------------------------------------------------------

run query "$base"/answered "${where[@]}"
equal "an answer is a table" "$(cat "$out")" "hidden among 6 users on 1,014 segments, after 1.28 s

rank       metres  category    longitude    latitude  name
   1        33.36  hospital     8.001000   49.998700  St. Mary
   2    12,345.68  hospital    -8.500000   49.500000  -"
run query "$base"/plane "${where[@]}"
check "on a plane it has x and y" grep -qE '^rank .* x +y +name$' "$out"
check "in units of the map" says "$out" "735050.50  3740000.00  Well"
run query "$base"/bare "${where[@]}"
succeeds "without coordinates it has none"
check "and no columns for them" grep -qE '^ +1 +50.00 +well +Well$' "$out"
run query "$base"/named "${where[@]}"
check "streets are named, and times told" grep -qE '^ +1 +50.00 +61.2 +well +Well  Up$' "$out"
check "the street of the position, too" says "$out" 'you are on Ring \x1b (B 37)'
run query "$base"/empty "${where[@]}"
succeeds "an answer may be empty"
check "which is told in words" says "$out" "No such object can be reached." "after 1 min 15 s"
run query "$base"/evil "${where[@]}"
succeeds "whatever names hold"
check "a terminal comes to no harm" silent_about "$out" $'\x1b' $'\xc2\x9b'
check "and a line stays a line" says "$out" '\x1b[2Jgone\xc2\x9b\x0a1 0' 'caf'$'\xc3\xa9''\x09'
run query "$base"/answered "${where[@]}" --json
succeeds "a reply can be had as it is"
equal "in one line" "$(cat "$out")" '{"outcome":"answered","wait_s":1.284,"cloak":{"users":6,"segments":1014},"objects":[{"id":"17","name":"St. Mary","category":"hospital","position":{"lon":8.001,"lat":49.9987},"distance_m":33.358},{"id":"18","name":"","category":"hospital","position":{"lon":-8.5,"lat":49.5},"distance_m":12345.678901}]}'
run query "$base"/evil "${where[@]}" --json
check "harmless in this form, too" silent_about "$out" $'\x1b' $'\xc2'
check "and whole" says "$out" '\u001b[2Jgone\u009b\n1 0'

# --- Zones ------------------------------------------------------------------------

run query "$base"/zoned "${where[@]}" --draw-zone
succeeds "a zone can be asked for"
equal "and is printed" "$(cat "$out")" scz1_Ab-_9
check "by a request of its own" says "$request" '"path": "/zoned/v1/zone"' '"body": {"position": {"lat"'
cp "$out" "$work/home.zone"
run query "$base"/answered "${where[@]}" --zone "$work/home.zone"
succeeds "a zone goes with a query"
check "as it was" says "$request" '"zone": "scz1_Ab-_9"'
run query "$base"/badzone "${where[@]}" --draw-zone
refuses 1 "what is no zone is not printed" "starcloak query:"
run query "$base"/answered "${where[@]}" --zone "$work/none.zone"
refuses 1 "a zone that is not there" "none.zone: cannot read the zone"
echo sct1_abc >"$work/token.zone"
run query "$base"/answered "${where[@]}" --zone "$work/token.zone"
refuses 1 "something else than a zone" "its first line is not a zone" "--draw-zone"
run query "$base"/zoned "${where[@]}" --draw-zone --zone "$work/home.zone"
refuses 2 "a zone for a zone" "either --zone or --draw-zone"

# --- What is no answer ------------------------------------------------------------

run query "$base"/expired "${where[@]}"
refuses 1 "a query may be dropped" "starcloak query: dropped after 10.00 s: expired"
run query "$base"/linked "${where[@]}"
refuses 1 "with what helps in the service's words" "dropped after 0.00 s: ask again later (in 9 s at the latest)"
run query "$base"/advised "${where[@]}"
refuses 1 "for a reason that is new, with the service's words" "dropped after 0.00 s: come on foot"
run query "$base"/moody "${where[@]}"
refuses 1 "or for a reason that we do not know" 'dropped after 0.00 s: mood\xc2\x9b'
run query "$base"/expired "${where[@]}" --json
equal "with --json it is told twice" "$status $(cat "$out")" '1 {"outcome":"dropped","reason":"expired","wait_s":10.0}'
check "once for people" says "$err" "dropped after 10.00 s"
run query "$base"/token "${where[@]}"
refuses 1 "a problem is told with its field" "starcloak query: A valid token is needed: it has expired (header Authorization)"
run query "$base"/rate "${where[@]}"
refuses 1 "and with the time to wait" "starcloak query: Too many requests; try again in 7 s"
run query "$base"/rate "${where[@]}" --json
check "as JSON, too" says "$out" '{"title":"Too many requests","status":429}'
run query "$base"/rude "${where[@]}"
refuses 1 "a terminal comes to no harm from problems" '\x1b[31mred\x0a: \xc2\x9b (/\x07)'
equal "which stay in one line" "$(wc -l <"$err")" 1
run query "$base"/long "${where[@]}"
equal "and are cut" "$(wc -c <"$err")" 318
for reply in html nothing text list half no-cloak no-distance deep wait-text; do
    run query "$base"/$reply "${where[@]}"
    refuses 1 "a reply that is no service's is called that ($reply)" "the reply is not one of a StarCloak service (status "
done
run query "$base"/redirect "${where[@]}"
refuses 1 "no other address is asked" "the service redirects to another address (status 307)"
equal "and indeed was not" "$(sent 'r["path"]')" "/redirect/v1/queries"
run query "$base"/huge "${where[@]}"
refuses 1 "a reply without end is not taken in" "larger than 16777216 bytes"
run query "$base"/closed "${where[@]}"
refuses 1 "a service that hangs up is told" "cannot be reached: Empty reply"
run query "$base"/slow "${where[@]}" --timeout 0.3
refuses 1 "one that is slow is not waited for longer than allowed" "no reply within 0.3 seconds; allow more with --timeout"
check "no message repeats the position" silent_about "$err" 8.0012
run query http://127.0.0.1:1 "${where[@]}"
refuses 1 "one that is not there is told" "cannot be reached" "is the service running"

http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 run query "$base"/answered "${where[@]}"
succeeds "a proxy of the environment is not asked"
run query http://name.invalid "${where[@]}" --timeout 1
check "over the net, http is warned of" says "$err" "use https://"
run query "$base"/empty "${where[@]}"
check "on this machine it is not" test ! -s "$err"

# --- TLS --------------------------------------------------------------------------

if command -v openssl >/dev/null && (
    cd "$work" && for name in server client; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$name" \
            -addext subjectAltName=IP:127.0.0.1 -keyout $name.key -out $name.pem || exit
    done
) >/dev/null 2>&1; then
    serve tls "$work/server"
    request=$work/tls/request
    run query https://127.0.0.1:"$port"/answered "${where[@]}"
    refuses 1 "a certificate of an unknown authority is refused" "cannot be reached" "certificate" "--ca"
    check "before anything is told" test ! -e "$request"
    run query https://127.0.0.1:"$port"/answered "${where[@]}" --ca "$work/server.pem" --token t
    succeeds "with its authority it is accepted"
    equal "and gets what it needs" "$(token_sent)" "Bearer t"
    run query https://localhost:"$port"/answered "${where[@]}" --ca "$work/server.pem"
    refuses 1 "a certificate for another name is refused" "cannot be reached" "localhost"
    run query https://127.0.0.1:"$port" "${where[@]}" --ca nowhere.pem
    refuses 1 "a file of authorities that is not there is told" "nowhere.pem"
    run query http://127.0.0.1:"$port"/answered "${where[@]}"
    check "plain HTTP to such a service fails" test "$status" = 1

    cp "$work/client.pem" "$work/server.clients"
    serve known "$work/server"
    request=$work/known/request
    run query https://127.0.0.1:"$port"/answered "${where[@]}" --ca "$work/server.pem"
    check "a service may want to know who we are" test "$status" = 1
    run query https://127.0.0.1:"$port"/answered "${where[@]}" --ca "$work/server.pem" \
        --cert "$work/client.pem" --key "$work/client.key"
    succeeds "and can be told"
else
    skip "certificates are checked, and shown" "no openssl to make some with"
fi

# --- A terminal -------------------------------------------------------------------

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "stty cols 80; '$STARCLOAK' query $base/slow ${where[*]} --max-wait 9" /dev/null >screen 2>&1 </dev/null
    check "the progress bar says what is waited for" grep -qE 'waiting for a cloak +\[#*-+\] +[0-9]+%  [0-9] of 9' screen
    check "until there is an answer" grep -qE $'\r +\r[^\r]*hidden among' screen
else
    skip "the progress bar says what is waited for" "no 'script' to make a terminal with"
fi
kill "${services[@]}" 2>/dev/null

# --- Usage ------------------------------------------------------------------------

# misuse SENTENCE TEXT ARG...: running with ARG... is refused with TEXT.
misuse() {
    run query "${@:3}"
    refuses 2 "$1" "Try" "--help" "$2"
}
misuse "no address is told" "no address given" "${where[@]}"
misuse "two are too many" "unexpected argument 'http://b'" http://a http://b "${where[@]}"
for address in ftp://a a "" file:///etc/passwd; do
    misuse "'$address' is no address" "begins with neither http:// nor https://" "$address" "${where[@]}"
done
misuse "nor is one without a host" "names no host" http:///x "${where[@]}"
misuse "nor one with more" "has more than a host and a path" "http://a/?b=c" "${where[@]}"
misuse "nor one with a password" "has a user in it" http://u:secret@a/ "${where[@]}"
check "which is not repeated" silent_about "$err" secret
misuse "nor one with blanks" "has characters that are not allowed in a URL" "http://a/ b" "${where[@]}"
misuse "nor one without end" "is too long" "http://a/$(printf '%03000d' 0)" "${where[@]}"
misuse "no position is told" "give one position" http://a
misuse "two are too many" "give one position" http://a "${where[@]}" --x 1 --y 1
misuse "half of one is too little" "--lat is missing" http://a --lon 1
misuse "of an edge, too" "--offset-m is missing" http://a --edge 1
misuse "a longitude is one" "--lon: '181' is not in the range -180 to 180" http://a --lon 181 --lat 0
misuse "what is no number is refused" "--lat: 'x' is not a number" http://a --lon 0 --lat x
misuse "k of 0 is refused" "--k: '0' is not in the range" http://a "${where[@]}" --k 0
misuse "metres are a distance" "give --within-s, or leave --metric out" http://a "${where[@]}" --metric time --within 5
misuse "and seconds a time" "give --within, or leave --metric out" http://a "${where[@]}" --metric distance --within-s 5
misuse "a heading is 0 to 360" "--heading" http://a "${where[@]}" --heading 361
misuse "the nearest and all are too much" "--nearest asks for the nearest objects" http://a "${where[@]}" --nearest 1 --within 5
misuse "a category has a name" "--category: the name of the category is empty" http://a "${where[@]}" -c a,,b
misuse "there are 16 at most" "--category: more than 16" http://a "${where[@]}" -c a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q
misuse "two tokens are too many" "either --token or --token-file" http://a "${where[@]}" --token a --token-file b
misuse "a token is one word" "--token: this is not a token; tokens begin with sct1_" http://a "${where[@]}" --token "a b"
check "which is not repeated" silent_about "$err" "a b"
misuse "a certificate needs its key" "--key is missing" http://a "${where[@]}" --cert c
misuse "and a key its certificate" "--cert is missing" http://a "${where[@]}" --key c

finish
