#!/usr/bin/env bash
# Bad usage: exit status 2, the option and the value named, a hint where to look,
# and nothing read or written.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

cp "$data"/town.cnode "$data"/town.cedge .
before=$(left_behind .)

# misuse SENTENCE TEXTS -- ARG...: running with ARG... must be refused with the texts.
misuse() {
    local sentence=$1 texts=()
    shift
    while [[ $1 != -- ]]; do
        texts+=("$1")
        shift
    done
    shift
    run "$@"
    refuses 2 "$sentence" "Try" "--help" "${texts[@]}"
}

misuse "no command at all is refused, and the commands are named" map help --
misuse "a mistyped command is met with the nearest" "'mpa'" "did you mean 'map'" -- mpa
misuse "a mistyped subcommand is met with the nearest" "'inport'" "did you mean 'import'" -- map inport
misuse "swapped letters are recognised" "did you mean 'snap'" -- map snpa
misuse "a group alone is refused, and its commands are named" import generate index info -- map
misuse "an unknown option of the program is refused" "'--frobnicate'" -- --frobnicate
run xylophone
refuses 2 "what is near to nothing gets no suggestion" "unknown command 'xylophone'"
check "and indeed none" test -z "$(grep 'did you mean' "$err")"

for command in import generate index info check snap export; do
    misuse "an unknown option of map $command is refused" "starcloak map $command:" "'--frobnicate'" -- \
        map "$command" --frobnicate
done
for command in index info check snap export; do
    misuse "map $command without a map says what is missing" "no map given" -- map "$command"
done
for command in index info check snap; do
    misuse "map $command refuses an argument too many" "'b'" -- map "$command" a.scm b
done
misuse "a line break in a value does not break the message" "unknown command 'x\\x0ay'" -- $'x\ny'
equal "which has its line, and the hint another" "$(wc -l <"$err")" 2
misuse "map export refuses an argument too many" "'c'" -- map export a.scm b c
misuse "map export without a directory says what is missing" "no directory given" -- map export a.scm
misuse "map import without an input says what is missing" "no input given" -- map import -o a.scm
misuse "map import without an output says what is missing" "no output given" "-o" -- \
    map import town.cnode town.cedge
misuse "map generate without an output says what is missing" "no output given" "-o" -- map generate
misuse "map generate takes no argument" "'extra'" -- map generate -o a.scm extra
misuse "an option without its value is refused" "'o'" -- map import town.cnode -o
misuse "a value for a switch is refused" "quiet" -- map import town.cnode -o a.scm --quiet=yes

import=(map import town.cnode town.cedge -o a.scm)
for value in 12x x12 "" " 12" 0x10 nan inf 1e999 1,5 -1 0; do
    misuse "--unit-m '$value' is refused" "--unit-m" "'$value'" -- "${import[@]}" --unit-m "$value"
done
for value in 12x -1 nan; do
    misuse "--max-object-snap-m '$value' is refused" "--max-object-snap-m" "'$value'" -- \
        "${import[@]}" --max-object-snap-m "$value"
done
for value in 16 N 0N 61N 16X 16NN 116N -5N 1.5N; do
    misuse "--utm '$value' is refused" "--utm" "'$value'" -- \
        map import --format mobisim a.svg -o a.scm --utm="$value"
done
misuse "--coords takes two words only" "--coords" "'round'" geographic planar -- \
    "${import[@]}" --coords round
misuse "an unknown format is refused with the nearest" "--format" "'osmm'" "did you mean 'osm'" -- \
    map import --format osmm a -o a.scm
misuse "an unknown format is refused with the list" "--format" "'gpx'" cnode dimacs osm shapefile mobisim sumo -- \
    map import --format gpx a -o a.scm
misuse "a format that the name does not tell is asked for" "'roads.dat'" "--format" -- \
    map import roads.dat -o a.scm
misuse "files of two formats are refused" "'a.gr'" "'town.cnode'" -- \
    map import town.cnode a.gr -o a.scm
misuse "an output that is also an input is refused" "'town.cnode'" "also an input" -- \
    map import town.cnode town.cedge -o town.cnode
misuse "so is one that is an input by another name" "'./town.cnode'" "also an input" -- \
    map import town.cnode town.cedge -o ./town.cnode
ln town.cedge hard-link
misuse "so is another link to an input" "'hard-link'" "also an input" -- \
    map import town.cnode town.cedge -o hard-link
rm hard-link
cp "$data"/town-objects.csv objects.csv
misuse "so are the objects" "'objects.csv'" "also an input" -- \
    map import town.cnode town.cedge --objects objects.csv -o objects.csv
misuse "so are the names of the categories" "'./objects.csv'" "also an input" -- \
    map import town.cnode town.cedge --category-names objects.csv -o ./objects.csv
rm objects.csv
misuse "so is an input that is not there" "'./absent.cnode'" "also an input" -- \
    map import absent.cnode town.cedge -o ./absent.cnode
cp "$repository"/tests/data/shapefile/crossing.* .
misuse "so is the table beside a .shp" "'crossing.dbf'" "also an input" -- \
    map import crossing.shp -o crossing.dbf
mv crossing.shp crossing.SHP
mv crossing.dbf crossing.DBF
misuse "so is the table in capitals" "'./crossing.DBF'" "also an input" -- \
    map import crossing.SHP -o ./crossing.DBF
rm crossing.DBF
misuse "so is a table that is not there" "'./crossing.dbf'" "also an input" -- \
    map import crossing.SHP -o ./crossing.dbf
misuse "so is a packed one" "'crossing.dbf.xz'" "also an input" -- \
    map import crossing.shp.gz -o crossing.dbf.xz
rm crossing.SHP
misuse "--ways is refused for a format that has none" "--ways" "osm" "cnode" -- "${import[@]}" --ways all
misuse "--profile is refused for a format that has none" "--profile" "osm" "cnode" -- "${import[@]}" --profile bike
misuse "--ferries is refused for a format that has none" "--ferries" "osm" "cnode" -- "${import[@]}" --ferries
misuse "a profile that there is not is refused" "--profile" "car" "bike" "foot" -- \
    map import town.osm --profile horse -o x.scm
misuse "--class is refused for a format that has none" "--class" "shapefile" -- "${import[@]}" --class S1400
for option in direction speed name; do
    misuse "--$option-field is refused for a format that has none" "--$option-field" "shapefile" -- \
        "${import[@]}" "--$option-field" X
done
misuse "--times is refused for a format that has none" "--times" "dimacs" -- "${import[@]}" --times a.gr
misuse "--time-unit-s is refused for a format that has none" "--time-unit-s" "dimacs" -- \
    "${import[@]}" --time-unit-s 1
misuse "--time-unit-s 0 is refused" "--time-unit-s" "'0'" -- map import a.gr -o a.scm --time-unit-s 0
misuse "an output that has the travel times is refused" "'./t.gr'" "also an input" -- \
    map import a.gr --times t.gr -o ./t.gr
misuse "--unit-m is refused for SUMO networks" "--unit-m" "all formats but osm and sumo" -- \
    map import a.net.xml -o a.scm --unit-m 1
misuse "--utm is refused for a format that has none" "--utm" "mobisim" -- "${import[@]}" --utm 16N
misuse "--skip-missing-nodes is refused for a format that has none" "--skip-missing-nodes" "osm" -- \
    "${import[@]}" --skip-missing-nodes
misuse "--category-names is refused for a format that has none" "--category-names" "cnode" -- \
    map import a.gr -o a.scm --category-names n.csv
misuse "--coords is refused for a format that has none" "--coords" "cnode" -- \
    map import a.gr -o a.scm --coords planar
misuse "--unit-m is refused for a format that has none" "--unit-m" "all formats but osm" -- \
    map import a.osm -o a.scm --unit-m 2

for value in 12x x "" -5 1.5 20kk 20m 0 99 31M 30G 99999999999999999999; do
    misuse "--nodes '$value' is refused" "--nodes" "'$value'" -- map generate -o a.scm --nodes "$value"
done
for value in -1 1.5 x 18446744073709551616; do
    misuse "--seed '$value' is refused" "--seed" "'$value'" -- map generate -o a.scm --seed "$value"
done
for value in -0.1 1.01 x "" nan 20%; do
    misuse "--one-way '$value' is refused" "--one-way" "'$value'" -- map generate -o a.scm --one-way "$value"
done
misuse "--kind knows cities only" "--kind" "'village'" city -- map generate -o a.scm --kind village

misuse "--lon alone is refused" "--lat" -- map snap a.scm --lon 1
misuse "--lat alone is refused" "--lon" -- map snap a.scm --lat 1
misuse "--lon '12x' is refused" "--lon" "'12x'" -- map snap a.scm --lon 12x --lat 1
misuse "--max-snap-m '-1' is refused" "--max-snap-m" "'-1'" -- map snap a.scm --max-snap-m -1

equal "all that misuse has left nothing behind" "$(left_behind .)" "$before"
finish
