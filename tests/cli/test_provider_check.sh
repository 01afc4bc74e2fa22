#!/usr/bin/env bash
# `starcloak provider check`: a sound provider passes all checks, and each check fails on a provider
# that has just the flaw it is for (broken_provider.py).
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
source "$here/service.sh"

city city.scm
"$STARCLOAK" map generate --nodes 600 --seed 8 -o other.scm --quiet || echo "# no second map"
start lbs "$STARCLOAK" lbs city.scm --listen 127.0.0.1:0
at=$(address_of lbs)
start broken python3 "$here/broken_provider.py" "$at"
until_true test -s broken.out
broken=http://127.0.0.1:$(cat broken.out)

# failed: the checks that failed in the last run with --json, in one line.
failed() { jq -r '[.checks[] | select(.verdict == "fail") | .check] | unique | join(" ")' "$out"; }

# --- A sound provider ----------------------------------------------------------------

run provider check "http://$at/" city.scm
succeeds "a sound provider passes"
check "all checks, in both encodings" says "$out" " 0 failed, 0 skipped" "pass  compact  other-map" \
    "pass  geojson  exact" "pass  both     encodings"
run provider check "http://$at/" city.scm --json --encoding geojson --cloaks 3 --seed 9
succeeds "also as JSON, one encoding, other cloaks"
check "which counts" true_of "$out" '.failed == 0 and .skipped == 0 and .passed == (.checks | length)'
check "and has a claim for each check" true_of "$out" 'all(.checks[]; .claim != "" and .encoding == "geojson")'
run provider check "http://$at/" city.scm --json --own-objects
check "objects that are not known are not compared" true_of "$out" \
    '[.checks[] | select(.verdict == "skip") | .check] == ["exact", "exact"] and .failed == 0'

run provider check "http://$at/" other.scm --json
equal "a provider with another map does not" "$status" 1
check "since it refuses the cloaks" true_of "$out" \
    '[.checks[] | select(.check == "answered") | .verdict] == ["fail", "fail"]'
check "and is told what to do" true_of "$out" 'all(.checks[] | select(.verdict == "fail"); .advice != "" and .found != "")'

# --- One flaw each -------------------------------------------------------------------

# finds FLAW CHECK...: exactly these checks fail on a provider with that flaw.
finds() {
    local flaw=$1
    shift
    run provider check "$broken/$flaw" city.scm --encoding geojson --cloaks 4 --json
    equal "'$flaw' is found by: $*" "$status $(failed)" "1 $*"
}
# shows FLAW CHECK...: these fail, and others that follow from it may.
shows() {
    local flaw=$1 check missing=
    shift
    run provider check "$broken/$flaw" city.scm --encoding geojson --cloaks 4 --json
    for check; do [[ " $(failed) " == *" $check "* ]] || missing+=" $check"; done
    equal "'$flaw' is found by: $*" "$status$missing" 1
}
run provider check "$broken/none" city.scm --cloaks 4
succeeds "messages may pass through another server"
shows fails answered media-type one-segment whole-map plain alive
finds unlabelled media-type
shows unsorted believable exact
shows forgets exact
finds large-cloaks-only one-segment
finds wants-border-nodes whole-map
finds skips-the-nearest more
shows short-ranges ranges exact
shows first-category-only categories
shows no-way-is-the-shortest metrics
shows lone-requests alone
shows sorts-requests order
shows remembers again
finds one-at-a-time at-once
finds refuses-with-500 category cut elsewhere empty garbage member-twice metric negative no-crossing no-version \
    other-type part radius too-far too-large too-many twice type type-version version
shows wants-line-breaks plain alive
finds strict new-field
finds untitled problems
finds repeats problems
shows dies alive

run provider check "$broken/refuses-with-500" city.scm --encoding compact --cloaks 4 --json
equal "of the compact encoding refusals are found, too" "$status $(failed)" \
    "1 category cut elsewhere empty garbage metric negative no-crossing no-version other-map other-type radius too-far too-large too-many twice type-version version"
run provider check "$broken/forgets" city.scm --cloaks 4 --json
equal "encodings that differ are found" "$status $(jq -r '.checks[] | select(.check == "encodings") | .verdict' "$out")" "1 fail"
run provider check "$broken/compact-only" city.scm --cloaks 4
succeeds "a provider may read one encoding only"
check "then the other is skipped" says "$out" "skip  geojson  encoding" "status 415"
run provider check "$broken/compact-only" city.scm --encoding geojson --json
equal "but not if that one was asked for" "$status $(failed)" "1 encoding"
run provider check "$broken/reads-nothing" city.scm --json
equal "one that reads none is no provider" "$status $(failed)" "1 encoding"

# --- TLS and usage -------------------------------------------------------------------

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=provider \
    -addext subjectAltName=IP:127.0.0.1 -keyout provider.key -out provider.pem 2>/dev/null || echo "# no certificate"
start tls "$STARCLOAK" lbs city.scm --listen 127.0.0.1:0 --tls-certificate provider.pem --tls-key provider.key \
    --client-ca provider.pem
secure=https://$(address_of tls)/
run provider check "$secure" city.scm --provider-ca provider.pem --provider-certificate provider.pem \
    --provider-key provider.key --cloaks 2
succeeds "a provider behind TLS that wants a certificate passes"
run provider check "$secure" city.scm --cloaks 2
refuses 1 "one whose certificate is not trusted is not asked" "cannot be asked"
read -r nothing <<<"$(free_ports 1)"
run provider check "http://127.0.0.1:$nothing/" city.scm --json
refuses 1 "a provider that is not there is a failure" "cannot be asked"
run provider check city.scm
refuses 2 "the URL comes first" "http://"
run provider check "http://$at/"
refuses 2 "a map is needed" "which map"
run provider check "http://$at/" city.scm --own-objects --objects postgresql://localhost/x
refuses 2 "objects are known or not" "one of them"
run provider check "http://$at/" city.scm --provider-key provider.key
refuses 2 "a key has a certificate" "--provider-certificate"
run provider
equal "the group explains itself" "$status" 2
finish
