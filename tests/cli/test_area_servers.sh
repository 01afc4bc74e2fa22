#!/usr/bin/env bash
# Providers that list what is in a box, asked as they are by others: MapServer, unmodified, over PostGIS
# and over a GeoPackage, by OGC API Features and by WFS; PostgreSQL over HTTP; stand-ins for PostgREST and
# Overpass. First that they give just the objects in the box, page by page.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
source "$here/service.sh"
source "$here/area_servers.sh"

area_city city.scm
if ! database; then
    skip "servers give the objects in a box" "$(head -n 1 database.log)"
    finish
fi
stand_ins

# A box with about a third of the objects, none of them on its rim, and the numbers of those, in one line.
box=$(awk -F , 'NR > 1 { print $5 }' csv/pois.csv | sort -n | awk '{ x[NR] = $1 } END { printf "%.7f,%.7f", x[int(NR / 3)] - 2e-7, x[int(NR * 2 / 3)] + 2e-7 }')
west=${box%,*} east=${box#*,}
wanted=$(awk -F , -v w="$west" -v e="$east" 'NR > 1 && $5 >= w && $5 <= e { print $1 }' csv/pois.csv | sort -n | tr '\n' ' ')
check "the box has some objects, and not all" test "$(wc -w <<<"$wanted")" -gt 20 -a "$(wc -w <<<"$wanted")" -lt "$(wc -l <csv/pois.csv)"

# pages URL FILTER: page by page by offset, seven at a time; prints what the filter finds.
pages() {
    local offset
    for ((offset = 0; ; offset += 7)); do
        curl -sS --max-time 60 -o page.json "$1$offset" 2>>"$err" && jq -r "$2" page.json >page.ids || return 1
        [[ -s page.ids ]] || return 0
        cat page.ids
    done
}
ids() { sed 's/.*\.//' | sort -n | tr '\n' ' '; }

if ! mapserver; then
    skip "MapServer gives the objects in a box" "mapserver-bin, lighttpd or gdal-bin is missing; scripts/setup test installs them"
else
    for layer in postgis geopackage; do
        # One page: in MapServer 8.0.0 the link to the next one has lost the box, and every offset gives the first page.
        curl -sS --max-time 60 -o page.json "$mapserver/places/ogcapi/collections/$layer/items?f=json&limit=1000&bbox=$west,-90,$east,90" 2>"$err"
        equal "MapServer, OGC API Features over $layer: just the objects in the box" "$(jq -r '.features[].id' page.json | ids)" "$wanted"
        equal "and how many there are" "$(jq .numberMatched page.json)" "$(wc -w <<<"$wanted")"
        url="$mapserver?typeNames=$layer&service=WFS&version=2.0.0&request=GetFeature&count=7&srsName=EPSG:4326"
        url+="&bbox=$west,-90,$east,90,urn:ogc:def:crs:OGC:1.3:CRS84&outputFormat=application%2Fjson&startIndex="
        equal "MapServer, WFS over $layer: just the objects in the box" "$(pages "$url" '.features[].properties.id' | ids)" "$wanted"
    done
fi
equal "PostgREST's URLs over PostgreSQL: just the objects in the box" \
    "$(for offset in 0 50 100 150; do curl -sS "$stand_ins/rest/places?select=id&lon=gte.$west&lon=lte.$east&lat=gte.-90&lat=lte.90&order=id&limit=50&offset=$offset"; done |
        jq -r '.[].id' | ids)" "$wanted"
equal "the stand-in for Overpass: just the objects in the box" \
    "$(curl -sS -d "[out:json][timeout:25];nwr[~\"^(amenity|shop)\$\"~\"^(.+)\$\"](-90,$west,90,$east);out center 1000;" "$stand_ins/overpass" | jq -r '.elements[].id' | ids)" "$wanted"
equal "GeoJSON: just the objects in the box" "$(curl -sS "$stand_ins/geojson?bbox=$west,-90,$east,90&limit=1000" | jq -r '.features[].id' | ids)" "$wanted"
finish
