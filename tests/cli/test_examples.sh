#!/usr/bin/env bash
# The examples: what an embedder reads first must build without a word, be short,
# use the interface alone, and do what it says. tests/install builds one against
# the installed library; here they are those of the test build, beside the program.
# shellcheck source-path=SCRIPTDIR disable=SC2317  # builds is called by its name
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

examples=$(dirname "$STARCLOAK")/examples

# example NAME ARG...: run one with $input; leaves $status, $out and $err as `run` does.
input=/dev/null
example() {
    command_line="examples/$*"
    "$examples/$1" "${@:2}" >"$out" 2>"$err" <"$input"
    status=$?
}

# The town that examples/positions.csv is about.
run map generate --nodes 500 --seed 7 -o positions.scm

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
    if [ "$name" = anonymize ]; then
        input=$repository/examples/positions.csv example "$name" positions.scm
        succeeds "examples/$name runs with a map and positions"
    else
        example "$name"
        succeeds "examples/$name runs without arguments"
    fi
    check "and has something to show" test -s "$out"
done

# --- anonymize ------------------------------------------------------------------

# Lines of two kinds:  "lines 4 1 3 5 2: segments 7 8 9 12 30"  and  "line 6: expired".
# wrong FILE COUNT: what of the output is wrong, for COUNT lines of input on the town's roads.
wrong() {
    grep -vE '^lines( [0-9]+){5,}: segments( [0-9]+){5,}$|^line [0-9]+: (expired|infeasible)$' "$1"
    awk -v count="$2" '
        { sub(/:/, " :") }
        /^lines / {
            for (i = 2; $i != ":"; i++) ends[$i]++
            for (i += 3; i <= NF; i++) {
                if ($i <= $(i - 1)) print "not ascending: " $0
                if ($i >= 275) print "no such segment: " $0
            }
            cloaks++
        }
        /^line / { ends[$2]++ }
        END {
            for (i = 1; i <= count; i++) if (ends[i] != 1) print "line " i " ends " ends[i] + 0 " times"
            if (!cloaks) print "no cloak"
        }' "$1"
}

blank_or_comment='^[[:space:]]*(/?\*.*)?$'
check "examples/anonymize.c is less than 40 lines of code" \
    test "$(grep -cvE "$blank_or_comment" "$repository/examples/anonymize.c")" -lt 40
input=$repository/examples/positions.csv
example anonymize positions.scm
equal "every line ends in one cloak, or is dropped" "$(wrong "$out" "$(wc -l <"$input")")" ""
equal "and nothing is complained of" "$(cat "$err")" ""
cp "$out" first.txt
example anonymize positions.scm
check "and is hidden otherwise the next time" test -z "$(cmp -s first.txt "$out" && echo same)"
printf 'ann,0,0\nbob,-30,45\n' >astray.csv
input=astray.csv example anonymize positions.scm
equal "examples/anonymize goes on after a position off the roads" "$status" 0
check "says which line it was" says "$err" "line 1: " "road"
check "without the user" test -z "$(grep ann "$err")"
equal "and tells what became of the other" "$(cat "$out")" "line 2: expired"
input=/dev/null
example anonymize
equal "examples/anonymize without a map ends with 1" "$status" 1
check "and says how to call it" says "$err" "usage: anonymize"
example anonymize absent.scm
equal "examples/anonymize without its map ends with 1" "$status" 1
check "and says which file it cannot read" says "$err" "absent.scm"

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
