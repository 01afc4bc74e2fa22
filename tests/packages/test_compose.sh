#!/usr/bin/env bash
# packaging/compose: read by docker-compose and promtool, and its commands run without containers: the
# provider with a real PostGIS that objects.sql has filled, the service, traffic, a query. TAP.
# shellcheck disable=SC2154  # tap.sh has $work and $repository
. "$(dirname "$0")/../cli/tap.sh"

folder=$repository/packaging/compose
export STARCLOAK_DB_PASSWORD=secret

read_by_compose() { docker-compose -f "$folder/compose.yml" config >"$work/compose.yml" 2>"$err"; }
as_json() { python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)' <"$work/compose.yml" >"$work/compose.json"; }
refused_without_password() { ! STARCLOAK_DB_PASSWORD='' docker-compose -f "$folder/compose.yml" config >"$out" 2>"$err"; }
read_by_promtool() {
    cp "$folder/prometheus.yml" "$repository/packaging/prometheus/starcloak.rules.yml" "$work" &&
        promtool check config "$work/prometheus.yml" >"$out" 2>"$err"
}
least_privilege() {
    true_of "$work/compose.json" '[.services.service, .services.provider] | all(.read_only and .cap_drop == ["ALL"] and
        (.volumes | all(endswith(":ro"))) and .image == "starcloak:'"$("$repository/scripts/version")"'")'
}
scraped() {
    true_of "$work/compose.json" '(.services.service.command | index("--admin=0.0.0.0:9091")) and
        (.services.provider.command | index("--admin=0.0.0.0:9092"))' && says "$folder/prometheus.yml" service:9091 provider:9092
}

# The words of a service's command, one in a line, with what only containers have put in its place.
words_of() {
    jq -r ".services.$1.command[]" "$work/compose.json" |
        sed "s|/etc/starcloak|$work/config|; s|postgresql://starcloak@postgis/city|$PGURL|"
}
life() {
    local psql service provider traffic
    psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | sort -V | tail -n 1)
    "$psql" -qX -v ON_ERROR_STOP=1 -d "$PGURL" -f "$folder/objects.sql" >/dev/null || return 1
    mapfile -t provider < <(words_of provider)
    mapfile -t service < <(words_of service)
    "$STARCLOAK" "${provider[@]}" 2>"$work/provider.log" &
    until grep -q event=ready "$work/provider.log"; do kill -0 $! || { cat "$work"/*.log >&2; return 1; }; sleep 0.05; done
    "$STARCLOAK" "${service[@]}" --user-rate 0 --address-rate 0 --address-connections 0 2>"$work/service.log" &
    until grep -q event=ready "$work/service.log"; do kill -0 $! || { cat "$work"/*.log >&2; return 1; }; sleep 0.05; done
    curl -sSf http://127.0.0.1:9091/metrics | grep '^starcloak_build_info'
    curl -sSf http://127.0.0.1:9092/metrics | grep -m 1 '^starcloak_'
    "$STARCLOAK" load http://127.0.0.1:8080 "$work/config/city.scm" --key "$work/config/keys" --travellers 8000 --duration 20 >/dev/null 2>&1 &
    traffic=$!
    for _ in 1 2 3; do
        ! "$STARCLOAK" query http://127.0.0.1:8080 --lon -29.99 --lat 45.00 --nearest 1 --category hospital \
            --token "$("$STARCLOAK" token issue --key "$work/config/keys" --user alice)" || break
    done
    kill -KILL $traffic
}
if [ "${1:-}" = life ]; then
    trap - EXIT  # the place belongs to the caller
    rm -rf "$work"
    work=$2
    cd "$work" || exit
    mount --bind "$work/hosts" /etc/hosts && ip link set lo up && life
    exit
fi

if ! command -v docker-compose >/dev/null; then
    skip "the compose file" "docker-compose is not installed"
    finish
fi
check "docker-compose reads it" read_by_compose
check "its two services of ours have the least privilege, and this version" eval 'as_json && least_privilege'
check "without a password it is refused" refused_without_password
check "promtool reads prometheus.yml and the alerts" read_by_promtool
check "Prometheus asks where the services tell" scraped

if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    skip "running its commands" "needs root"
    finish
fi
mkdir "$work/config"
"$STARCLOAK" map generate --quiet --nodes 20k --seed 1 -o "$work/config/city.scm"
"$STARCLOAK" token key "$work/config/keys"
chmod -R a+rX "$work"
chmod 600 "$work/config/keys"
touch "$work/provider.log" "$work/service.log"
echo '127.0.0.1 localhost provider service postgis' >"$work/hosts"
unshare --net --mount --pid --fork --kill-child bash -c 'ip link set lo up; exec "$0" bash "$1" life "$2"' \
    "$repository/tests/support/with_postgres" "$repository/tests/packages/test_compose.sh" "$work" >"$out" 2>"$err"
status=$?
if [ $status -eq 77 ]; then
    skip "running its commands" "no PostGIS"
    finish
fi
check "its commands, with a real PostGIS, give an answer" says "$out" "hidden among" "St. Mary's"
check "and metrics where Prometheus asks" says "$out" 'starcloak_build_info' 'starcloak_lbs'
finish
