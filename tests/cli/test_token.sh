#!/usr/bin/env bash
# Tokens: keys that only their owner may read, tokens that name a user, and the list of those that are
# no longer good.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# feed TEXT ARG...: run the program with TEXT on standard input.
feed() {
    command_line="starcloak ${*:2} <<< ..."
    printf '%b' "$1" | "$STARCLOAK" "${@:2}" >"$out" 2>"$err"
    status=$?
}

# --- Keys -------------------------------------------------------------------------

umask 022
run token key token.key
succeeds "a key is made"
check "without a word" test ! -s "$out"
equal "for its owner alone" "$(stat -c %a token.key)" 600
equal "it is 64 hexadecimal digits" "$(grep -cE '^[0-9a-f]{64}$' token.key)" 1
cp token.key before
run token key token.key
refuses 1 "a key is never replaced" "token.key: the file exists already"
check "and indeed it is the same" cmp -s token.key before
run token key nowhere/token.key
refuses 1 "a directory that is not there is told" "nowhere/token.key" "directory does not exist"
run token key other.key
check "no two keys are alike" test "$(tail -n 1 token.key)" != "$(tail -n 1 other.key)"

# --- Issuing ----------------------------------------------------------------------

run token issue --key token.key --user ann
succeeds "a token is issued"
equal "it is one line" "$(grep -cE '^sct1_[A-Za-z0-9_-]+$' "$out") $(wc -l <"$out")" "1 1"
cp "$out" ann.token
ann=$(cat ann.token)
run token issue --key token.key --user ann
check "no two tokens are alike" test "$(cat "$out")" != "$ann"
run token issue --key token.key --user ann --hours 2 --json
succeeds "as JSON"
check "with its serial and its end" grep -qE \
    '^\{"token":"sct1_[A-Za-z0-9_-]+","serial":"[0-9a-f]{16}","expires":"20[0-9-]+T[0-9:]+Z"\}$' "$out"
left=$(($(date -d "$(grep -oE '20[0-9-]+T[0-9:]+Z' "$out")" +%s) - $(date +%s)))
check "two hours ahead" test "$left" -gt 7100 -a "$left" -le 7200

run token issue --key nowhere.key --user ann
refuses 1 "a key that is not there is told" "nowhere.key: cannot read"
run token issue --key token.key --user $'a\nb'
refuses 1 "a user that cannot be is refused" "the name of a user must be 1 to 64 bytes of UTF-8"
check "and not repeated" silent_about "$err" '\x0a'
run token issue --key token.key --user ""
refuses 2 "so is an empty name" "--user: the name of the user is empty"
run token issue --key token.key --user "$(printf '%065d' 0)"
refuses 1 "so is a name that is too long" "the name of a user must be 1 to 64 bytes"
cp token.key open.key
chmod 644 open.key
run token issue --key open.key --user ann
refuses 1 "a key that others may read is refused" "open.key" "mode 0644" "chmod 600"
echo "deadbeef" >short.key
chmod 600 short.key
run token issue --key short.key --user ann
refuses 1 "what is no key is told by its line" "short.key:1: this is not a key"
check "and not repeated" silent_about "$err" deadbeef

# --- Showing ----------------------------------------------------------------------

run token show "$ann"
succeeds "a token is shown"
check "whose it is" grep -qE '^user +ann$' "$out"
check "and until when" grep -qE '^expires +20[0-9-]+ [0-9:]+ UTC \(in (29|30) days\)$' "$out"
check "that nothing was checked is said" says "$out" "not checked (no --key given)" "not checked (no --revoked given)"
feed "\n  $ann \r\n" token show - --key token.key
succeeds "it may come from standard input"
check "and be checked" grep -qE '^signature +good$' "$out"
feed "$ann" token show - --key other.key
equal "a token of another key is not good" "$status" 1
check "which is said" grep -qE '^signature +not made with one of these keys$' "$out"
cat other.key token.key >both.key
chmod 600 both.key
feed "$ann" token show - --key both.key
succeeds "of several keys each will do"
run token show "${ann%?}"
refuses 1 "a token that was cut is none" "this is not a token; a token begins with sct1_ and is one line"
check "and is not repeated" silent_about "$err" "${ann:0:20}"
feed "" token show -
refuses 1 "no token is told" "there is no token on standard input"
feed "$ann\n$ann\n" token show -
refuses 1 "so are several" "there are several tokens"
run token issue --key token.key --user $'J\xc3\xbcrgen \xe2\x98\xba'
run token show "$(cat "$out")"
check "a user may be of any letters" says "$out" $'J\xc3\xbcrgen \xe2\x98\xba'

# An old one: issued in 1970, expired in 1970. The tag is by the key that has 64 zeros.
printf '%064d\n' 0 >zero.key
chmod 600 zero.key
old=sct1_AQAAAAAAAAACAAAAAAAAAAMAAAAAAAAAYW5ufvIOIQgvOgLOulMK2fY6cQ
run token show $old --key zero.key
equal "an expired token is not good" "$status" 1
check "which is said" grep -qE '^expires +1970-01-01 00:00:02 UTC \(expired for [0-9]+ days\)$' "$out"
check "its signature is good all the same" grep -qE '^signature +good$' "$out"

# --- Revoking ---------------------------------------------------------------------

"$STARCLOAK" token issue --key token.key --user ann >ann-2.token
"$STARCLOAK" token issue --key token.key --user bob >bob.token
run token revoke --key token.key --revoked revoked.txt "$ann"
succeeds "a token is revoked"
check "and it is said what is left to do" says "$out" "1 token is revoked in revoked.txt" SIGHUP
feed "$ann" token show - --key token.key --revoked revoked.txt
equal "it is not good from then on" "$status $(grep -oE '^revoked +yes$' "$out" | tr -s ' ')" "1 revoked yes"
feed "$(cat ann-2.token)" token show - --key token.key --revoked revoked.txt
succeeds "another one of the same user is"
feed "$(cat ann-2.token)\n$(cat bob.token)\n" token revoke --key token.key --revoked revoked.txt -
succeeds "several are revoked at once"
check "from standard input" says "$out" "2 tokens are revoked"
equal "each has its line" "$(grep -cE '^serial [0-9a-f]{16} until [0-9]+$' revoked.txt)" 3
check "which names no user" silent_about revoked.txt ann bob
run token revoke --key token.key --revoked revoked.txt "$ann"
equal "twice is once" "$(grep -c '^serial' revoked.txt)" 3

cp revoked.txt before
run token revoke --key token.key --revoked revoked.txt "$ann" "${ann}x" "$ann"
refuses 1 "if one is no token, nothing is revoked" "token 2 of 3 is not a token" "nothing was revoked"
run token revoke --key other.key --revoked revoked.txt "$ann"
refuses 1 "so it is if one is of another key" "token 1 of 1 was signed by another key"
check "and indeed the list is the same" cmp -s revoked.txt before
run token revoke --key zero.key --revoked old.txt $old
succeeds "an expired one need not be listed"
check "which is said" says "$out" "1 had expired"
check "and indeed is not" test -z "$(grep '^serial' old.txt)"

"$STARCLOAK" token issue --key token.key --user carl >carl.token
run token revoke --key token.key --revoked revoked.txt --user carl
succeeds "all tokens of a user are revoked"
check "which is said" says "$out" "All tokens of this user" SIGHUP
check "without naming it" silent_about "$out" carl
equal "in one line" "$(grep -cE '^user [0-9a-f]{32} before [0-9]+$' revoked.txt)" 1
feed "$(cat carl.token)" token show - --key token.key --revoked revoked.txt
equal "they are not good from then on" "$status" 1
cat "$data"/town.cnode >notes.txt
run token revoke --key token.key --revoked notes.txt --user carl
refuses 1 "a file that is no such list is left alone" "notes.txt:1: a line of a list of revoked tokens must begin with"
check "and indeed is" cmp -s notes.txt "$data"/town.cnode
feed "" token revoke --key token.key --revoked revoked.txt -
refuses 1 "nothing on standard input is told" "there is no token on standard input"

# --- Usage ------------------------------------------------------------------------

# misuse SENTENCE TEXT ARG...: running with ARG... is refused with TEXT.
misuse() {
    run "${@:3}"
    refuses 2 "$1" "Try" "--help" "$2"
}
misuse "the group alone is refused" "key, issue, show, revoke" token
misuse "a key needs a file" "no file given" token key
misuse "one file" "unexpected argument 'b'" token key a b
misuse "which is not standard output" "name a file" token key -
misuse "a token needs a key" "no key given; add --key" token issue --user ann
misuse "and a user" "no user given; add --user" token issue --key token.key
misuse "days and hours are too much" "either --days or --hours" token issue --key k --user u --days 1 --hours 1
misuse "no days are refused" "--days: '0' is not in the range 1 to 3,650" token issue --key k --user u --days 0
misuse "half hours are refused" "--hours: '0.5' is not a whole number" token issue --key k --user u --hours 0.5
misuse "a name without --user is refused" "--user" token issue --key k ann
misuse "show needs a token" "no token given" token show
misuse "one token" "more than one token given; show one at a time" token show a b
misuse "the list needs the key" "--revoked needs --key" token show a --revoked r
misuse "revoke needs a key" "no key given" token revoke --revoked r x
misuse "and a list" "no list given" token revoke --key k x
misuse "and something to revoke" "nothing to revoke" token revoke --key k --revoked r
misuse "tokens and a user are too much" "either that or tokens" token revoke --key k --revoked r --user u x
misuse "an empty name of a file is refused" "--key: the name of the file is empty" token issue --key "" --user u

finish
