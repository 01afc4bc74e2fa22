#!/usr/bin/env bash
# A temporary record of a running service for an auditor (`serve --record-true-positions`, `starcloak audit`): every promise
# that it keeps is found kept, nobody but the auditor can read it, it ends by itself, and it is announced.
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
settings=(--user "$me" --token-keys keys --user-rate 0 --address-rate 0 --user-cost 0 --user-waiting 0 --max-wait 60
    --listen 127.0.0.1:0 --admin listen --metrics open)
# in_s SECONDS: that time from now, as the setting wants it.
in_s() { date -u -d "@$(($(date +%s) + $1))" +%Y-%m-%dT%H:%M:%SZ; }
about() { curl -s "http://$address/v1/about" | jq -r .records_true_positions_until; }
recording() { curl -s "http://$address/metrics" | awk '$1 == "starcloak_recording_true_positions" { print $2 }'; }
# record NAME UNTIL [SETTING...]: a service that records to NAME-*.sealed; leaves $service, $address.
record() {
    local name=$1 until=$2
    shift 2
    start "$name" "$STARCLOAK" serve city.scm "${settings[@]}" --record-true-positions "$name" --record-true-positions-until "$until" \
        --record-true-positions-key auditor.pub "$@"
    service=$started_id
    address=$(address_of "$name")
}
ask() { "$STARCLOAK" load "http://$address" city.scm --key keys -n 200 --duration "${2:-3}" --pause 1 --sigma-t 2 --seed "$1" --quiet >/dev/null; }
# opened NAME: NAME.jsonl, which the auditor has opened.
opened() { "$STARCLOAK" audit open "$1"-*.sealed --key auditor -o "$1.jsonl"; }
# promises NAME [OPTION...]: 'verify' finds cloaks, and nothing wrong with them.
promises() {
    local name=$1
    shift
    run verify city.scm "$name.jsonl" --json "$@"
    equal "$name: every promise was kept" "$status" 0
    check "$name: of cloaks that there were" jq -e '.holds and .cloaks > 10 and .queries > 50' "$out"
    check "$name: and every query has its end" jq -e '.overdue == 0' "$out"
}

run audit key auditor
equal "an auditor makes a pair of keys" "$status" 0
check "for its own eyes" test "$(stat -c %a auditor)" = 600

# --- A service as it is by default -------------------------------------------------------------------

until=$(in_s 600)
record usual "$until"
check "it starts, in its sandbox" grep -q 'event=ready.*sandbox=yes' usual.log
check "the log says loudly that it records" grep -q 'level=warning event=recording_true_positions' usual.log
equal "users are told until when" "$(about)" "$until"
equal "and a metric says so" "$(recording)" 1
ask 1
kill "$service"
ended "$service"
equal "it ends as usual" "$status" 0
check "and the log says that it records no longer" grep -q 'event=true_positions_no_longer_recorded' usual.log
check "the file is for its user alone" test "$(stat -c %a usual-*.sealed)" = 600
check "and tells nobody anything" test -z "$(grep -aE 'load-|query|segment|offset' usual-*.sealed)"
check "as the log does not" test -z "$(grep -E 'load-[0-9]|offset' usual.log)"
check "the auditor opens it" opened usual
check "into a file for its own eyes" test "$(stat -c %a usual.jsonl)" = 600
promises usual
check "answers are compared, too" jq -e '.promises.answers.checked > 20' "$out"
run attack city.scm usual.jsonl --limit 3 --samples 32
equal "the adversary reads it" "$status" 0
jq -c 'if .event == "cloak" then .members |= .[:1] else . end' usual.jsonl >broken.jsonl
run verify city.scm broken.jsonl
equal "and a record with members taken away is found broken" "$status" 1

# --- Nobody else reads it ------------------------------------------------------------------------------

"$STARCLOAK" audit key other >/dev/null
run audit open usual-*.sealed --key other -o other.jsonl
equal "another key opens nothing" "$status" 1
check "and that is said" says "$err" "sealed for another key, or was changed"
check "and leaves no file" test ! -e other.jsonl
cp usual-*.sealed changed.sealed
printf x | dd of=changed.sealed bs=1 seek=5000 conv=notrunc 2>/dev/null
run audit open changed.sealed --key auditor -o changed.jsonl
equal "nor does a record that was changed" "$status" 1
check "nothing of it is left behind" test ! -e changed.jsonl
head -c 20000 usual-*.sealed >cut.sealed
run audit open cut.sealed --key auditor -o cut.jsonl
equal "one that was cut off is told from a whole one" "$status" 1
check "and opened up to there" cmp -s cut.jsonl <(head -c "$(stat -c %s cut.jsonl)" usual.jsonl)
run audit open usual.jsonl --key auditor -o again.jsonl
equal "what is not sealed is said to be so" "$status" 1

# --- Other services: threads, parts, demands ---------------------------------------------------------

"$STARCLOAK" partition city.scm --parts 4 -o city.partition >/dev/null 2>&1
record threads "$(in_s 600)" --loops 2 --threads 2 --partition city.partition --provider-threads 2
ask 2
kill "$service"
ended "$service"
check "several threads: opened" opened threads
promises threads
"$STARCLOAK" density city.scm -o density.csv -n 2000 --seconds 60 >/dev/null 2>&1
record demands "$(in_s 600)" --density density.csv --continuity --rare-requests drop
ask 3 5
kill "$service"
ended "$service"
check "demands: opened" opened demands
promises demands --density density.csv
check "demands: traffic and continuity were looked at" jq -e '.promises.P14.checked > 50 and .promises.P9.checked > 50' "$out"

# --- It ends by itself ---------------------------------------------------------------------------------

record short "$(in_s 6)"
ask 4 5
check "when its time is over" until_true grep -q 'event=true_positions_no_longer_recorded.*its time is over' short.log
equal "users are no longer told of it" "$(about)" null
equal "nor is the metric 1" "$(recording)" 0
size=$(stat -c %s short-*.sealed)
ask 5 2
equal "and nothing more is recorded" "$(stat -c %s short-*.sealed)" "$size"
kill "$service"
ended "$service"
check "short: opened" opened short
promises short
record large "$(in_s 600)" --record-true-positions-max 1
for seed in 6 7 8 9 10 11; do
    grep -q 'event=true_positions_no_longer_recorded' large.log && break
    "$STARCLOAK" load "http://$address" city.scm --key keys -n 900 --duration 6 --pause 1 --sigma-t 2 --seed "$seed" --quiet >/dev/null
done
check "or when the file has reached its bound" until_true grep -q 'event=true_positions_no_longer_recorded.*reached its bound' large.log
kill "$service"
ended "$service"
check "large: opened" opened large
promises large
record killed "$(in_s 600)"
ask 12 8
check "what waits is written after some seconds" until_true test "$(stat -c %s killed-*.sealed)" -gt 3000
kill -KILL "$service"
wait "$service" 2>/dev/null
run audit open killed-*.sealed --key auditor -o killed.jsonl
equal "a service that is killed leaves a record without its end" "$status" 1
check "of which there is something" test "$(wc -l <killed.jsonl)" -gt 10
start over "$STARCLOAK" serve city.scm "${settings[@]}" --record-true-positions over --record-true-positions-until 2020-01-01T00:00:00Z \
    --record-true-positions-key auditor.pub
address=$(address_of over)
check "a service that starts again after the end goes on without" grep -q 'event=true_positions_no_longer_recorded' over.log
equal "and tells nobody that it records" "$(about)" null
check "and makes no file" test -z "$(find . -name 'over-*')"
kill "$started_id"
ended "$started_id"

# --- What cannot be --------------------------------------------------------------------------------------

refused() {
    local what=$1 why=$2
    shift 2
    run serve city.scm "${settings[@]}" "$@" --check
    check "$what is refused" test "$status" != 0
    check "and why is said" says "$err" "$why"
}
all=(--record-true-positions x --record-true-positions-until "$(in_s 600)" --record-true-positions-key auditor.pub)
refused "a record without an end" "set record-true-positions-until too" "${all[@]:0:2}" "${all[@]:4}"
refused "a record without a key" "set record-true-positions-key" "${all[@]:0:4}"
refused "an end without a record" "set record-true-positions too" "${all[@]:2:2}"
refused "an end in two days" "more than a day ahead" "${all[@]}" --record-true-positions-until "$(in_s 172800)"
refused "an end that is no time" "give the end in UTC" "${all[@]}" --record-true-positions-until tomorrow
"$STARCLOAK" report key signing >/dev/null
refused "a key that signs" "not a public key of the kind" "${all[@]}" --record-true-positions-key signing.pub
refused "zones" "remove one of the two" "${all[@]}" --zone-key keys
run demo city.scm --travellers 5 --listen 127.0.0.1:0 "${all[@]}" --check
check "a demo does not record" test "$status" != 0
check "and says so" says "$err" "only 'starcloak serve' records"
run serve city.scm "${settings[@]}" "${all[@]}" --check
equal "--check makes no record" "$status" 0
check "of any kind" test -z "$(find . -name 'x-*')"
finish
