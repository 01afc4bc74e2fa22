#!/usr/bin/env bash
# The progress bar: on a terminal, for work that takes a while, and nowhere else.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

run map generate --nodes 100k -o city.scm
succeeds "there is no bar where standard error is a file"

if ! command -v script >/dev/null || ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    for what in "there is a bar on a terminal" "the bar is plain ASCII" "the bar is gone in the end" \
        "the bar is drawn at most ten times a second" "there is no bar when quiet is asked for" \
        "there is no bar when only standard output is a terminal" "a map is not written to a terminal" \
        "a failure starts on a clean line"; do
        skip "$what" "no 'script' to make a terminal with"
    done
    finish
fi

# on_terminal COMMAND: its output, with what it draws, goes to the file "screen".
on_terminal() {
    command_line=$1
    script -qec "stty cols 80; $1" /dev/null >screen 2>&1 </dev/null
    status=$?
}

# A machine may be fast: take a larger city until there is something to see.
for nodes in 100k 400k 1600k; do
    start=$(date +%s%N)
    on_terminal "'$STARCLOAK' map generate --nodes $nodes -o city.scm"
    tenths=$((($(date +%s%N) - start) / 100000000))
    grep -q '%' screen && break
done
check "there is a bar on a terminal" grep -qE '\[[#-]+\] +[0-9]+%' screen
check "the bar is plain ASCII" test "$(LC_ALL=C grep -c $'[\x1b\x80-\xff]' screen)" = 0
check "the bar keeps to the width of the terminal" \
    test -z "$(tr '\r' '\n' <screen | grep -E '^.*%.{0,40}' | grep -E '.{80}')"
drawn=$(tr '\r' '\n' <screen | grep -c '%')
check "the bar is drawn at most ten times a second" test "$drawn" -le $((tenths + 1))
# The last thing on the bar's line is blanks and a return, then comes the report.
check "the bar is gone in the end" grep -qE $'\r +\r[^\r]*city\\.scm' screen

on_terminal "'$STARCLOAK' map generate --nodes $nodes -o city.scm --quiet"
check "there is no bar when quiet is asked for" test ! -s screen
on_terminal "'$STARCLOAK' map generate --nodes $nodes -o city.scm 2>errors"
check "there is no bar when only standard output is a terminal" test ! -s errors
check "and none on standard output" test -z "$(grep '%' screen)"
on_terminal "'$STARCLOAK' map generate --nodes 1k -o -"
check "a map is not written to a terminal" test "$status" = 2
on_terminal "'$STARCLOAK' map generate --nodes $nodes -o nowhere/city.scm"
check "a failure starts on a clean line" grep -qE $'(^|\r)starcloak map generate: ' screen

finish
