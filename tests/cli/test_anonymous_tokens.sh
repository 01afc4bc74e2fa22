#!/usr/bin/env bash
# Anonymous tokens from an issuer to a service: k accounts get a cloak and one account is one user, whatever it
# tries; epochs change, accounts are revoked, issuers start again; and what each party sees.
# shellcheck source-path=SCRIPTDIR disable=SC2154,SC2317
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
epoch=8
city city.scm
"$STARCLOAK" token key keys
"$STARCLOAK" token key accounts
for who in ann bob cid dan; do
    "$STARCLOAK" token issue --key accounts --user "$who-of-the-issuer" --days 1 >"$who.token"
done

# tee_before NAME TO: a TCP proxy that keeps what clients send in NAME.sent; its address is in $tee.
tee_before() {
    start "$1" python3 "$here/byte_tee.py" "$1" "$2"
    until_true test -s "$1.port"
    tee=127.0.0.1:$(cat "$1.port")
}

start_issuer() {
    start "$1" "$STARCLOAK" issuer --state state --token-keys accounts --revoked revoked --epoch "$epoch" --address-rate 0 \
        --user "$me" --listen "${2:-127.0.0.1:0}"
    issuer_id=$started_id
    until_true grep -q event=ready "$1.log"
    issuer=$(address_of "$1")
}
start_issuer issuer
tee_before at_issuer "$issuer"
issuer_tee=$tee

start serve "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --user "$me" --token-keys keys --oblivious \
    --pass-issuer "http://$issuer/.well-known/private-token-issuer-directory" --pass-issuer-name issuer.example \
    --pass-origin cloak.example --pass-epoch "$epoch" --min-k 1 --min-wait 0.1 --user-rate 0 --user-waiting 0 --user-pending 4 --jitter 0
serve=$started_id
service=$(address_of serve)
admin=$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' serve.log)
until_true grep -q 'event=pass_keys keys=' serve.log
check "the service fetches the issuer's keys" grep -q 'event=pass_keys keys=' serve.log
tee_before at_service "$service"
start relay "$STARCLOAK" relay "http://$tee" --listen 127.0.0.1:0 --user "$me" --address-rate 0
relay=$(address_of relay)
tee_before at_relay "$relay"
relay_tee=$tee

metric() { curl -s "http://$admin/metrics" | grep -v '^#' | grep -F "$1 " | sed 's/.* //'; }

# A new epoch has begun just now: most of it is left.
new_epoch() {
    local now
    now=$(($(date +%s) / epoch))
    until_true epoch_after "$now"
}
epoch_after() { [ $(($(date +%s) / epoch)) -gt "$1" ]; }

# asks WHO OUT [OPTION...]: a query in the background.
asks() {
    local who=$1 to=$2
    shift 2
    "$STARCLOAK" query "http://$service" --token-file "$who.token" --issuer "http://$issuer_tee" --issuer-name issuer.example \
        --pass-origin cloak.example --pass-epoch "$epoch" --pass-file "$who.pass" --relay "http://$relay_tee" --edge 10 --offset-m 1 \
        --l 1 --max-hops 4 --nearest 3 --json "$@" >"$to" 2>"$to.err" &
    asked+=($!)
}
asked=()
all_told() {
    wait "${asked[@]}"
    asked=()
}
outcome() { jq -r .outcome "$1"; }

# --- k accounts are k users -------------------------------------------------------------------------

# An epoch may be too short for a machine that is busy; one of the next ones is not.
for _ in {1..6}; do
    new_epoch
    for who in ann bob cid; do
        asks $who $who.out --k 3 --max-wait 7
    done
    all_told
    [ "$(outcome ann.out)$(outcome bob.out)$(outcome cid.out)" = answeredansweredanswered ] && break
done
equal "three accounts with a token each get a cloak of three" "$(outcome ann.out) $(outcome bob.out) $(outcome cid.out)" \
    "answered answered answered"
equal "a token is kept for its owner alone" "$(stat -c %a ann.pass)" 600
equal "as are the issuer's keys and accounts" "$(stat -c '%a' state/epoch-keys state/issued | tr '\n' ' ')" "600 600 "
accepted=$(metric starcloak_pass_accepted_total)
check "the service counts them" test "$accepted" -ge 3

# --- One account is one user ------------------------------------------------------------------------

new_epoch
for n in 1 2; do
    asks ann twice$n.out --k 3 --max-wait 2
    [ $n = 2 ] || until_true test -s ann.pass
done
all_told
asks ann thrice.out --k 1 --max-wait 1
all_told
check "an account that asks again uses its token again" test "$(metric starcloak_pass_remembered_total)" -ge 1
new_epoch
asks bob bob.out --k 1 --max-wait 1
all_told
equal "a token may be used for several queries" "$(outcome bob.out)" answered
asks bob first.out --k 2 --max-wait 2
asks bob second.out --k 2 --max-wait 2
all_told
equal "but twice one account is not two users" "$(outcome first.out) $(outcome second.out)" "dropped dropped"

# --- The issuer signs once --------------------------------------------------------------------------

# is_epoch_of FILE: the epoch of the token in it has not ended.
is_epoch_of() { [ "$(head -n1 "$1" | cut -d' ' -f2)" = $(($(date +%s) / epoch)) ]; }

for _ in {1..6}; do
    new_epoch
    asks cid cid.out --k 1 --max-wait 1
    all_told
    mv cid.pass before.pass
    asks cid again.out --k 1 --max-wait 1
    all_told
    is_epoch_of before.pass && break
done
equal "an account has its token" "$(outcome cid.out)" answered
check "and gets no second one in an epoch" grep -q "the account has its token of this epoch (429)" again.out.err
kill "$issuer_id"
ended "$issuer_id"
equal "the issuer ends with 0" "$status" 0
start_issuer issuer_again "$issuer"
asks cid again.out --k 1 --max-wait 1
all_told
if is_epoch_of before.pass; then
    check "also if the issuer has begun again" grep -q "the account has its token of this epoch (429)" again.out.err
else
    skip "also if the issuer has begun again" "the epoch was over before"
fi
run issuer --state state --token-keys accounts --listen 127.0.0.1:0
refuses 1 "two issuers with one folder would sign twice" "another issuer uses these keys"

# --- Epochs -----------------------------------------------------------------------------------------

new_epoch
asks cid cid.out --k 1 --max-wait 1
all_told
equal "in the next epoch there is another token" "$(outcome cid.out)" answered
check "which is another one" test "$(cmp -s cid.pass before.pass; echo $?)" = 1
code=$(curl -s -o "$out" -D headers.txt -w '%{http_code}' -X POST -H 'Content-Type: application/json' \
    -H "Authorization: $(sed -n 2p before.pass)" --data '{}' "http://$service/v1/queries")
equal "the one before is refused" "$code" 401
check "with the reason" says "$out" "its epoch may be over"
check "and the challenge for a new one" grep -q '^WWW-Authenticate: PrivateToken challenge=".*", token-key="' headers.txt
check "which is counted" test "$(metric 'starcloak_pass_refused_total{reason="epoch"}')" -ge 1
code=$(curl -s -o "$out" -w '%{http_code}' -X POST -H 'Content-Type: application/json' \
    -H "Authorization: $(sed -n 2p cid.pass | tr 'A-M' 'N-Z')" --data '{}' "http://$service/v1/queries")
equal "a damaged one, too" "$code" 401
"$STARCLOAK" token revoke --key accounts --revoked revoked --user dan-of-the-issuer >"$out"
kill -HUP "$issuer_id"
until_true grep -q event=reloaded issuer_again.log
asks dan dan.out --k 1 --max-wait 1
all_told
check "a revoked account gets no token" grep -q "the issuer does not know this account (401)" dan.out.err

# --- Who sees what ----------------------------------------------------------------------------------

account=$(cat ann.token)
check "the issuer is shown the account" grep -qF "$account" at_issuer.sent
check "and sees no query" silent_about at_issuer.sent /v1/ position edge offset_m max_wait PrivateToken cloak.example
check "nor a token that is used" silent_about at_issuer.sent "$(sed -n 2p cid.pass)"
check "the relay sees neither" silent_about at_relay.sent "$account" of-the-issuer Bearer PrivateToken position
check "no account's token comes to the service" silent_about at_service.sent "$account" of-the-issuer Bearer
check "nor the name of an account into a log" silent_about serve.log of-the-issuer
check "not even the issuer's" silent_about issuer.log of-the-issuer
check "nor what it keeps" silent_about state/issued of-the-issuer

# --- Wrong words ------------------------------------------------------------------------------------

run issuer --token-keys accounts
refuses 2 "an issuer needs a folder" "no folder given"
run issuer --state state
refuses 2 "and keys of accounts" "no keys of accounts given"
run query http://127.0.0.1:9 --edge 1 --offset-m 0 --issuer http://127.0.0.1:9
refuses 2 "a token must be kept" "--issuer needs --pass-file"
run query http://127.0.0.1:9 --edge 1 --offset-m 0 --pass-file x
refuses 2 "and comes from an issuer" "--pass-file is used with --issuer"
run serve city.scm --pass-origin cloak.example --check
refuses 2 "a name goes with an issuer" "pass-origin: set pass-issuer too"
run serve city.scm --pass-issuer http://issuer.example/directory --pass-origin cloak.example --check
refuses 2 "keys are not fetched over plain HTTP" "use https://"
run serve city.scm --pass-issuer directory.json --pass-origin cloak.example --check
refuses 2 "an issuer of a file has no name" "set pass-issuer-name too"
kill "$issuer_id"
ended "$issuer_id"
run issuer --state state --token-keys accounts --epoch 60 --listen 127.0.0.1:0
refuses 1 "an epoch stays as long as it is" "the length of an epoch cannot be changed"
chmod 640 state/epoch-keys
run issuer --state state --token-keys accounts --epoch "$epoch" --listen 127.0.0.1:0
refuses 1 "keys are for their owner alone" "others may read the keys"
kill "$serve"
finish
