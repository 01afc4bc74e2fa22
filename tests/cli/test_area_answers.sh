#!/usr/bin/env bash
# Answers from providers that list what is in a box (--area-provider), to requests of every kind and page by
# page: they are those of the built-in provider with the same objects. Hostile servers get nothing but a
# refusal. The servers are those of area_servers.sh: MapServer and PostgreSQL are real, others stand-ins.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
source "$here/service.sh"
source "$here/area_servers.sh"

area_city city.scm
if ! database; then
    skip "answers by areas are those of the built-in provider" "$(head -n 1 database.log)"
    finish
fi
stand_ins

# Some nodes, and half a street beside it.
awk -F , 'NR > 1 && NR % 25 == 0 { printf "%.7f %.7f\n", $2 + 0.0002, $3 + 0.0001 }' csv/nodes.csv >positions
check "there are positions to ask from" test "$(wc -l <positions)" -gt 20
category=$(awk -F , 'NR > 1 { print $4 }' csv/pois.csv | sort | uniq -c | sort -rn | awk 'NR == 2 { print $2 }')
other=$(awk -F , 'NR > 1 { print $4 }' csv/pois.csv | sort | uniq -c | sort -rn | awk 'NR == 5 { print $2 }')

# Requests of every kind; each line is one.
cat >requests <<END
-k 5
-k 1 --metric time
-k 3 --category $category
-k 4 --category $category --category $other --metric time
--radius-m 600
--radius-m 900 --category $other
--radius-s 60
END
# answers FILE OPTION...: answers of all positions to all requests: position, rank, metres, category, seconds.
answers() {
    local file=$1 request
    shift
    while read -r request; do
        # shellcheck disable=SC2086  # words of a request
        "$STARCLOAK" nearest city.scm "$@" $request <positions 2>>"$err" | cut -f 1,2,3,5,9 || echo failed
    done <requests >"$file"
}
answers built-in --objects "$PGURL" --objects-table places
check "the built-in provider finds something" test "$(grep -c '[0-9]' built-in)" -gt 500

# same NAME WHAT [LINE...]: a file of settings, and the answers that it gives.
same() {
    local name=$1 what=$2
    shift 2
    printf '%s\n' "$@" >"$name.ini"
    : >"$err"
    answers "$name" --area-provider "$name.ini"
    diff built-in "$name" >"$out"
    equal "$what: no line of answers differs" "$(grep -c '^[<>]' "$out")" 0
}
if ! mapserver; then
    skip "MapServer's answers are those of the built-in provider" "mapserver-bin, lighttpd or gdal-bin is missing; scripts/setup test installs them"
else
    for layer in postgis geopackage; do
        same "wfs-$layer" "MapServer by WFS over $layer, 20 objects a page" "[provider]" "preset = wfs-geojson" \
            "address = $mapserver?typeNames=$layer" "[fields]" "id = /properties/id" "[paging]" "page-size = 20"
    done
    same ogc "MapServer by OGC API Features" "[provider]" "preset = ogc-features" \
        "address = $mapserver/places/ogcapi/collections/postgis/items"
    # MapServer 8.0.0 gives the first page whatever the offset is: better no answer than a wrong one.
    printf '%s\n' "[provider]" "preset = ogc-features" "address = $mapserver/places/ogcapi/collections/postgis/items" \
        "[paging]" "page-size = 20" >pages.ini
    read -r lon lat <positions
    run nearest city.scm --area-provider pages.ini --lon="$lon" --lat="$lat" -k 5
    if [[ $status == 0 ]]; then
        cp "$out" paged
        run nearest city.scm --objects "$PGURL" --objects-table places --lon="$lon" --lat="$lat" -k 5
        check "MapServer's pages by OGC API Features are refused, or give the same" cmp -s "$out" paged
    else
        refuses 1 "MapServer's pages by OGC API Features are refused, or give the same" "provider"
    fi
fi
if ! qgis; then
    skip "QGIS Server's answers are those of the built-in provider" "qgis-server is not installed; it takes 500 MB"
else
    # Its geometries have six decimals, so positions are taken from the properties.
    same qgis "QGIS Server by OGC API Features, 500 objects a page" "[provider]" "preset = ogc-features" \
        "address = $qgis/wfs3/collections/places/items" "[fields]" "geometry =" "lon = /properties/lon" "lat = /properties/lat" \
        "[paging]" "page-size = 500"
fi
same postgrest "PostgREST's URLs over PostgreSQL, 20 objects a page" "[provider]" "preset = postgrest" "address = $stand_ins/rest/places" \
    "[paging]" "page-size = 20"
same overpass "the stand-in for Overpass" "[provider]" "preset = overpass" "address = $stand_ins/overpass" "[limits]" "rate = 0"
same outside "objects outside of the box change nothing" "[provider]" "preset = geojson" "address = $stand_ins/hostile/outside"
same busy-once "a server that is busy for a second is asked again" "[provider]" "preset = ogc-features" "address = $stand_ins/hostile/busy-once"

# --- Hostile servers -----------------------------------------------------------------

read -r lon lat <positions
# hostile NAME TEXT...: no answer, and a message that says so; $asked has how often it was asked.
hostile() {
    local name=$1
    shift
    printf '%s\n' "[provider]" "preset = ogc-features" "address = $stand_ins/hostile/$name" \
        "[limits]" "timeout = 2" "deadline = 3" "[paging]" "page-size = 50" "max-pages = 5" "total =" >hostile.ini
    run nearest city.scm --area-provider hostile.ini --lon="$lon" --lat="$lat" -k 3
    refuses 1 "'$name' gets no answer" "$@"
    check "'$name': the message repeats neither the address nor the position" silent_about "$err" "hostile/" "$lon" "$lat"
    asked=$(curl -s "$stand_ins/count/hostile/$name" | jq .requests)
}
hostile endless-pages pages
check "and was asked for no more pages than are allowed" test "$asked" -le 6
hostile same-page itself
hostile other-host "not at the same"
hostile huge "larger than the limit"
hostile endless "larger than the limit"
hostile busy-429 429
check "and was left alone" test "$asked" -le 2
hostile busy-503 503
check "and was left alone" test "$asked" -le 2
hostile wrong-types list
hostile wrong-positions geometry
hostile no-json JSON
hostile redirect 302
hostile drip "did not answer within"
hostile silent "did not answer within"
hostile two-places "one object in two places"
curl -s -X POST -d '' "$stand_ins/release" >/dev/null
finish
