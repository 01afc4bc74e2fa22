#!/usr/bin/env bash
# Real maps, counted in both ways. "Merged" is how the maps were published and
# described (self-loops dropped, parallel edges counted once); "kept" is how
# StarCloak uses them, with every edge of the data. The merged numbers come from
# the description of the data; the kept ones follow from it (edges = merged +
# self-loops + parallel) or were counted from the edges by other means.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# One number per key, in one line.
counts() {
    local file=$1 key
    shift
    for key; do number "$key" "$file"; done | tr '\n' ' '
}

# open_map NAME ARG...: import, check and describe; false if the data are not here.
open_map() {
    local name=$1
    shift
    run map import "$@" -o map.scm
    if [[ $status != 0 ]]; then
        fail "$name is imported"
        return 1
    fi
    pass "$name is imported"
    run map check map.scm
    succeeds "$name keeps every rule of a map"
    run map info map.scm --json
    cp "$out" info.json
    grep '"simple"' info.json >merged.json
}

kept_keys=(nodes edges segments stars pseudo_stars self_loops parallel_edges)
merged_keys=(edges stars segments rings star_to_star back_to_own_star multiple_pairs longest_chain)

# A map per line: name | kept | components, largest | merged | degrees 1 and 2 merged | files.
maps='
California|21048 21693 2010 1183 0 0 0|1 21048|21693 1183 2010 0 1828 0 20 142|182 19683|california/cal.cnode.xz california/cal.cedge.xz california/calmap.txt.xz
Maine|194505 214921 152550 83232 1047 1018 1558|1305 187315|212345 78725 147742 2 97510 126 667 28|51169 64603|us-tiger-dimacs/USA-road-d.ME.gr.xz us-tiger-dimacs/USA-road-d.ME.co.xz
New York|264346 366923 328875 185248 0 0 1873|1 264346|365050 182823 324696 0 283449 78 889 18|41169 40354|us-tiger-dimacs/USA-road-d.NY.gr.xz
Vermont|97975 107558 72142 39774 664 495 821|756 95672|106242 37327 69594 1 46207 58 336 18|23997 36648|us-tiger-dimacs/USA-road-d.VT.gr.xz us-tiger-dimacs/USA-road-d.VT.co.xz
Maine with Vermont|292480 322479 224692 123006 1711 1513 2379|2061 187315|318587 116052 217336 3 143717 184 1003 28|75166 101251|us-tiger-dimacs/USA-road-d.ME.gr.xz us-tiger-dimacs/USA-road-d.ME.co.xz us-tiger-dimacs/USA-road-d.VT.gr.xz us-tiger-dimacs/USA-road-d.VT.co.xz
San Francisco|29170 36903 19349 9862 119 0 1873|131 28603|35030 8566 16340 4 14517 25 95 79|1914 18690|san-francisco-tiger/tl_2017_06075_roads.shp.xz
Northwest Atlanta|25846 28534 9611 5548 2 0 0|5 25755|28534 5546 9611 0 8168 68 122 50|1377 18923|northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz
Oldenburg|6105 7035 3803 2238 0 0 6|1 6105|7029 2232 3797 0 3090 66 37 28|641 3232|oldenburg/OL.cnode.xz oldenburg/OL.cedge.xz
San Joaquin|18263 23874 20114 11089 0 0 77|1 18263|23797 10978 19929 0 16508 4 78 10|3417 3868|san-joaquin/TG.cnode.xz san-joaquin/TG.cedge.xz
North America|175813 179179 12492 6742 0 0 77|1 175813|179102 6618 12292 0 9896 11 274 476|2385 166810|north-america/NA.cedge.xz
Rhine-Neckar|164598 177790 45936 27195 38 0 270|52 163638|177520 26954 45463 0 39433 481 486 492|5587 132057|osm/rnv.osm.pbf
Andorra|26915 27637 3475 2029 4 0 15|6 26887|27622 2017 3451 1 2702 25 73 359|727 24171|osm/andorra.osm.pbf
Liechtenstein|24216 24922 5402 2972 15 0 4|20 24042|24918 2955 5396 0 3658 14 61 171|1739 19522|osm/liechtenstein.osm.pbf
Baltimore|13983 16670 7944 4566 7 0 2|9 13837|16668 4559 7941 1 7223 27 82 64|697 8727|osm/baltimore.osm.pbf
Monaco|5320 5545 936 560 7 0 0|9 5221|5545 553 935 1 777 7 27 72|157 4610|osm/monaco.osm.pbf
'

while IFS='|' read -r name kept parts merged degrees files; do
    [[ -n $name ]] || continue
    read -ra paths <<<"$files"
    paths=("${paths[@]/#/$STARCLOAK_DATA/}")
    # Counted were all roads, open to cars or not.
    options=()
    [[ $files == osm/* ]] && options=(--profile any)
    if [[ ! -r ${paths[0]} ]]; then
        skip "$name has its counts" "no ${paths[0]##*/} in the folder of real maps"
        continue
    fi
    open_map "$name" "${paths[@]}" "${options[@]}" || continue
    equal "$name: nodes, edges, segments, stars, pseudo-stars, self-loops, parallel edges, kept" \
        "$(counts info.json "${kept_keys[@]}")" "$kept "
    equal "$name: components and the largest" \
        "$(counts info.json components largest_component)" "$parts "
    equal "$name: edges, stars, segments, rings, kinds of segments and longest chain, merged" \
        "$(counts merged.json "${merged_keys[@]}")" "$merged "
    equal "$name: nodes of degree 1 and 2, merged" \
        "$(sed 's/.*"degrees": \[[0-9]*, \([0-9]*\), \([0-9]*\).*/\1 \2/' merged.json)" "$degrees"
done <<<"$maps"

# --- What the table has no column for ---------------------------------------------

cal=$STARCLOAK_DATA/california
if [[ -r $cal/cal.cnode.xz ]]; then
    run map import "$cal"/cal.cnode.xz "$cal"/cal.cedge.xz "$cal"/calmap.txt.xz \
        --category-names "$cal"/poi-categories.csv.xz -o map.scm --json
    equal "California has 87,635 objects in 62 categories" \
        "$(counts "$out" objects categories)" "87635 62 "
    equal "one of them lay beyond the end of its edge" "$(number objects_clamped "$out")" 1
    run map info map.scm --json
    check "its most frequent categories are known by name" says "$out" \
        '"locale", "count": 11055' '"school", "count": 10902' '"church", "count": 7587' \
        '"stream", "count": 7393' '"park", "count": 6531' '"mine", "count": 2350'
    check "its degrees are those published" says "$out" '[0, 182, 19683, 915, 255, 7, 5, 0, 1, 0]'
    # Published from 500 stars drawn at random, 27.25 with a spread of about 8.
    mean=$(grep '"hops": 4' "$out" | grep -oE '"mean": [0-9.]+' | grep -oE '[0-9.]+')
    check "about 27 other stars are within 4 hops" \
        awk -v mean="$mean" 'BEGIN {exit !(mean > 26 && mean < 28.5)}'
else
    skip "California has 87,635 objects in 62 categories" "no California in the folder of real maps"
fi

roads=$STARCLOAK_DATA/san-francisco-tiger/tl_2017_06075_roads.shp.xz
cabs=$STARCLOAK_DATA/sf-cabs/cabs-2008-06-04_06.tar.xz
if [[ -r $roads ]]; then
    run map import "$roads" --class S1100,S1200,S1400,S1630,S1640 -o map.scm
    run map info map.scm --json
    cp "$out" info.json
    grep '"simple"' info.json >merged.json
    equal "San Francisco's streets alone have 28,964 nodes" "$(number nodes info.json)" 28964
    equal "San Francisco's streets alone: edges, stars, segments, merged" \
        "$(counts merged.json edges stars segments)" "34800 8507 16233 "
else
    skip "San Francisco's streets alone have 28,964 nodes" "no San Francisco in the folder of real maps"
fi
if [[ -r $roads && -r $cabs ]]; then
    # Latitude comes first in these files. Every 200th fix within the map's bounds.
    tar -xJOf "$cabs" 2>/dev/null | awk 'NR % 200 == 0 && $1 > 37.708132 && $1 < 37.832132 &&
        $2 > -122.513617 && $2 < -122.349607 {print $2, $1}' >fixes.txt
    "$STARCLOAK" map import "$roads" -o map.scm --quiet
    "$STARCLOAK" map snap map.scm <fixes.txt 2>"$err" | cut -f 4 | sort -n >distances.txt
    fixes=$(wc -l <fixes.txt)
    check "thousands of fixes of taxis are at hand" test "$fixes" -gt 5000
    equal "every fix of a taxi finds a road" "$(wc -l <distances.txt)" "$fixes"
    # Published for all fixes: median 4.5 m, 90 % within 19 m.
    check "half of the fixes lie within about 4.5 m of a road" \
        awk -v d="$(sed -n "$((fixes / 2))p" distances.txt)" 'BEGIN {exit !(d > 4.2 && d < 4.8)}'
    check "nine of ten fixes lie within about 19 m" \
        awk -v d="$(sed -n "$((fixes * 9 / 10))p" distances.txt)" 'BEGIN {exit !(d > 17.5 && d < 20.5)}'
else
    skip "every fix of a taxi finds a road" "no taxis in the folder of real maps"
fi

for name in monaco andorra north-bayreuth; do
    file=$STARCLOAK_DATA/osm/$name.osm.xz
    if [[ -r $file ]]; then
        open_map "$name, in XML," "$file"
        check "$name, in XML, has roads and objects" \
            test "$(number edges info.json)" -gt 3000 -a "$(number objects info.json)" -gt 140
    else
        skip "$name, in XML, has roads and objects" "no $name.osm.xz in the folder of real maps"
    fi
done

for name in OL TG; do
    folder=$STARCLOAK_DATA/oldenburg
    [[ $name == TG ]] && folder=$STARCLOAK_DATA/san-joaquin
    if [[ -r $folder/$name.cnode.xz ]]; then
        run map import "$folder/$name.cnode.xz" "$folder/$name.cedge.xz" -o map.scm
        run map info map.scm --json
        check "$name, on a normalised plane, is marked so" says "$out" '"coords": "planar"' '"in_metres": false'
    else
        skip "$name, on a normalised plane, is marked so" "no $name.cnode.xz in the folder of real maps"
    fi
done

finish
