#!/usr/bin/env bash
# Requests that a proxy and the service might understand differently: ten thousand of them, by way of
# nginx and of HAProxy, and straight; the service never replies to more than was sent to it.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=proxies.sh
source "$here/proxies.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
start serve "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --address-rate 0 --address-connections 0
serve=$started_id
address=$(address_of serve)
read -r front recorder < <(free_ports 2)

# differ NAME SEED COUNT PORT: let clients ask by way of PORT while the recorder listens at $recorder.
differ() {
    start record python3 "$here/smuggling.py" "$4" "$recorder" "$address" "$3" "$2"
    record=$started_id
}
judged() {
    ended "$record"
    equal "$1: the service replies to what was sent to it, and to nothing else" "$status" 0
    echo "# $1: $(cat record.out)"
    [ "$status" -eq 0 ] || head -c 4000 record.log >&2
}

differ straight 1 4000 "$recorder"
judged straight
if command -v nginx >/dev/null; then
    differ nginx 2 5000 "$front"
    nginx_before "127.0.0.1:$recorder" "$front" 'proxy_set_header Connection ""; proxy_ignore_client_abort on;'
    nginx=$started_id
    judged nginx
    kill "$nginx" && wait "$nginx" 2>/dev/null
else
    skip "nginx before the service" "nginx is not installed"
fi
read -r front recorder < <(free_ports 2)
if command -v haproxy >/dev/null; then
    differ HAProxy 3 5000 "$front"
    haproxy_before "127.0.0.1:$recorder" "$front"
    haproxy=$started_id
    judged HAProxy
    kill "$haproxy" && wait "$haproxy" 2>/dev/null
else
    skip "HAProxy before the service" "HAProxy is not installed"
fi
kill "$serve"
ended "$serve"
equal "the service ends as usual" "$status" 0
finish
