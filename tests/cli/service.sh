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

# until_true COMMAND...: try for half a minute.
until_true() {
    local _
    for _ in {1..600}; do
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
