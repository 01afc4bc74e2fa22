# shellcheck shell=bash disable=SC2154  # tap.sh and service.sh have these
# What the tests of a cluster share: NATS servers, gateways, workers.
# A script sources tap.sh and service.sh first, then this.

# start_nats [OPTION...]: three servers that know each other, with the configuration that we ship: users with the passwords
# below, also in files. Their numbers are nats_ids, their addresses $nats.
export STARCLOAK_NATS_GATEWAY=for-gateways STARCLOAK_NATS_WORKER=for-workers STARCLOAK_NATS_STATUS=for-status
shipped_nats=$here/../../packaging/nats/starcloak.conf
nats_ids=()
nats_ports=()
start_nats() {
    local i routes=
    echo "$STARCLOAK_NATS_GATEWAY" >gateway.password
    echo "$STARCLOAK_NATS_WORKER" >worker.password
    echo "$STARCLOAK_NATS_STATUS" >status.password
    chmod 600 ./*.password
    read -ra nats_ports < <(free_ports 6)
    for i in 3 4 5; do routes+=${routes:+,}nats://127.0.0.1:${nats_ports[i]}; done
    for i in 0 1 2; do
        start_nats_server "$i" "$routes" "$@"
    done
    nats=nats://127.0.0.1:${nats_ports[0]},nats://127.0.0.1:${nats_ports[1]},nats://127.0.0.1:${nats_ports[2]}
    for i in 0 1 2; do until_true grep -q 'Server is ready' "nats-$i.log" || return 1; done
    # Each has a route to the two others.
    for i in 0 1 2; do until_true grep -q 'Route connection created' "nats-$i.log" || return 1; done
}
start_nats_server() {  # WHICH ROUTES [OPTION...]
    local i=$1 routes=$2
    shift 2
    nats_routes=$routes
    start "nats-$i" nats-server -c "$shipped_nats" -a 127.0.0.1 -p "${nats_ports[i]}" --cluster_name test \
        --cluster "nats://127.0.0.1:${nats_ports[i + 3]}" --routes "$routes" "$@"
    nats_ids[i]=$started_id
}

# cluster_is_fine: gateways and workers are there, and every part is served.
cluster_is_fine() {
    "$STARCLOAK" cluster status --config cluster.ini --json --seconds 1 >status.json 2>status.err
}

# metric FILE NAME: the sum of a metric's values over all its labels; "none" if it is not there.
metric() {
    awk -v name="$2" '$1 == name || index($1, name "{") == 1 { sum += $NF; n++ } END { print n ? sprintf("%.0f", sum) : "none" }' "$1"
}
