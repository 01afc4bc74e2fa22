#!/usr/bin/env bash
# What fails must fail well: exit status 1, a message that names the file, nothing
# left behind, and an older output untouched to the byte.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

cp "$data"/* .
"$STARCLOAK" map generate --nodes 2k -o good.scm --quiet || echo "# no map to work with"
mkdir place
echo "an older file, not even a map" >place/old.scm
cp place/old.scm older
clean="./old.scm "

# untouched SENTENCE: the older output is as it was, and alone.
untouched() {
    if ! cmp -s older place/old.scm; then
        fail "$1" "the older file was changed"
        cp older place/old.scm  # so that the next check stands for itself
    elif [[ $(left_behind place) != "$clean" ]]; then
        fail "$1" "left behind: $(left_behind place)"
    else
        pass "$1"
    fi
}

# import_fails WHAT TEXT... -- ARG...: the import fails, says TEXT, and leaves nothing.
import_fails() {
    local what=$1 texts=()
    shift
    while [[ $1 != -- ]]; do
        texts+=("$1")
        shift
    done
    shift
    run map import "$@" -o place/old.scm
    refuses 1 "importing $what fails" "${texts[@]}"
    untouched "importing $what leaves the older file alone"
}

# --- Inputs -------------------------------------------------------------------

for name in absent.cnode absent.gr absent.osm absent.osm.pbf absent.shp absent.svg; do
    import_fails "a missing $name" "starcloak map import: $name" "No such file" -- "$name"
done
mkdir folder.cnode folder.gr folder.osm folder.shp folder.svg
for name in folder.cnode folder.gr folder.osm folder.shp folder.svg; do
    import_fails "a directory $name" "$name" "irectory" -- "$name"
done
for name in empty.cedge empty.gr empty.osm empty.osm.pbf empty.shp empty.svg empty.osm.xz; do
    : >"$name"
    import_fails "an empty $name" "$name" -- "$name"
done
for name in foreign.cedge foreign.gr foreign.osm foreign.osm.pbf foreign.shp foreign.svg; do
    head -c 5000 /bin/ls >"$name"
    import_fails "a program called $name" "$name" -- "$name"
    echo "Dear reader, this is not a map." >"$name"
    import_fails "a letter called $name" "$name" -- "$name"
done
check "a failure says that the format was guessed" says "$err" "--format"

{ head -n 11 town.cedge && printf '11 10'; } >cut.cedge
import_fails "edges cut in the middle of a line" "cut.cedge:" -- town.cnode cut.cedge
head -c 150 town.cnode >cut.cnode
import_fails "nodes cut in the middle" "cut.cnode" -- cut.cnode town.cedge
head -c 700 hamlet.osm >cut.osm
import_fails "XML cut in the middle" "cut.osm" -- cut.osm
head -c 300 yard.svg >cut.svg
import_fails "a drawing cut in the middle" "cut.svg" -- cut.svg
head -n 8 square.gr >cut.gr
import_fails "arcs that are fewer than promised" "cut.gr" -- cut.gr square.co
xz -c town.cnode | head -c 100 >cut.cnode.xz
import_fails "a cut xz file" "cut.cnode.xz" -- cut.cnode.xz town.cedge
gzip -c town.cedge | head -c 60 >cut.cedge.gz
import_fails "a cut gzip file" "cut.cedge.gz" -- town.cnode cut.cedge.gz

sed '3s/ 49[^ ]*$/ north/' town.cnode >bad.cnode
import_fails "a word where a latitude belongs" "bad.cnode:3:" "north" -- bad.cnode town.cedge
sed '3s/ 49[^ ]*$/ 149.4/' town.cnode >bad.cnode
import_fails "a latitude off the globe" "bad.cnode:3:" "149.4" -- bad.cnode town.cedge --coords geographic
sed '3s/ 49[^ ]*$/ nan/' town.cnode >bad.cnode
import_fails "a latitude that is not a number" "bad.cnode:3:" "nan" -- bad.cnode town.cedge
sed '2s/[^ ]*$/-1/' town.cedge >bad.cedge
import_fails "a negative length" "bad.cedge:2:" "-1" -- town.cnode bad.cedge
sed '2s/^1 0 1/1 0 77/' town.cedge >bad.cedge
import_fails "an edge to no node" "bad.cedge:2:" "77" -- town.cnode bad.cedge
sed 's/ref="5000000003"/ref="5000000009"/' hamlet.osm >bad.osm
import_fails "a way to a node that is not there" "bad.osm" "5000000009" -- bad.osm
run map import bad.osm --skip-missing-nodes -o passed.scm
succeeds "--skip-missing-nodes passes over it"
check "and tells of it" says "$out" "nodes not in the files"
import_fails "with missing objects" "absent.csv" "No such file" -- town.cnode town.cedge --objects absent.csv
echo "8.68,49.41" >short.csv
import_fails "objects without a category" "short.csv:1:" -- town.cnode town.cedge --objects short.csv
import_fails "with missing category names" "absent.csv" -- \
    town.cnode town.cedge townmap.txt --category-names absent.csv
import_fails "with an empty word among the ways" "ways" -- hamlet.osm --ways ,

# --- Strange names ------------------------------------------------------------

# Bytes of line breaks, escapes, U+009B, Latin-1; and a good "u" with dots.
strange=$'a\nb\e[1m\xc2\x9bc\xe9-\xc3\xbc'
shown='a\x0ab\x1b[1m\xc2\x9bc\xe9-'$'\xc3\xbc'
import_fails "a file with a strange name" "starcloak map import: $shown.cedge: " -- "$strange.cedge" --format cnode
equal "which is told in one line" "$(wc -l <"$err")" 1
run map info "$strange.scm"
refuses 1 "a missing map with a strange name is told" "$shown.scm"
equal "in one line, too" "$(wc -l <"$err")" 1
run map generate --nodes 1k -o "$strange.scm"
succeeds "a strange name is good enough for an output"
equal "whose name is one line of the report" "$(head -n 1 "$out")" "$shown.scm: a city, seed 1"
run map check "$strange.scm"
equal "and of a check" "$(grep -c '' "$out") $(cut -d' ' -f1 "$out")" "1 $shown.scm:"
run map export "$strange.scm" "$strange"
equal "and of an export" "$(grep -c '' "$out") $(cut -d' ' -f1 "$out")" "1 $shown:"
run map import town.cnode town.cedge -o "$strange.scm"
equal "and of an import" "$(head -n 1 "$out" | cut -d' ' -f1)" "$shown.scm:"

printf 'lon,lat,category\n8.681,49.41,\302\233\303\274\342\202\254\n' >strange.csv
run map import town.cnode town.cedge --objects strange.csv -o strange.scm
succeeds "a category may have a control character in its name"
run map info strange.scm
check "which does not reach the terminal, while its neighbours do" \
    says "$out" '\xc2\x9b'$'\xc3\xbc\xe2\x82\xac'
equal "and takes its columns" "$(grep -F 'x9b' "$out" | grep -oE ' +1 ')" "$(printf '%*s ' 28 1)"

# --- Permissions --------------------------------------------------------------

# as_other ARG...: run the program as a user whom permissions bind.
as_other() {
    if [[ $EUID != 0 ]]; then
        run "$@"
    else
        command_line="starcloak $*"
        setpriv --reuid=65534 --regid=65534 --clear-groups "$STARCLOAK" "$@" >"$out" 2>"$err" </dev/null
        status=$?
    fi
}
chmod 755 "$work" .
as_other --version
if [[ $status == 0 ]]; then
    cp town.cnode secret.cnode
    chmod 000 secret.cnode
    as_other map import secret.cnode town.cedge -o place/new.scm
    refuses 1 "an input without permission fails" "secret.cnode" "ermission"
    cp good.scm secret.scm
    chmod 000 secret.scm
    as_other map info secret.scm
    refuses 1 "a map without permission fails" "secret.scm" "ermission"
    chmod 600 secret.cnode secret.scm
    chmod 555 place
    as_other map import town.cnode town.cedge -o place/old.scm
    refuses 1 "an output into a read-only directory fails" "place/old.scm" "ermission"
    untouched "a read-only directory stays as it was"
    as_other map generate --nodes 1k -o place/old.scm
    refuses 1 "a city into a read-only directory fails" "place/old.scm"
    as_other map export good.scm place/csv
    refuses 1 "an export into a read-only directory fails" "place/csv"
    chmod 755 place
    untouched "a read-only directory still stays as it was"
else
    for what in "an input without permission fails" "a map without permission fails" \
        "an output into a read-only directory fails" "an export into a read-only directory fails"; do
        skip "$what" "the program cannot be run as another user here"
    done
fi

# --- Outputs ------------------------------------------------------------------

mkdir place/folder
run map import town.cnode town.cedge -o place/folder
refuses 1 "an output onto a directory fails" "place/folder" "irectory"
run map import town.cnode town.cedge -o place/folder/
refuses 1 "an output named like a directory fails" "place/folder/"
equal "the directory stays empty" "$(left_behind place/folder)" ""
rmdir place/folder
run map import town.cnode town.cedge -o nowhere/new.scm
refuses 1 "an output into a missing directory fails" "nowhere/new.scm" "No such file"
run map import town.cnode town.cedge -o place/old.scm/new.scm
refuses 1 "an output below a file fails" "place/old.scm/new.scm"
run map export good.scm place/old.scm
refuses 1 "an export into a file fails" "place/old.scm"
untouched "no bad output touches an older file"

# A limit on file sizes is a small disk that everyone has.
(ulimit -f 8 && "$STARCLOAK" map generate --nodes 2k -o place/old.scm >"$out" 2>"$err")
status=$? command_line="ulimit -f 8; starcloak map generate --nodes 2k -o place/old.scm"
refuses 1 "a limit on file sizes is an error like others" "place/old.scm" "File too large"
untouched "a limit on file sizes leaves the older file alone"
(ulimit -f 8 && "$STARCLOAK" map export good.scm csv >"$out" 2>"$err")
status=$? command_line="ulimit -f 8; starcloak map export good.scm csv"
refuses 1 "an export meets that limit, too" "csv/" "File too large"
equal "an export that fails leaves no file" "$(find csv -type f 2>/dev/null)" ""

# A disk of 64 KB, in a world of its own. Prints what is on it in the end.
cat >small-disk.sh <<'END'
mount -t tmpfs -o size=64k tmpfs disk || exit 77
cp older disk/old.scm
"$STARCLOAK" "$@" >disk.out 2>disk.err
echo $? >disk.status
(cd disk && find . -type f -exec cksum {} + | sort -k3) >disk.files
END
mkdir disk
on_small_disk() {
    command_line="on a full disk: starcloak $*"
    if [[ $EUID == 0 ]]; then
        STARCLOAK=$STARCLOAK unshare -m bash small-disk.sh "$@" >"$out" 2>"$err"
    else
        STARCLOAK=$STARCLOAK unshare -rm bash small-disk.sh "$@" >"$out" 2>"$err"
    fi || return 1
    cp disk.out "$out" && cp disk.err "$err" && status=$(<disk.status)
}
only_old="$(cksum <older) ./old.scm"
if on_small_disk map generate --nodes 2k -o disk/old.scm; then
    refuses 1 "a full disk is told" "disk/old.scm" "No space left"
    equal "a full disk leaves the older file alone" "$(<disk.files)" "$only_old"
    on_small_disk map generate --nodes 2k -o disk/new.scm
    refuses 1 "a full disk is told for a new file, too" "disk/new.scm" "No space left"
    equal "and no part of it stays" "$(<disk.files)" "$only_old"
    on_small_disk map export good.scm disk/csv
    refuses 1 "an export onto a full disk is told" "disk/csv" "No space left"
    equal "and none of its files stays" "$(<disk.files)" "$only_old"
    on_small_disk map import town.cnode town.cedge -o disk/new.scm
    check "what fits on the disk still works" test "$status" = 0
else
    for what in "a full disk is told" "a full disk leaves the older file alone" \
        "a full disk is told for a new file, too" "and no part of it stays" \
        "an export onto a full disk is told" "and none of its files stays" \
        "what fits on the disk still works"; do
        skip "$what" "no small disk can be mounted here"
    done
fi

# --- Standard output ----------------------------------------------------------

# to_full ARG...: run with a standard output that takes nothing.
to_full() {
    "$STARCLOAK" "$@" >/dev/full 2>"$err" </dev/null
    status=$? command_line="starcloak $* >/dev/full"
    : >"$out"
    refuses 1 "'$*' onto a full disk fails" "No space left"
}
to_full --help
to_full --version
to_full help map import
to_full --man map
to_full --man-list
to_full --completion bash
to_full map info good.scm
to_full map info good.scm --json
to_full map check good.scm
to_full map snap good.scm --lon 8.68 --lat 49.41
to_full map generate --nodes 1k -o report.scm
to_full map generate --nodes 1k -o -
"$STARCLOAK" map info good.scm >&- 2>"$err"
status=$? command_line="starcloak map info good.scm >&-"
: >"$out"
refuses 1 "a closed standard output fails" "standard output"
"$STARCLOAK" map generate --nodes 1k -o closed.scm --quiet >&- 2>&-
equal "with nothing to say, closed outputs are fine" "$?" 0
run map check closed.scm
succeeds "and no word went into the map"
"$STARCLOAK" map info good.scm 2>"$err" | head -c 1 >/dev/null
check "a reader who leaves early hears no complaint" test ! -s "$err"

finish
