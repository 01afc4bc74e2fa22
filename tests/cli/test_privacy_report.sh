#!/usr/bin/env bash
# The privacy report: a service counts its days (`serve --report-log`), an operator signs them (`starcloak report`), and
# everybody can check them, with OpenSSL alone, too.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
mkdir logs
settings=(--user "$me" --token-keys keys --user-rate 0 --address-rate 0 --user-cost 0 --user-waiting 0 --max-wait 60
    --listen 127.0.0.1:0 --admin listen --metrics open)
metric() { curl -s "http://$1/metrics" | awk -v name="$2" '$1 == name { print $2 }'; }
# total ADDRESS: queries that have ended, and cloaks that left.
total() { curl -s "http://$1/metrics" | awk '/^starcloak_queries_total/ { sum += $2 } END { print sum }'; }
# serve_days NAME: with the log logs/NAME; leaves $service and $address.
serve_days() {
    start "$1" "$STARCLOAK" serve city.scm "${settings[@]}" --report-log "logs/$1"
    service=$started_id
    address=$(address_of "$1")
}
ask() { "$STARCLOAK" load "http://$address" city.scm --key keys -n 150 --duration 2 --pause 1 --sigma-t 2 --seed "$1" --quiet >/dev/null; }
stop() {
    queries=$((queries + $(total "$address")))
    cloaks=$((cloaks + $(metric "$address" starcloak_cloaks_total)))
    kill "$service"
    ended "$service"
}
# exact FILE: what the log has of all days: queries, cloaks, those with less than was asked.
exact() {
    python3 - "$1" <<'PY'
import json, sys
data = open(sys.argv[1]).read()
assert len(data) % 4096 == 0, len(data)
slots = [data[i:i + 4096] for i in range(0, len(data), 4096)]
assert all(s.endswith("\n") and s.count("\n") == 1 for s in slots)
first, *days = [json.loads(s) for s in slots]
assert first["log"] == "starcloak-report-log", first
counts = [d["counts"] for d in days]
print(sum(sum(c["queries"].values()) for c in counts), sum(sum(c["effective_segments"].values()) for c in counts),
      sum(sum(c["below_asked"].values()) for c in counts))
for c in counts:
    assert sum(c["k_asked"].values()) == sum(c["l_asked"].values()) == sum(c["queries"].values())
    assert sum(c["k_given"].values()) == sum(c["l_given"].values()) == c["queries"]["answered"]
PY
}

# --- Counting, and a restart ------------------------------------------------------------------------

queries=0 cloaks=0
serve_days gateway1
check "a service with a report log starts, in its sandbox" grep -q 'event=ready.*sandbox=yes' gateway1.log
ask 1
start second "$STARCLOAK" serve city.scm "${settings[@]}" --report-log logs/gateway1
ended "$started_id"
equal "another one cannot have the same log" "$status" 1
check "and says so" grep -q 'another process writes logs/gateway1' second.log
stop
equal "the log has all queries and cloaks, and none with less than was asked" "$(exact logs/gateway1)" "$queries $cloaks 0"
check "it is for its user alone" test "$(stat -c %a logs/gateway1)" = 600
serve_days gateway1
ask 2
stop
equal "a service that starts again goes on where the day stood" "$(exact logs/gateway1)" "$queries $cloaks 0"
check "there were some" test "$cloaks" -gt 20
check "it knows no one" test -z "$(grep -aE 'load-|"lon"|"edge"|"user"' logs/gateway1)"
run serve city.scm "${settings[@]}" --report-log keys --check
equal "a file that is something else is not taken" "$status" 1
check "and that is said" says "$err" "not a report log"

# --- Signing ----------------------------------------------------------------------------------------

run report key report.key
equal "a key is made" "$status" 0
check "for its owner's eyes" test "$(stat -c %a report.key)" = 600
run report key report.key
equal "and never overwritten" "$status" 1
run report sign logs/gateway1 --key report.key
check "a day that is not over is left out" says "$out" '"days":[]'
run report sign logs/gateway1 --key report.key --with-today -o june.report
equal "a report is made" "$status" 0
run report verify june.report --key report.key.pub
equal "and verified" "$status" 0
check "with its table" says "$out" "k given"
run report verify june.report --key report.key.pub --json
check "or as JSON, in tens, without a promise that was broken" jq -e \
    '(.queries | add) >= 100 and all(.queries[], .k_asked[], .effective_segments[]; . % 10 == 0) and .below_asked == {"k":0,"l":0}' "$out"
run report show logs/gateway1 --with-today --json
check "which is what 'show' says" jq -e '.gateways == 1 and (.days | length) >= 1' "$out"
head -n 1 june.report | tr -d '\n' >body
tail -n 1 june.report | python3 -c 'import json, sys; sys.stdout.buffer.write(bytes.fromhex(json.load(sys.stdin)["signature"]))' >signature
check "OpenSSL verifies it, too" openssl pkeyutl -verify -pubin -inkey report.key.pub -rawin -in body -sigfile signature >"$out"
openssl genpkey -algorithm ed25519 -out other.key 2>/dev/null && chmod 600 other.key
openssl pkey -in other.key -pubout -out other.pub
run report verify june.report --key other.pub
equal "another key does not fit" "$status" 1
check "and that is said" says "$err" "signed by another key"
run report sign logs/gateway1 --key other.key --with-today -o other.report
equal "a key that OpenSSL has made signs" "$status" 0
run report verify other.report --key other.pub
equal "and verifies" "$status" 0
sed 's/"answered":[0-9]*/"answered":999990/' june.report >changed.report
run report verify changed.report --key report.key.pub
equal "a changed digit is noticed" "$status" 1
check "as such" says "$err" "the signature does not fit"
for size in 0 100 1000 "$(($(stat -c %s june.report) - 5))"; do
    head -c "$size" june.report >cut.report
    run report verify cut.report --key report.key.pub
    equal "a report that is cut after $size bytes is none" "$status" 1
done

# --- Several gateways ---------------------------------------------------------------------------------

queries=0 cloaks=0
serve_days gateway2
ask 3
stop
equal "another gateway has a log of its own" "$(exact logs/gateway2)" "$queries $cloaks 0"
run report show logs/gateway1 logs/gateway2 --with-today --json
check "a report of a cluster is of all gateways" jq -e '.gateways == 2' "$out"
cp logs/gateway1 copy
run report show logs/gateway1 copy --with-today
equal "a log counts once" "$status" 1
check "and copies are noticed" says "$err" "are the same"
printf x | dd of=logs/gateway2 bs=1 seek=4200 conv=notrunc 2>/dev/null
run report show logs/gateway2 --with-today --json
check "a day that cannot be read is said to be missing" jq -e '.damaged == 1' "$out"
head -c 5000 copy >cut
run report show cut --with-today --json
check "as is one that was cut off" jq -e '.damaged == 1' "$out"
run report show keys
equal "another file is no log" "$status" 1
run report show copy --from 2026-13-01
equal "a day must be one" "$status" 2
run report sign copy
equal "without a key nothing is signed" "$status" 2
run report verify june.report
equal "nor verified" "$status" 2
finish
