# shellcheck shell=bash
# What the scripts in this folder share: a place to work in, and checks that
# speak TAP. A script sources this file, makes its checks, and ends with `finish`.
#
# STARCLOAK names the program (default: build/starcloak of this repository).
# STARCLOAK_DATA names the folder of real maps (default: ../shared/data).
#
# Each check is one sentence that the program keeps or breaks; a broken one shows
# what was run and what came back.

set -u
export LC_ALL=C
unset COLUMNS NO_COLOR

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
: "${STARCLOAK:=$repository/build/starcloak}"
: "${STARCLOAK_DATA:=$repository/../shared/data}"
STARCLOAK=$(realpath -m "$STARCLOAK")
# shellcheck disable=SC2034  # for those who source this
data=$repository/tests/data/cli
# A sanitizer must not take its report for one of the program's own exit statuses.
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS:-}"

work=$(mktemp -d "${TMPDIR:-/tmp}/starcloak-cli.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT

tap_count=0
tap_failed=0
# What a run printed is kept apart from the folder it ran in, so that all that is
# found there was left behind by the program.
out=$work/out err=$work/err status=0
mkdir "$work/here" && cd "$work/here" || exit 1

# run ARG...: run the program; leaves $status, and files $out and $err.
run() {
    command_line="starcloak $*"
    "$STARCLOAK" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

pass() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

# fail SENTENCE [EXPLANATION]: with what was run, for readers of the log.
fail() {
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $1"
    {
        echo "${2:-}"
        echo "ran: ${command_line:-} -> exit $status"
        echo "stdout:" && head -c 2000 "$out" 2>/dev/null
        echo "stderr:" && head -c 4000 "$err" 2>/dev/null
    } | sed 's/^/# /'
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# check SENTENCE COMMAND...: the sentence holds if the command succeeds.
check() {
    local sentence=$1
    shift
    if "$@"; then pass "$sentence"; else fail "$sentence" "not true: $*"; fi
}

# equal SENTENCE GOT WANTED
equal() {
    if [[ $2 == "$3" ]]; then pass "$1"; else fail "$1" "got '$2', wanted '$3'"; fi
}

# true_of FILE FILTER: whether jq finds the filter true of the JSON in the file; for `check`.
true_of() { jq -e "$2" "$1" >/dev/null; }

# says FILE TEXT...: whether the file holds each text.
says() {
    local file=$1 text
    shift
    for text; do grep -qF -e "$text" "$file" || return 1; done
}

# silent_about FILE TEXT...: it holds none of them.
silent_about() {
    local file=$1 text
    shift
    for text; do ! grep -qF -e "$text" "$file" || return 1; done
}

# refuses STATUS SENTENCE TEXT...: the last run ended so, said every TEXT on standard
# error (and after the command's name), and nothing on standard output.
refuses() {
    local wanted=$1 sentence=$2
    shift 2
    if [[ $status != "$wanted" ]]; then
        fail "$sentence" "wanted exit $wanted"
    elif [[ -s $out ]]; then
        fail "$sentence" "standard output should be empty"
    elif ! grep -q '^starcloak' "$err"; then
        fail "$sentence" "the message should begin with the command's name"
    elif ! says "$err" "$@"; then
        fail "$sentence" "the message should say: $*"
    else
        pass "$sentence"
    fi
}

# succeeds SENTENCE: the last run ended with 0 and was silent on standard error.
succeeds() {
    if [[ $status != 0 ]]; then
        fail "$1" "wanted exit 0"
    elif [[ -s $err ]]; then
        fail "$1" "standard error should be empty"
    else
        pass "$1"
    fi
}

# left_behind DIRECTORY: what is in it, hidden names too, in one line.
left_behind() {
    (cd "$1" && find . -mindepth 1 | sort | tr '\n' ' ')
}

# number KEY FILE: the number of that key in a file of JSON; the first one wins.
number() {
    grep -oE "\"$1\": *-?[0-9.]+([eE][-+]?[0-9]+)?" "$2" | head -n 1 | grep -oE '[-0-9.eE+]+$'
}

finish() {
    echo "1..$tap_count"
    [[ $tap_failed == 0 ]]
    exit
}
