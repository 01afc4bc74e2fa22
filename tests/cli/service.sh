# shellcheck shell=bash disable=SC2034,SC2154  # tap.sh has these
# What the tests of the running service share: starting and stopping it, tokens, asking.
# A script sources tap.sh first, then this.

# Processes that a script has started; none outlives it.
started=()
end_all() {
    local id
    for id in "${started[@]}"; do kill -CONT "$id" && kill -KILL "$id" && wait "$id"; done 2>/dev/null
    chmod -R u+rwX "$work" 2>/dev/null
    rm -rf "$work"
}
trap end_all EXIT

# until_true COMMAND...: try for two minutes, or more.
until_true() {
    local _
    for _ in {1..2400}; do
        "$@" && return 0
        sleep 0.05
    done 2>/dev/null
    return 1
}

# start NAME COMMAND...: in the background; its log is NAME.log, its number $started_id.
start() {
    local name=$1
    shift
    "$@" >"$name.out" 2>"$name.log" </dev/null &
    started_id=$!
    started+=("$started_id")
}

# address_of NAME: where it listens, once it does; "" if it does not come to that.
address_of() {
    until_true grep -q 'event=listening' "$1.log" || return 1
    sed -nE 's/.*event=listening.* address=([^ ]+).*/\1/p' "$1.log" | head -n 1
}

# ended ID: wait for the end of a process; leaves $status.
ended() {
    wait "$1"
    status=$?
}

# free_ports N: so many ports of 127.0.0.1 that are free at this moment, and that no connection is given by chance: those come
# from a range of their own, and there a port may be lost before it is used.
free_ports() {
    python3 - "$1" <<'PY'
import random, socket, sys
first = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
taken = []
while len(taken) < int(sys.argv[1]):
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", random.randrange(10000, first) if first > 12000 else 0))
        taken.append(s)
    except OSError:
        pass
print(*(s.getsockname()[1] for s in taken))
PY
}

# city FILE: the town of these tests, with objects.
city() {
    "$STARCLOAK" map generate --nodes 600 --seed 7 -o "$1" --quiet || echo "# no map to work with"
}

# token USER: a token of the key file "keys".
token() {
    "$STARCLOAK" token issue --key keys --user "$1"
}

# post URL BODY [CURL-OPTION...]: ask; the reply is in $out, its status in $code, its headers in headers.txt.
content_type=application/json
post() {
    local url=$1 body=$2
    shift 2
    code=$(curl -s -o "$out" -D headers.txt -w '%{http_code}' -X POST -H "Content-Type: $content_type" \
        --data-binary "$body" "$@" "$url/v1/queries")
    command_line="POST $url/v1/queries"
    status=$code
}
