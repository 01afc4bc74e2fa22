#!/usr/bin/env bash
# A cluster of real processes: three NATS servers with the permissions that we ship, two gateways, four workers, a provider; travellers
# at both gateways. A worker leaves, a worker is killed, a NATS server is killed: every query has its
# outcome, every cloak keeps its promises.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"
# shellcheck source=nats.sh
source "$here/nats.sh"

me=$(id -un)
"$STARCLOAK" map generate --nodes 3000 --seed 5 -o city.scm --quiet
"$STARCLOAK" token key keys

# --- Key and partition --------------------------------------------------------------------------------

run cluster key cluster.key
succeeds "a key for a cluster is made"
equal "only its owner may read it" "$(stat -c %a cluster.key)" 600
run cluster key cluster.key
refuses 1 "a key is never replaced" "cluster.key" "never replaced"
for i in 1 2 3 4 5 x; do
    run cluster key --worker "w$i" --from cluster.key "w$i.key"
    succeeds "a key for worker $i is made from it"
done
run cluster key --worker w6 w6.key
refuses 2 "a worker's key is made from that of the gateways" "--from"
run cluster key --worker w6 --from w1.key w6.key
refuses 1 "which a worker does not have" "the key of a worker"
check "the same worker's key is made again the same" eval \
    '"$STARCLOAK" cluster key --worker w1 --from cluster.key again.key && cmp -s w1.key again.key'
echo "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" >old.key
chmod 600 old.key
run partition city.scm -n 16 -o city.partition
succeeds "the map is divided into 16 parts"

# --- What is refused ----------------------------------------------------------------------------

run worker city.scm --check
refuses 1 "a worker without a key is refused" "cluster-key" "starcloak cluster key"
run worker city.scm --cluster-key w1.key --listen 127.0.0.1:0
refuses 2 "a worker has no door" "--listen"
run worker city.scm --cluster-key cluster.key --check
refuses 1 "a worker with the key of the gateways is refused" "the key of the gateways" "--worker NAME"
run gateway city.scm --cluster-key w1.key --check
refuses 1 "a gateway with the key of a worker is refused" "the key of a worker"
for kind in worker gateway; do
    run "$kind" city.scm --cluster-key old.key --check
    refuses 1 "a $kind with a key from before keys had roles is refused" "an earlier version" "--worker NAME"
done
run cluster status --cluster-key w1.key
refuses 1 "'cluster status' needs the key of the gateways" "the key of a worker"
run gateway city.scm --cluster-key cluster.key --threads 3
refuses 2 "a gateway has no engines" "--threads"
chmod 644 w1.key
run worker city.scm --cluster-key w1.key --check
refuses 1 "a key that others may read is refused" "w1.key"
chmod 600 w1.key
run worker city.scm --cluster-key w1.key --partition keys --check
refuses 1 "a file that is no partition is refused" "keys"
run worker city.scm --cluster-key w1.key --cluster-name 'a.b' --check
refuses 1 "a name that is no word of a subject is refused" "cluster-name"
run worker city.scm --cluster-key w1.key --nats-user ann --check
refuses 1 "a user without a password is refused" "nats-password"
read -r unused < <(free_ports 1)
run worker city.scm --cluster-key w1.key --nats "nats://127.0.0.1:$unused" --user "$me"
refuses 1 "where no NATS server is, it is said which" "127.0.0.1:$unused"
for kind in worker gateway; do
    key=cluster.key
    [[ $kind == gateway ]] || key=w1.key
    run "$kind" city.scm --cluster-key "$key" --nats "nats://127.0.0.1:$unused" --user "$me" --check
    succeeds "the check of a $kind makes no connection"
done
run cluster status --cluster-key cluster.key --nats "nats://127.0.0.1:$unused"
refuses 1 "so it is for 'cluster status'" "127.0.0.1:$unused"

# --- The cluster ----------------------------------------------------------------------------------

start_nats
check "three NATS servers know each other" test -n "$nats"
start lbs "$STARCLOAK" lbs city.scm --listen 127.0.0.1:0 --user "$me"
provider=$(address_of lbs)
cat >cluster.ini <<INI
[server]
map = city.scm
listen = 127.0.0.1:0
admin = listen
user = $me
drain = 20
[tokens]
token-keys = keys
[policy]
user-rate = 0
address-rate = 0
metrics = open
[engine]
partition = city.partition
paranoid = yes
jitter = 0.05
guard = 0.05
[provider]
provider = http://$provider/
[cluster]
nats = ${nats//,/, }
nats-user = gateway
nats-password = gateway.password
cluster-key = cluster.key
heartbeat = 0.4
INI
sed -i 's/^nats = .*/nats = '"$(sed 's/[&/]/\\&/g' <<<"$nats")"'/' cluster.ini

as_worker=(--nats-user worker --nats-password worker.password)
start_worker() {
    start "w$1" "$STARCLOAK" worker --config cluster.ini --name "w$1" --cluster-key "w$1.key" "${as_worker[@]}" --threads 1
    worker_ids[$1]=$started_id
}
start_gateway() {
    start "g$1" "$STARCLOAK" gateway --config cluster.ini --name "g$1"
    gateway_ids[$1]=$started_id
}
worker_ids=()
gateway_ids=()
run worker --config cluster.ini --cluster-key w1.key --check
succeeds "the configuration is fine for a worker"
run cluster status --config cluster.ini --seconds 1
refuses 1 "a cluster without processes is told from one that is there" "no message of cluster"
for i in 1 2 3 4; do start_worker "$i"; done
for i in 1 2; do start_gateway "$i"; done
g1=$(address_of g1)
g2=$(address_of g2)
check "both gateways listen" test -n "$g1" -a -n "$g2"
# The last one that came has its share.
all_are_there() {
    cluster_is_fine && jq -e '([.peers[] | select(.kind == "gateway")] | length == 2) and ([.peers[] | select(.leader)] | length == 1)
        and ([.peers[] | select(.kind == "worker")] | length == 4) and ([.peers[] | select(.kind == "worker") | .parts] | max == 4)' \
        status.json >/dev/null
}
check "the cluster comes together" until_true all_are_there
equal "two gateways are there" "$(jq '[.peers[] | select(.kind == "gateway")] | length' status.json)" 2
equal "four workers are there" "$(jq '[.peers[] | select(.kind == "worker")] | length' status.json)" 4
equal "every part is served by one of them" "$(jq '[.parts[] | select(.served)] | length' status.json)" 16
equal "no worker has more than its share" "$(jq '[.peers[] | select(.kind == "worker") | .parts] | max' status.json)" 4
equal "one gateway leads" "$(jq '[.peers[] | select(.leader)] | length' status.json)" 1
is_ready() { [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$1/readyz") == 200 ]]; }
check "both say that they are ready" until_true eval 'is_ready "$g1" && is_ready "$g2"'
# A process that is stopped for a second sends nothing in it.
tells_all() {
    run cluster status --config cluster.ini --nats-user status --nats-password status.password --parts --seconds 1
    [[ $status == 0 ]] && says "$out" g1 g2 w1 w2 w3 w4
}
until_true tells_all
succeeds "the state is told to people too"
check "with the names of all processes" says "$out" g1 g2 w1 w2 w3 w4
check "with their ids and clocks" says "$out" "$(jq -r '.peers[0].peer' status.json)" "clock s"

"$STARCLOAK" cluster key other.key
"$STARCLOAK" cluster key --worker wk --from other.key wk.key
run cluster status --config cluster.ini --cluster-key other.key --seconds 1
refuses 1 "who has another key hears nothing that it understands" "cluster-key"
start wk "$STARCLOAK" worker --config cluster.ini --name wk --cluster-key wk.key "${as_worker[@]}" --threads 1
check "a worker with another key says so" until_true grep -q event=another_key wk.log
check "and so does a gateway that hears it" until_true grep -q event=another_key g1.log
kill -KILL "$started_id"

# Who takes connections and says nothing: NATS is not found until the connection times out.
read -r silent_port own_port < <(free_ports 2)
start silent python3 -c "import socket, time
listener = socket.create_server(('127.0.0.1', $silent_port))
print('listening', flush=True)
time.sleep(600)"
silent=$started_id
until_true grep -q listening silent.out
start gs "$STARCLOAK" gateway --config cluster.ini --name gs --listen "127.0.0.1:$own_port" \
    --nats "nats://127.0.0.1:$silent_port"
is_refused() { [[ $(curl -s --max-time 2 -o /dev/null -w '%{http_code}' "$@") == 503 ]]; }
check "a gateway that looks for NATS says that it is not ready" until_true is_refused "http://127.0.0.1:$own_port/readyz"
check "and refuses queries at once" is_refused -X POST -H 'Content-Type: application/json' -d '{}' \
    "http://127.0.0.1:$own_port/v1/queries"
kill -KILL "$started_id" "$silent"

# --- Travellers at both gateways, while things happen --------------------------------------------

# load WHICH ADDRESS SEED: travellers with names of their own, in the background.
load() {
    for n in $(seq 1 150); do "$STARCLOAK" token issue --key keys --user "at-$1-$n"; done >"tokens-$1"
    "$STARCLOAK" load "http://$2" city.scm --tokens "tokens-$1" -n 150 --duration "$duration" --pause 1 --seed "$3" \
        --k 4:1 --sigma-t 6:1 --check 200 --json >"load-$1.json" 2>"load-$1.err" &
    load_ids[$1]=$!
}
load_ids=()
duration=24
load 1 "$g1" 11
load 2 "$g2" 22
sleep 5
kill -TERM "${worker_ids[2]}"
ended "${worker_ids[2]}"
equal "a worker that is told to leave does so" "$status" 0
check "and others took its parts" grep -q 'event=stopped parts_left=0' w2.log
sleep 3
kill -KILL "${worker_ids[3]}"
sleep 3
start_worker 5
sleep 3
kill -KILL "${nats_ids[0]}"
sleep 3
start_nats_server 0 "$nats_routes"
ended "${load_ids[1]}"
command_line="starcloak load at g1"
cp load-1.json "$out"; cp load-1.err "$err"
equal "travellers at the first gateway found nothing wrong" "$status" 0
ended "${load_ids[2]}"
command_line="starcloak load at g2"
cp load-2.json "$out"; cp load-2.err "$err"
equal "travellers at the second gateway found nothing wrong" "$status" 0
check "the cluster is whole again" until_true cluster_is_fine

curl -s "http://$g1/metrics" >metrics-1
curl -s "http://$g2/metrics" >metrics-2
for i in 1 2; do
    answered=$(number answered "load-$i.json")
    asked=$(number asked "load-$i.json")
    check "most queries at gateway $i were answered ($answered of $asked)" test "${answered:-0}" -gt $((${asked:-1} / 2))
    equal "no cloak of gateway $i broke a promise" "$(metric "metrics-$i" starcloak_violations_total)" 0
    equal "gateway $i has no query without an outcome" "$(metric "metrics-$i" starcloak_pending)" 0
done
elsewhere=$(($(metric metrics-1 starcloak_cloaks_elsewhere_total) + $(metric metrics-2 starcloak_cloaks_elsewhere_total)))
check "cloaks had members of both gateways ($elsewhere)" test "$elsewhere" -gt 0
check "queries were sent again when parts moved" test "$(metric metrics-1 starcloak_queries_resent_total)" -gt 0
check "the metrics tell the load of parts" grep -q '^starcloak_part_queries_total{' metrics-1
equal "the dashboard is told of the parts" "$(curl -s "http://$g1/v1/cluster" | jq '.parts | length')" 16
equal "and of every segment's part" "$(curl -s "http://$g1/v1/partition" | jq '.segments | length')" \
    "$("$STARCLOAK" map info city.scm --json | jq '.segments')"

# No log says who or where.
check "no log names a traveller" eval '! grep -l "at-[12]-" w?.log g?.log'

# --- One user at two gateways is one user ---------------------------------------------------------

# ask WHICH-GATEWAY TOKEN NAME SECONDS: for company of one other, at one place.
ask() {
    "$STARCLOAK" query "http://$1" --token "$2" --edge 100 --offset-m 1 --k 2 --l 1 --max-wait "$4" --json >"ask-$3.json" 2>/dev/null
}
ann=$(token ann)
bob=$(token bob)
ask "$g1" "$ann" 1 2 & first=$!
ask "$g2" "$ann" 2 2 & second=$!
ended "$first"
equal "a user at two gateways is no company for itself" "$status" 1
ended "$second"
equal "at neither of them" "$status" 1
ask "$g1" "$ann" 1 60 & first=$!
ask "$g2" "$bob" 2 60 & second=$!
ended "$first"
equal "two who ask at two gateways are" "$status" 0
ended "$second"
equal "for each other" "$status" 0
equal "and are in one cloak" "$(jq .cloak.id ask-1.json)" "$(jq .cloak.id ask-2.json)"

# The configuration that docs/cluster.md shows, word for word but for the addresses.
sed -n '/^In `cluster.ini`, at least:/,/^NATS servers/{s/^    //p}' "$repository/docs/cluster.md" |
    sed -e 's/0\.0\.0\.0:8080/127.0.0.1:0/; s/127\.0\.0\.1:8081/127.0.0.1:0/' >shown.ini
cp keys token.key
cp gateway.password nats.password
run gateway --config shown.ini --user "$me" --check
succeeds "the configuration of the documentation passes a check"

# --- Shut out -------------------------------------------------------------------------------------

# A supervisor starts processes again that end with 1: perhaps there is another password by then.
read -r port < <(free_ports 1)
echo sesame >nats-password
chmod 644 nats-password
run worker --config cluster.ini --cluster-key w1.key --nats-user star --nats-password nats-password --check
refuses 1 "a password that others may read is refused" "nats-password" "chmod 600"
chmod 600 nats-password
start_locked() {  # NAME PASSWORD
    start "$1" nats-server -a 127.0.0.1 -p "$port" --user star --pass "$2"
    locked_id=$started_id
    until_true grep -q 'Server is ready' "$1.log"
}
locked=(--config cluster.ini --cluster-name locked --nats "nats://127.0.0.1:$port" --nats-user star --nats-password nats-password)
check "a NATS server wants a password" start_locked locked-1 sesame
run worker "${locked[@]}" --cluster-key w1.key --check
succeeds "a worker that has it finds nothing wrong"
start w-locked "$STARCLOAK" worker "${locked[@]}" --cluster-key w1.key --threads 1
worker_id=$started_id
start g-locked "$STARCLOAK" gateway "${locked[@]}"
gateway_id=$started_id
check "worker and gateway are there" until_true grep -q 'event=ready' g-locked.log
check "and both are ready" until_true grep -q 'event=ready' w-locked.log
kill -KILL "$locked_id"
ended "$locked_id"
check "it comes back and wants another" start_locked locked-2 barley
ended "$worker_id"
equal "a worker that NATS shuts out ends as failed" "$status" 1
ended "$gateway_id"
equal "so does a gateway" "$status" 1
check "and both say why" grep -q 'event=nats_refuses' w-locked.log
check "in their logs" grep -q 'event=nats_refuses' g-locked.log
run worker "${locked[@]}" --cluster-key w1.key --threads 1 --user "$me"
check "one that is started now reports why it is refused" says "$err" "refuses the connection" "password"
equal "and has failed" "$status" 1
kill -KILL "$started_id" 2>/dev/null

# --- TLS ------------------------------------------------------------------------------------------

# Keys that only root may read, and a process that becomes nobody: they are read before that.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem \
    -addext basicConstraints=critical,CA:TRUE 2>/dev/null
for name in nats ours; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" -keyout "$name.key" -out "$name.csr" 2>/dev/null
    openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out "$name.pem" \
        -extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') 2>/dev/null
done
chmod 600 ./*.key
read -r port < <(free_ports 1)
start nats-tls nats-server -a 127.0.0.1 -p "$port" --tls --tlsverify --tlscert nats.pem --tlskey nats.key --tlscacert ca.pem
check "a NATS server wants certificates" until_true grep -q 'Server is ready' nats-tls.log
secure=(--config cluster.ini --cluster-name secure --nats "tls://127.0.0.1:$port" --nats-ca ca.pem)
whom=$me
[[ $(id -u) != 0 ]] || whom=nobody
start w-tls "$STARCLOAK" worker "${secure[@]}" --cluster-key w1.key --nats-certificate ours.pem --nats-key ours.key --threads 1 --user "$whom"
tls_worker=$started_id
start g-tls "$STARCLOAK" gateway "${secure[@]}" --nats-certificate ours.pem --nats-key ours.key --user "$whom"
tls_gateway=$started_id
tls=$(address_of g-tls)
is_ready() { [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$1/readyz") == 200 ]]; }
check "a worker and a gateway meet over TLS" until_true is_ready "$tls"
check "and were never cut off" eval '! grep -q nats_is_away g-tls.log w-tls.log'
is_told() {
    run cluster status "${secure[@]}" --nats-certificate ours.pem --nats-key ours.key --seconds 1
    [[ $status == 0 ]]
}
until_true is_told
equal "the state is told over TLS" "$status" 0
run cluster status "${secure[@]}" --seconds 1
refuses 1 "who shows no certificate is not let in" "127.0.0.1:$port"
openssl x509 -req -in ours.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days -1 -out over.pem 2>/dev/null
for kind in worker gateway; do
    key=cluster.key
    [[ $kind == gateway ]] || key=w1.key
    as_check=("$kind" "${secure[@]}" --cluster-key "$key" --user "$whom" --check)
    run "${as_check[@]}" --nats-certificate ours.pem --nats-key nats.key
    refuses 1 "a key that is not that of the certificate is found by a check of a $kind" "ours.pem"
    run "${as_check[@]}" --nats-certificate ours.pem --nats-key ours.key
    equal "the right one passes" "$status" 0
    chmod 644 ours.key
    run "${as_check[@]}" --nats-certificate ours.pem --nats-key ours.key
    refuses 1 "not if others may read it" "ours.key" "chmod 600"
    chmod 600 ours.key
    run "${as_check[@]}" --nats-certificate over.pem --nats-key ours.key
    refuses 1 "nor if the certificate has expired" "over.pem" "has expired"
done
kill -TERM "$tls_gateway"
ended "$tls_gateway"
kill -TERM "$tls_worker"
ended "$tls_worker"
equal "they end well" "$status" 0

# --- Another map under the same name --------------------------------------------------------------

"$STARCLOAK" map generate --nodes 3000 --seed 6 -o other.scm --quiet
"$STARCLOAK" partition other.scm -n 16 -o other.partition >/dev/null
start wx "$STARCLOAK" worker --config cluster.ini --name wx --cluster-key wx.key "${as_worker[@]}" --map other.scm --partition other.partition --threads 1
stranger=$started_id
start gx "$STARCLOAK" gateway --config cluster.ini --name gx --map other.scm --partition other.partition
until_true grep -q event=ready gx.log
before=$(curl -s "http://$g1/metrics" | awk '/^starcloak_queries_total.*failed/ { s += $NF } END { print s + 0 }')
"$STARCLOAK" load "http://$g1" city.scm --tokens tokens-1 -n 150 --duration 4 --pause 1 --k 3:0 --sigma-t 6:1 --json >stranger.json 2>stranger.err
equal "travellers notice nothing of a worker with another map" "$?" 0
after=$(curl -s "http://$g1/metrics" | awk '/^starcloak_queries_total.*failed/ { s += $NF } END { print s + 0 }')
equal "and no query fails by it" "$after" "$before"
tells_of_another() {
    run cluster status --config cluster.ini --seconds 1
    says "$out" "another partition"
}
check "the state says who has another partition" until_true tells_of_another
check "and so do the gateways that notice" grep -q "event=another_partition name=wx kind=worker" g1.log
kill -KILL "$stranger" "$started_id"

# --- Other demands --------------------------------------------------------------------------------

start wy "$STARCLOAK" worker --config cluster.ini --name wx --cluster-key wx.key "${as_worker[@]}" --engine patient --strict --threads 1
check "a worker that asks something else of cloaks is told so" until_true grep -q 'event=other_demands setting=strict' wy.log
check "and named by the gateways" until_true grep -q "event=other_demands name=wx kind=worker setting=strict" g1.log
tells_of_demands() {
    run cluster status --config cluster.ini --seconds 1
    says "$out" "has other demands"
}
check "and in the state" until_true tells_of_demands
equal "it gets no parts" "$(grep -c 'event=parts' wy.log)" 0
kill -KILL "$started_id"

# --- Another search ---------------------------------------------------------------------------------

start wz "$STARCLOAK" worker --config cluster.ini --name wx --cluster-key wx.key "${as_worker[@]}" --crowd 9 --threads 1
check "a worker that searches by other settings is named" until_true grep -q "event=other_search name=wx setting=crowd" g1.log
tells_of_search() {
    run cluster status --config cluster.ini --seconds 1
    says "$out" "searches by other settings"
}
check "and in the state" until_true tells_of_search
check "it serves parts all the same" until_true grep -q 'event=parts' wz.log
equal "which is told of no other worker" "$(grep 'event=other_search' g1.log | grep -vc name=wx)" 0
until_true eval 'curl -s "http://$g1/v1/cluster" >other.json; jq -e ".peers[] | select(.name == \"wx\")" other.json >/dev/null'
equal "and the interface names the setting" "$(jq -r '.peers[] | select(.name == "wx") | .differs' other.json)" crowd
kill -KILL "$started_id"

# --- The end --------------------------------------------------------------------------------------

for i in 1 2; do
    kill -TERM "${gateway_ids[i]}"
    ended "${gateway_ids[i]}"
    equal "gateway $i drains and ends well" "$status" 0
done
for i in 1 4 5; do
    kill -TERM "${worker_ids[i]}"
done
for i in 1 4 5; do
    ended "${worker_ids[i]}"
    equal "worker $i ends well, though no worker is left to take its parts" "$status" 0
done
finish
