#!/usr/bin/env bash
# A .scm file that is cut, changed in one byte, or no map at all is refused on
# opening: exit status 1 and a message with its name, whatever the command.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

"$STARCLOAK" map generate --nodes 1k -o good.scm --quiet
size=$(stat -c %s good.scm)
run map check good.scm
succeeds "the map is sound to begin with"

# refused FILE SENTENCE: by the command that reads most of it.
refused() {
    run map info "$1"
    refuses 1 "$2" "starcloak map info: $1"
}

for cut in 0 1 7 8 9 64 823 824 825 1024 $((size / 4)) $((size / 2)) $((size - 64)) $((size - 1)); do
    head -c "$cut" good.scm >cut.scm
    refused cut.scm "a map cut to $cut bytes is refused"
done
cp good.scm long.scm && printf x >>long.scm
refused long.scm "a map with one byte more is refused"
cp good.scm long.scm && head -c 4096 /dev/zero >>long.scm
refused long.scm "a map with zeros behind it is refused"

# flip FILE PLACE: invert the lowest bit of one byte.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059  # the format is the byte
    printf "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# The header densely (its fields are 4 and 8 bytes), the tables in even steps.
places="$(seq 0 24 823) $(seq 824 $(((size - 824) / 24)) $((size - 1))) $((size - 1))"
for place in $places; do
    cp good.scm flipped.scm
    flip flipped.scm "$place"
    refused flipped.scm "a map with byte $place changed is refused"
done

: >empty.scm
refused empty.scm "an empty file is refused"
echo "This is no map." >text.scm
refused text.scm "a text is refused"
cp /bin/ls elf.scm
refused elf.scm "a program is refused"
head -c 100000 /dev/zero >zeros.scm
refused zeros.scm "a file of zeros is refused"
xz -c good.scm >packed.scm
refused packed.scm "a compressed map is refused"
mkdir folder.scm
refused folder.scm "a directory is refused"
refused absent.scm "a missing file is refused"
refused /dev/null "a device is refused"

cp good.scm flipped.scm
flip flipped.scm $((size / 2))
for command in "check flipped.scm" "snap flipped.scm --lon 0 --lat 0" "export flipped.scm csv"; do
    # shellcheck disable=SC2086  # words are meant to part
    run map $command
    refuses 1 "'map $command' refuses a damaged map" "flipped.scm"
done
check "an export of a damaged map writes nothing" test ! -e csv

finish
