#!/usr/bin/env bash
# Users of another party's login: JSON Web Tokens made by PyJWT, keys in a file and at an address, and
# tokens of our own format that somebody else's code has minted.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
start login /usr/bin/python3 "$here/login.py" port
until_true test -s port
login=http://127.0.0.1:$(cat port)
made() { curl -sG "$login/token" "${@/#/-d}"; }
curl -s "$login/keys" >set.json
issued=(--jwt-issuer https://login.example --jwt-audience starcloak --user-rate 0 --address-rate 0)

# asks TOKEN: the status of a query that is refused for its profile if the token is good; its words in $out.
asks() {
    curl -s -o "$out" -w '%{http_code}' -X POST -H 'Content-Type: application/json' -H "Authorization: Bearer $1" \
        --data '{"profile":{"k":1000000}}' "$base/v1/queries"
}

# --- Keys in a file -------------------------------------------------------------------------------

start file "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --jwt-keys set.json "${issued[@]}"
file=$started_id
base=http://$(address_of file)
for algorithm in RS256 ES256 EdDSA; do
    equal "a token by $algorithm is good" "$(asks "$(made alg=$algorithm sub=ann)")" 400
    equal "and again" "$(asks "$(made alg=$algorithm sub=ann)")" 400
    equal "not if it has expired" "$(asks "$(made alg=$algorithm sub=ann exp=1700000000)")" 401
    check "which is said" says "$out" "the token has expired; get a new one"
done
equal "one of another issuer is refused" "$(asks "$(made alg=ES256 sub=ann iss=https://other.example)")" 401
check "with the reason" says "$out" "the token is of another issuer"
equal "so is one for another service" "$(asks "$(made alg=ES256 sub=ann aud=shop)")" 401
check "with its reason" says "$out" "for another service"
equal "and one that begins in an hour" "$(asks "$(made alg=ES256 sub=ann nbf=$(($(date +%s) + 3600)))")" 401
check "with its own" says "$out" "not valid yet"
equal "a token of nobody is refused" "$(asks "$(made alg=ES256 email=ann)")" 401
check "and told so" says "$out" "who the user is"
equal "a public key is no shared secret" "$(asks "$(made alg=RS256 sub=ann secret=public)")" 401
check "whatever the token says" says "$out" "must be signed by RS256, ES256 or EdDSA"
unsigned=$(made alg=RS256 sub=ann)
none=$(printf '{"alg":"none"}' | basenc --base64url | tr -d '=\n')
unsigned=$none.$(cut -d. -f2 <<<"$unsigned").
equal "a token that nobody signed is refused" "$(asks "$unsigned")" 401
equal "a key that is not there is told" "$(asks "$(made alg=RS256 sub=ann header.kid=other)")" 401
check "in words" says "$out" "a key that this service does not know"
equal "our own tokens are good as before" "$(asks "$(token ann)")" 400
equal "also those that others have minted" "$(asks "$("$repository/examples/mint_token.py" keys bob 600)")" 400
equal "which the program can read" "$("$repository/examples/mint_token.py" keys bob 600 | "$STARCLOAK" token show - --key keys | grep -c bob)" 1
equal "what is neither is refused" "$(asks nothing)" 401
check "in words for both" says "$out" "neither a token of this service nor a JSON Web Token"
curl -s -X POST "$login/rotate" >/dev/null
renewed=$(made alg=EdDSA sub=ann)
equal "a new key is not known at first" "$(asks "$renewed")" 401
curl -s "$login/keys" >set.json
kill -HUP "$file"
until_true grep -q event=reloaded file.log
equal "but after a reload" "$(asks "$renewed")" 400
echo '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}' >set.json
kill -HUP "$file"
until_true grep -q event=reload_failed file.log
check "a set with a secret is refused, with the reason" grep -q 'key 1: it is a secret' file.log
equal "and the old keys stay" "$(asks "$renewed")" 400
check "no user is named in the log" silent_about file.log 'ann\|bob'
kill "$file"

# --- Keys at an address ---------------------------------------------------------------------------

start web "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --jwt-keys "$login/keys" "${issued[@]}" --jwt-user email
web=$started_id
base=http://$(address_of web)
until_true grep -q 'event=jwt_keys keys=3' web.log
check "keys are fetched" grep -q 'event=jwt_keys keys=3' web.log
equal "the user may be another claim" "$(asks "$(made alg=ES256 email=ann@example.org)")" 400
equal "which must be there" "$(asks "$(made alg=ES256 sub=ann)")" 401
curl -s -X POST "$login/rotate" >/dev/null
renewed=$(made alg=RS256 email=ann@example.org)
is_good() { [ "$(asks "$renewed")" = 400 ]; }
check "an issuer that changes its keys is followed" until_true is_good
before=$(curl -s "$login/count")
for _ in {1..50}; do asks "$(made alg=RS256 email=ann header.kid=made-up)" >/dev/null; done
check "made-up keys do not make us flood it" test "$(($(curl -s "$login/count") - before))" -le 2
kill "$web"

curl -s -X POST "$login/fail?status=500" >/dev/null
start late "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --user "$me" --token-keys keys --jwt-keys "$login/keys" "${issued[@]}"
base=http://$(address_of late)
check "an issuer that fails does not keep the service from starting" until_true grep -q 'event=jwt_keys_failed' late.log
check "and its failure is told" grep -q 'status 500 instead of 200' late.log
renewed=$(made alg=RS256 sub=ann)
equal "its tokens are refused meanwhile" "$(asks "$renewed")" 401
curl -s -X POST "$login/fail?status=200" >/dev/null
check "until it can be reached" until_true is_good
kill "$started_id"

# --- Settings -------------------------------------------------------------------------------------

# refused WORDS FLAG...
refused() {
    local words=$1
    shift
    run serve city.scm --check "$@"
    refuses 2 "${*: -2} is refused" "$words"
}
refused "set jwt-keys too" --jwt-issuer a
refused "set jwt-audience too" --jwt-keys set.json --jwt-issuer a
refused "set jwt-issuer too" --jwt-keys set.json --jwt-audience a
refused "plain HTTP to another machine" --jwt-issuer a --jwt-audience b --jwt-keys http://login.example/keys
run serve city.scm --check --jwt-keys nowhere.json --jwt-issuer a --jwt-audience b
refuses 1 "a set that is not there is told" "nowhere.json: cannot read"
run serve city.scm --check --jwt-refresh 60
check "what has no effect is told" says "$err" "warning: jwt-refresh has no effect"

finish
