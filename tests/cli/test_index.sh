#!/usr/bin/env bash
# The nearest index of a map: stored, shown, checked, limited, taken out again. What
# it says is compared with plain searches by the unit tests.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 1k -o city.scm --quiet
cp city.scm plain.scm
"$STARCLOAK" map info plain.scm --json >plain.json
checksum() { grep -m1 '"checksum"' "$1"; }
# A report on one line, for `number`.
report() { run map index "$@" --json && cp "$out" report.json; }
counts() { for key in "$@"; do number "$key" report.json; done | tr '\n' ' '; }
stars=$(number stars plain.json)
objects=$(number objects plain.json)

run map index city.scm
succeeds "a city is indexed"
check "the report tells what was kept and what it took" says "$out" \
    "city.scm: the 8 nearest objects of every star" objects stars lists bytes "per object" "per star" "CPU time"
check "the report keeps to 80 columns" test -z "$(grep -E '.{81}' "$out")"
equal "nothing but the maps is left behind" "$(left_behind .)" "./city.scm ./plain.json ./plain.scm "
run map check city.scm
succeeds "an indexed map is sound"
check "and its index was looked at" says "$out" "the nearest index is right"
run map check plain.scm
check "of a map without one, nothing is said about it" silent_about "$out" "index"
run map info city.scm --json
cp "$out" indexed.json
equal "the checksum is that of the map without an index" "$(checksum indexed.json)" "$(checksum plain.json)"
equal "map info --json tells how long the lists are" "$(number k indexed.json)" 8
check "and how large its tables are" says indexed.json '"nearest lists"' '"nearest objects"'
run map info city.scm
check "map info shows the index to people" says "$out" "nearest index" "lists of 8 per star" "nearest objects"
run map info plain.scm
check "map info of a map without one does not" silent_about "$out" "lists of"

before=$(sha256sum plain.scm)
report plain.scm -o k3.scm -k 3
succeeds "an index of three goes to another file"
equal "and what was read stays as it was" "$(sha256sum plain.scm)" "$before"
equal "the report has its numbers" "$(counts objects stars k left_out)" "$objects $stars 3 0 "
equal "every category and all together have a list in each metric" "$(number lists report.json)" \
    "$((2 * ($(number categories report.json) + 1)))"
run map check k3.scm
succeeds "that one is sound, too"
report plain.scm -o one.scm --threads 1
report plain.scm -o many.scm --threads 7
check "threads make no difference" cmp one.scm many.scm
report city.scm -o again.scm
check "an index made again is the same" cmp city.scm again.scm

# Two metrics, with twelve bytes for each of eight objects.
list=$((2 * (16 + stars * 8 * 12)))
report city.scm -o small.scm --limit "$list"
succeeds "room for one list in each metric is enough"
equal "and it is that of all categories" "$(counts lists index_bytes)" "2 $list "
check "how many were left out is told" test "$(number left_out report.json)" -gt 10
run map index city.scm -o small.scm --limit "$((2 * list))"
check "people are told, and what to do" says "$out" "left out" "--limit"
before=$(sha256sum small.scm)
run map index small.scm --limit "$((list - 1))"
refuses 1 "without room for one list in each metric there is none" "small.scm" "no list fits" "--limit" "-k"
equal "and the file is as it was" "$(sha256sum small.scm)" "$before"

run map index city.scm --remove
succeeds "an index can be taken out"
check "what is left is the map without one, byte for byte" cmp city.scm plain.scm
run map index city.scm --quiet
succeeds "an index can be made quietly"
check "and then nothing is said" test ! -s "$out"
"$STARCLOAK" map index plain.scm -o - >piped.scm 2>"$err"
check "a map on standard output is the map" cmp piped.scm city.scm
check "and the report does not spoil it" says "$err" "lists"

"$STARCLOAK" map import "$data"/town.cnode "$data"/town.cedge -o bare.scm --quiet
run map index bare.scm
refuses 1 "a map without objects cannot be indexed" "bare.scm" "no objects" "--objects"
run map index bare.scm --remove
succeeds "but there is nothing wrong with having no index"
run map index absent.scm
refuses 1 "a missing map is refused" "absent.scm"
for bad in "-k 0" "-k 65" "-k x" "--limit 0" "--limit lots" "--threads 0" "--remove -k 3"; do
    # shellcheck disable=SC2086  # words are meant to part
    run map index city.scm $bad
    refuses 2 "'$bad' is refused" "starcloak map index:"
done
run map index city.scm -o no/such/folder/m.scm
refuses 1 "an index that cannot be written is told" "no/such/folder"

# Any byte of the index that is changed is noticed when the map is opened.
size=$(stat -c %s city.scm)
plain=$(stat -c %s plain.scm)
for place in $((plain + 3)) $((plain + 700)) $((size / 2 + plain / 2)) $((size - 1)); do
    cp city.scm flipped.scm
    byte=$(od -An -tu1 -j "$place" -N 1 flipped.scm | tr -d ' ')
    # shellcheck disable=SC2059  # the format is the byte
    printf "\\x$(printf %02x $((byte ^ 1)))" | dd of=flipped.scm bs=1 seek="$place" conv=notrunc status=none
    run map info flipped.scm
    refuses 1 "an index with byte $place changed is refused" "flipped.scm" "nearest" "checksum"
done

finish
