#!/usr/bin/env bash
# Attacks on a cluster of real processes: by a worker that was broken into, with its key file and all
# messages on NATS; and by a client of NATS without any key, where the servers allow everything and
# where they have the configuration that we ship.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=nats.sh
source "$here/nats.sh"

me=$(id -un)
attack() { python3 "$here/cluster_attacker.py" "$@"; }
# begin_attack NAME WORD...: in the background; prints to NAME.out, and its number is $started_id.
begin_attack() { start "$1" python3 "$here/cluster_attacker.py" "${@:2}"; }
end_attack() {  # ID
    kill -TERM "$1"
    ended "$1"
}
"$STARCLOAK" map generate --nodes 1500 --seed 5 -o city.scm --quiet
"$STARCLOAK" token key keys
"$STARCLOAK" partition city.scm -n 8 -o city.partition >/dev/null
"$STARCLOAK" cluster key cluster.key
for i in 1 2; do "$STARCLOAK" cluster key --worker "w$i" --from cluster.key "w$i.key"; done

# --- A cluster whose NATS server allows everything ---------------------------------------------

read -r port < <(free_ports 1)
start nats nats-server -a 127.0.0.1 -p "$port"
until_true grep -q 'Server is ready' nats.log
start lbs "$STARCLOAK" lbs city.scm --listen 127.0.0.1:0 --user "$me"
cat >cluster.ini <<INI
[server]
map = city.scm
listen = 127.0.0.1:0
admin = listen
user = $me
drain = 1
[tokens]
token-keys = keys
[policy]
user-rate = 0
address-rate = 0
metrics = open
[engine]
partition = city.partition
[provider]
provider = http://$(address_of lbs)/
[cluster]
nats = nats://127.0.0.1:$port
cluster-key = cluster.key
heartbeat = 0.3
INI
members=()
for i in 1 2; do
    start "w$i" "$STARCLOAK" worker --config cluster.ini --cluster-key "w$i.key" --threads 1
    members+=("$started_id")
done
gateway_ids=()
for i in 1 2; do
    start "g$i" "$STARCLOAK" gateway --config cluster.ini --name "g$i"
    gateway_ids[i]=$started_id
done
members+=("${gateway_ids[1]}")
both_work() { cluster_is_fine && jq -e '[.peers[] | select(.kind == "worker" and .parts == 4)] | length == 2' status.json >/dev/null; }
check "a cluster comes together" until_true both_work
equal "a worker is called as its key is" "$(jq -r '[.peers[] | select(.kind == "worker") | .name] | sort | join(" ")' status.json)" "w1 w2"
g1=$(address_of g1)
g2=$(address_of g2)
is_ready() { [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$1/readyz") == 200 ]]; }
check "both gateways are ready" until_true eval 'is_ready "$g1" && is_ready "$g2"'
for n in $(seq 0 39); do echo "user-$n"; done >names
while read -r name; do token "$name"; done <names >tokens
begin_attack spy record "127.0.0.1:$port" 600 sniffed
spy=$started_id
until_true grep -q listening spy.out
run load "http://$g1" city.scm --tokens tokens -n 40 --duration 4 --pause 1 --k 3:1 --sigma-t 4:1 --json
end_attack "$spy"

# --- A worker that was broken into -------------------------------------------------------------

seen() { jq "$1" "$2"; }
attack link sniffed cluster.key names >by-gateways
attack link sniffed w1.key names >by-w1
check "with the key of the gateways, queries to both workers are opened" test "$(seen .workers_opened by-gateways)" = 2
check "and their users found ($(seen .linked by-gateways)): the attack works" test "$(seen .linked by-gateways)" -gt 20
equal "with a worker's key, nothing for other workers is opened" "$(seen .workers_opened by-w1)" 1
check "only what is its own" test "$(seen .opened by-w1)" -lt "$(seen .opened by-gateways)"
equal "and no user is found" "$(seen .linked by-w1)" 0

unopened() { curl -s "http://$1/metrics" >metrics; metric metrics starcloak_cluster_unopened_total; }
placed() { curl -s "http://$1/v1/cluster" | jq -c '[.epoch, [.parts[] | [.owner, .served]]]'; }
before=$(unopened "$g1")
before2=$(unopened "$g2")
parts=$(placed "$g1")
attack forge "127.0.0.1:$port" sniffed w1.key >forged
equal "it sends forged placements, heartbeats and messages" "$(seen .forged forged)" 6
# Six go to one of the gateways, or to both where they are broadcast.
all_are_refused() { [[ $(($(unopened "$g1") - before + $(unopened "$g2") - before2)) == 9 ]]; }
check "none of them is opened" until_true all_are_refused
not_understood() { cat g1.log g2.log | grep -q event=message_not_understood; }
check "and what its key does seal is refused where it speaks for others" until_true not_understood
equal "parts are where they were" "$(placed "$g1")" "$parts"
check "no gateway was made up" eval '! curl -s "http://$g1/v1/cluster" | grep -q forged'

# unready_while ID GATEWAY...: how often one of them is not ready until a process ends.
unready_while() {
    local id=$1 unready=0 gateway
    shift
    while kill -0 "$id" 2>/dev/null; do
        for gateway; do is_ready "$gateway" || unready=$((unready + 1)); done
    done
    echo "$unready"
}

# More processes than a gateway remembers, made up with a key: none of the others is forgotten.
attack flood "127.0.0.1:$port" w1.key 1500 4 >flood.json &
flood=$!
unready=$(unready_while "$flood" "$g1" "$g2")
ended "$flood"
check "processes are made up ($(seen .sent flood.json) heartbeats)" test "$(seen .sent flood.json)" -gt 3000
equal "gateways stay ready, though" "$unready" 0
check "no process was taken for dead" eval '! cat g1.log g2.log | grep -q event=peer_gone'
key=$(jq -r .key flood.json)
check "a log line names the key" grep -q "event=too_many_processes key=$key name=made-up" g1.log
equal "once" "$(grep -c event=too_many_processes g1.log)" 1
curl -s "http://$g1/metrics" >metrics
check "and heartbeats are counted" test "$(metric metrics starcloak_cluster_crowded_total)" -gt 1000
equal "parts are still where they were" "$(placed "$g1")" "$parts"

# --- A client of NATS without a key ------------------------------------------------------------

attack void "127.0.0.1:$port" sniffed 2 >void.json &
void=$!
unready=$(unready_while "$void" "$g1" "$g2")
ended "$void"
check "reports of no subscriber are forged ($(seen .forged void.json))" test "$(seen .forged void.json)" -gt 20
equal "gateways stay ready" "$unready" 0

# A gateway dies; one that never knew it starts, while its heartbeats are played back.
kill -KILL "${gateway_ids[2]}"
start g3 "$STARCLOAK" gateway --config cluster.ini --name g3
members+=("$started_id")
g3=$(address_of g3)
begin_attack open-replay replay "127.0.0.1:$port" sniffed '\.(beat|place)' 60
replay=$started_id
believed=0
looks=0
replayed_for_a_round() {
    local names_seen
    names_seen=$(curl -s "http://$g3/v1/cluster" | jq -r '[.peers[].name] | join(" ")')
    [[ $names_seen != *g2* ]] || believed=$((believed + 1))
    [[ $names_seen != *g1* ]] || looks=$((looks + 1))
    grep -q 'a round' open-replay.log
}
# The status of a cluster hears the same heartbeats.
status_without_dead() {
    cluster_is_fine && says status.err "are played back" && [[ $(jq -r '[.peers[].name] | sort | join(" ")' status.json) == "g1 g3 w1 w2" ]]
}
check "'cluster status' leaves out the dead gateway whose heartbeats are played back, and says so" until_true status_without_dead
check "all that was recorded is played back" until_true replayed_for_a_round
end_attack "$replay"
check "heartbeats and placements ($(seen .replayed open-replay.out))" test "$(seen .replayed open-replay.out)" -gt 20
check "a gateway that starts meanwhile finds the living" test "$looks" -gt 0
equal "and does not believe that the dead one lives" "$believed" 0
check "it becomes ready" until_true is_ready "$g3"
check "all parts are served" until_true cluster_is_fine

# A worker that sends heartbeats with a stolen key, and takes up no part: its parts go to others, and gateways are ready again.
begin_attack idle idle "127.0.0.1:$port" w1.key 60
idle=$started_id
check "a worker that takes up no part makes gateways unready" until_true eval '! is_ready "$g1" && ! is_ready "$g3"'
check "not for long" until_true eval 'is_ready "$g1" && is_ready "$g3"'
passed_over() { cat g1.log g3.log | grep -c 'event=worker_passed_over name=idle'; }
equal "a log line names it" "$(passed_over)" 1
curl -s "http://$g1/metrics" >metrics
curl -s "http://$g3/metrics" >metrics.g3
equal "and it is counted" "$(($(metric metrics starcloak_cluster_passed_over_total) + $(metric metrics.g3 starcloak_cluster_passed_over_total)))" 1
check "it is still there, without parts" eval 'curl -s "http://$g1/v1/cluster" | jq -e ".peers[] | select(.name == \"idle\")" >/dev/null'
end_attack "$idle"

# --- With the configuration that we ship -------------------------------------------------------

read -r locked < <(free_ports 1)
start nats-locked nats-server -c "$shipped_nats" -a 127.0.0.1 -p "$locked"
check "a NATS server takes the configuration that we ship" until_true grep -q 'Server is ready' nats-locked.log
gateway=gateway:for-gateways@127.0.0.1:$locked
worker=worker:for-workers@127.0.0.1:$locked
status_user=status:for-status@127.0.0.1:$locked
allowed() { equal "$1" "$(attack may "$2" "$3")" "$4"; }
allowed "without a password there is no connection" "127.0.0.1:$locked" starcloak.place "not connected"
for subject in starcloak.place starcloak.beat.gateway; do
    allowed "a worker only listens to $subject" "$worker" "$subject" "- subscribe"
    allowed "as 'cluster status' does" "$status_user" "$subject" "- subscribe"
    allowed "gateways speak there, too" "$gateway" "$subject" "publish subscribe"
done
allowed "a worker hears no other worker's heartbeats" "$worker" starcloak.beat.worker "publish -"
allowed "forges no reports" "$worker" starcloak.void.0000000000000001.8000000000000001 "- -"
allowed "and does not listen to gateways" "$worker" starcloak.gateway.0000000000000001 "publish -"
allowed "or to everything" "$worker" ">" "- -"
allowed "'cluster status' hears no messages" "$status_user" starcloak.worker.8000000000000001 "- -"
allowed "gateways send to workers" "$gateway" starcloak.worker.8000000000000001 "publish -"
attack void "$worker" sniffed 0.1 >void.json
equal "all forged reports of a worker are refused by NATS" "$(seen .errors void.json)" "$(seen .forged void.json)"

# A cluster there, and the same attacks: by a stranger, and with all that a worker has.
kill -KILL "${members[@]}"
for role in gateway worker status; do eval "echo \$STARCLOAK_NATS_${role^^}" >"$role.password"; done
chmod 600 ./*.password
sed -E "s|^nats = .*|nats = nats://127.0.0.1:$locked|" cluster.ini >locked.ini
as() { echo --nats-user "$1" --nats-password "$1.password"; }
worker_ids=()
# shellcheck disable=SC2046  # three words
for i in 1 2; do
    start "locked-w$i" "$STARCLOAK" worker --config locked.ini --cluster-key "w$i.key" --threads 1 $(as worker)
    worker_ids[i]=$started_id
done
# shellcheck disable=SC2046
locked_gateway() { start "$1" "$STARCLOAK" gateway --config locked.ini --name "$1" $(as gateway); }
locked_gateway g4
locked_gateway g5
g5_id=$started_id
g4=$(address_of g4)
g5=$(address_of g5)
cluster_of() { curl -s "http://$1/v1/cluster"; }
# all_served_by GATEWAY COUNT: it is ready, so many workers serve all parts, and it knows these processes alone.
all_served_by() {
    is_ready "$1" && cluster_of "$1" |
        jq -e '(.parts | all(.served)) and ([.peers[] | select(.kind == "worker" and .parts > 0)] | length) == $count' --argjson count "$2" >/dev/null
}
check "a cluster comes together under the permissions that we ship" until_true eval 'all_served_by "$g4" 2 && all_served_by "$g5" 2'

# What can be recorded there: nothing by a stranger. Let an attacker with a worker's login have more than a worker hears:
# the heartbeats of workers, too.
equal "a stranger records nothing" "$(attack record "127.0.0.1:$locked" 1 nothing)" "not connected"
begin_attack locked-spy record "$gateway" 600 recorded starcloak.beat.\* starcloak.place
spy=$started_id
enough_is_recorded() { for i in beat.gateway beat.worker place; do [[ $(grep -c "starcloak.$i" recorded) -ge 6 ]] || return 1; done; }
check "heartbeats and placements are recorded" until_true enough_is_recorded
end_attack "$spy"

equal "a stranger makes up no process" "$(attack flood "127.0.0.1:$locked" w1.key 1500 1)" "not connected"
parts=$(placed "$g4")
begin_attack flooded flood "$worker" w1.key 1500 60
flood=$started_id
crowded() { curl -s "http://$1/metrics" >metrics; metric metrics starcloak_cluster_crowded_total; }
check "with a worker's login and key processes are made up" until_true eval '[[ $(crowded "$g4") -gt 1000 && $(crowded "$g5") -gt 1000 ]]'
equal "gateways stay ready" "$(is_ready "$g4" && is_ready "$g5" && echo ready)" ready
end_attack "$flood"
equal "after it, too" "$(is_ready "$g4" && is_ready "$g5" && echo ready)" ready
check "no process is taken for dead" eval '! cat g4.log g5.log | grep -q event=peer_gone'
equal "parts stay where they are" "$(placed "$g4")" "$parts"

# A gateway and a worker die; a gateway that never knew them starts, while all heartbeats and placements are played back.
kill -KILL "$g5_id" "${worker_ids[2]}"
dead=$(cluster_of "$g4" | jq -r '.peers[] | select(.name == "g5" or .name == "w2") | .peer')
equal "two processes are to be dead" "$(wc -w <<<"$dead")" 2
equal "a stranger plays nothing back" "$(attack replay "127.0.0.1:$locked" recorded . 1)" "not connected"
begin_attack replayed replay "$worker" recorded . 60
replay=$started_id
locked_gateway g6
g6=$(address_of g6)
believed=0
lives_without_dead() {
    local seen_by_g6
    seen_by_g6=$(cluster_of "$g6" | jq -r '.peers[].peer')
    for i in $dead; do [[ $seen_by_g6 != *$i* ]] || believed=$((believed + 1)); done
    all_served_by "$g6" 1 && all_served_by "$g4" 1 && [[ $(grep -c 'a round' replayed.log) -ge 2 ]]
}
check "with a worker's login: parts of a dead worker go to another, and a gateway that starts becomes ready" until_true lives_without_dead
end_attack "$replay"
equal "and it does not believe that the dead live" "$believed" 0
refused=$(seen .errors replayed.out)
passed=$(($(seen .replayed replayed.out) - refused))
check "heartbeats of workers are played back ($passed)" test "$passed" -gt 5
check "NATS refuses those of gateways, and placements ($refused)" test "$refused" -gt 5

# --- With the user of another role --------------------------------------------------------------

# shellcheck disable=SC2046
start g7 "$STARCLOAK" gateway --config locked.ini --name g7 $(as worker)
# shellcheck disable=SC2046
start locked-w3 "$STARCLOAK" worker --config locked.ini --cluster-key w2.key --threads 1 $(as status)
forbidden() { grep "event=nats_forbids action=$2 subjects=\"$3\" role=$4" "$1.log" | grep -c "check that nats-user"; }
twice_forbidden() { curl -s "http://$g7/metrics" >metrics && [[ $(metric metrics starcloak_cluster_forbidden_total) -ge 6 ]]; }
g7=$(address_of g7)
check "a gateway with a worker's user counts what NATS forbids it" until_true twice_forbidden
equal "and names it once: heartbeats" "$(forbidden g7 publish "heartbeats of gateways" gateway)" 1
equal "and subscriptions" "$(forbidden g7 subscribe "messages for gateways" gateway)" 1
equal "no other" "$(grep -c event=nats_forbids g7.log)" 4
check "a worker with the user of 'cluster status' names its heartbeats" until_true eval '[[ $(forbidden locked-w3 publish "heartbeats of workers" worker) == 1 ]]'
equal "and the messages for it" "$(forbidden locked-w3 subscribe "messages for workers" worker)" 1
check "those with the right users are forbidden nothing" eval '! cat g[456].log locked-w[12].log | grep -q event=nats_forbids'
# shellcheck disable=SC2046
run cluster status --config locked.ini --seconds 1 $(as worker)
check "'cluster status' says, too, that it may not hear all" says "$err" "do not let this user hear" "NATS user status"
equal "and fails" "$status" 1
finish
