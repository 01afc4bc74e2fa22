#!/usr/bin/env bash
# The TLS of a running service, seen from outside by sslscan and by openssl.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=service.sh
source "$here/service.sh"

me=$(id -un)
city city.scm
"$STARCLOAK" token key keys
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout tls.key -out tls.pem 2>/dev/null
start serve "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --user "$me" --token-keys keys --tls-certificate tls.pem \
    --tls-key tls.key --handshake-rate 0
serve=$started_id
address=$(address_of serve)

# --- Key agreement ---------------------------------------------------------------------------------

# agrees OPTION...: whether a handshake with these succeeds.
agrees() { openssl s_client -connect "$address" "$@" </dev/null >s_client.txt 2>&1 && grep -q '^New, TLS' s_client.txt; }
for group in X25519 P-256 P-384; do
    check "keys are agreed on over $group" agrees -groups "$group"
done
for group in P-521 X448 ffdhe2048 ffdhe3072 ffdhe4096 ffdhe6144 ffdhe8192; do
    agrees -groups "$group"
    check "and not over $group" test $? -ne 0
done
agrees -tls1_2 -cipher 'DHE:@SECLEVEL=0'
check "nor over primes in TLS 1.2" test $? -ne 0
agrees -tls1_2 -cipher 'RSA:@SECLEVEL=0'
check "nor without forward secrecy" test $? -ne 0

curl -sk -D headers.txt -o /dev/null "https://$address/healthz"
check "browsers are to use nothing else" grep -qi '^Strict-Transport-Security: max-age=31536000' headers.txt
curl -s -D headers.txt -o /dev/null "http://$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' serve.log)/healthz"
check "but for what has no TLS" test -z "$(grep -i '^Strict-Transport-Security' headers.txt)"

# --- Sessions --------------------------------------------------------------------------------------
# The ticket of TLS 1.3 comes after the handshake: with the reply to a request.

# handshake OPTION...: "New" or "Reused", and a reply.
handshake() {
    printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' |
        openssl s_client -connect "$address" -ign_eof "$@" >s_client.txt 2>&1
    grep -q '^HTTP/1.1 200' s_client.txt && sed -nE 's/^(New|Reused), TLS.*/\1/p' s_client.txt | head -1
}
for version in tls1_3 tls1_2; do
    equal "a first handshake by $version is whole" "$(handshake "-$version" -sess_out "session.$version")" New
    equal "the next resumes its session" "$(handshake "-$version" -sess_in "session.$version" -sess_out "session.$version")" Reused
    equal "and one after that" "$(handshake "-$version" -sess_in "session.$version")" Reused
done
kill -HUP "$serve"
check "certificates are read again" until_true grep -q 'event=reloaded' serve.log
for version in tls1_3 tls1_2; do
    equal "and sessions of before are forgotten: $version" "$(handshake "-$version" -sess_in "session.$version")" New
done

# --- All of it -------------------------------------------------------------------------------------

if command -v sslscan >/dev/null; then
    sslscan --no-colour --no-check-certificate --xml=scan.xml "$address" >scan.txt 2>&1
    check "sslscan finds nothing that should not be there" python3 - <<'PY'
import xml.etree.ElementTree as tree
test = tree.parse("scan.xml").getroot().find("ssltest")
enabled = {f"{p.get('type')}{p.get('version')}" for p in test.findall("protocol") if p.get("enabled") == "1"}
assert enabled == {"tls1.2", "tls1.3"}, enabled
groups = {g.get("name") for g in test.findall("group")}
assert groups <= {"x25519", "secp256r1 (NIST P-256)", "secp384r1 (NIST P-384)"} and len(groups) == 3, groups
ciphers = {c.get("cipher") for c in test.findall("cipher")}
assert ciphers, "no cipher"
for cipher in ciphers:
    assert "GCM" in cipher or "POLY1305" in cipher, cipher
    assert cipher.startswith(("TLS_", "ECDHE-")), cipher
assert all(c.get("strength") in ("strong", "acceptable") for c in test.findall("cipher"))
# Some builds of it cannot test for compression, and say nothing then.
assert all(c.get("supported") == "0" for c in test.findall("compression"))
assert all(r.get("supported") == "0" for r in test.findall("renegotiation"))
assert all(h.get("vulnerable") == "0" for h in test.findall("heartbleed"))
PY
else
    skip "sslscan finds nothing that should not be there" "sslscan is not installed"
fi
kill "$serve"
ended "$serve"

# --- Handshakes per address ------------------------------------------------------------------------

start few "$STARCLOAK" serve city.scm --listen 127.0.0.1:0 --admin 127.0.0.1:0 --user "$me" --token-keys keys --tls-certificate tls.pem \
    --tls-key tls.key --handshake-rate 0.01 --handshake-burst 3
few=$started_id
address=$(address_of few)
until_true grep -q 'event=admin_listening' few.log
admin=$(sed -nE 's/.*event=admin_listening.* address=([^ ]+).*/\1/p' few.log)
all=()
for _ in {1..5}; do all+=("$(curl -sk -o /dev/null -w '%{http_code}' "https://$address/healthz")"); done
equal "an address may begin so many handshakes" "${all[*]}" "200 200 200 000 000"
equal "others have their own" "$(curl -sk --interface 127.0.0.7 -o /dev/null -w '%{http_code}' "https://$address/healthz")" 200
check "and the metrics tell" until_true grep -qx 'starcloak_http_refused_handshakes_total 2' <(curl -s "http://$admin/metrics")
kill "$few"
ended "$few"
finish
