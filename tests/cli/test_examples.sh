#!/usr/bin/env bash
# The examples: what an embedder reads first must build without a word, be short,
# use the interface alone, and do what it says. tests/install builds one against
# the installed library; here they are those of the test build, beside the program.
# shellcheck source-path=SCRIPTDIR disable=SC2317  # builds is called by its name
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

examples=$(dirname "$STARCLOAK")/examples

# example NAME ARG...: run one; leaves $status, $out and $err as `run` does.
example() {
    command_line="examples/$*"
    "$examples/$1" "${@:2}" >"$out" 2>"$err" </dev/null
    status=$?
}

builds() {
    local compiler
    for compiler in gcc clang; do
        "$compiler" -Wall -Wextra -Werror -I"$repository/include" -fsyntax-only "$1" 2>"$err" || return 1
    done
}

for source in "$repository"/examples/*.c; do
    name=$(basename "$source" .c)
    check "examples/$name.c compiles without a warning, by a compiler's own defaults" builds "$source"
    equal "examples/$name.c includes nothing of ours but starcloak.h" \
        "$(grep -hE '#include.*(starcloak|")' "$source")" "#include <starcloak.h>"
    check "examples/$name.c has well under a hundred lines" test "$(wc -l <"$source")" -lt 95
    check "examples/README.md tells of $name.c" says "$repository/examples/README.md" "$name.c"
    example "$name"
    succeeds "examples/$name runs without arguments"
    check "and has something to show" test -s "$out"
done

# --- cloak --------------------------------------------------------------------

# Lines of two kinds:  "0.6 s  3 travellers on 47 48 49 51 74"  and  "13.4 s  one expired".
cloak_line='^ *[0-9]+\.[0-9] s  [0-9]+ travellers on( [0-9]+)+$'
drop_line='^ *[0-9]+\.[0-9] s  one (expired|infeasible)$'

# broken FILE LAST: what of the output is wrong; segments go up to LAST.
broken() {
    grep -vE "$cloak_line|$drop_line" "$1"
    awk -v last="$2" '
        { moment = $1; if (moment < before) print "time runs backwards: " $0; before = moment }
        / on / {
            ended += $3
            if ($3 < 2) print "too few travellers: " $0
            if (NF - 5 < 5) print "too few segments: " $0
            if ($NF > last) print "no such segment: " $0
            for (i = 7; i <= NF; i++) if ($i <= $(i - 1)) print "not ascending: " $0
            cloaks++
        }
        / one / { ended++ }
        END {
            if (ended != 60) print ended " of 60 travellers came to an end"
            if (!cloaks) print "no cloak"
        }' "$1"
}

example cloak
equal "every traveller of the made-up city ends in one cloak, or is dropped" "$(broken "$out" 100000)" ""
cp "$out" first.txt
example cloak
check "and is hidden otherwise the next time" test -z "$(cmp -s first.txt "$out" && echo same)"

run map generate --nodes 400 --seed 3 -o town.scm
run map info --json town.scm
segments=$(number segments "$out")
check "a map of one's own has segments" test "${segments:-0}" -gt 0
example cloak town.scm
succeeds "examples/cloak takes a map of one's own"
equal "and hides its travellers on the roads of that" "$(broken "$out" $((segments - 1)))" ""

example cloak absent.scm
equal "examples/cloak without its map ends with 1" "$status" 1
check "says nothing on standard output" test ! -s "$out"
check "and says which file it cannot read" says "$err" "cloak: " "absent.scm"
finish
