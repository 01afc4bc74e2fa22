#!/usr/bin/env bash
# The presets of providers that list what is in a box, each with a server of its kind: MapServer,
# unmodified, over PostGIS and over a GeoPackage, PostgreSQL by PostgREST's URLs, stand-ins for the rest.
# Every answer equals the built-in provider's.
# shellcheck source-path=SCRIPTDIR disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
source "$here/service.sh"
source "$here/area_servers.sh"

area_city city.scm
"$STARCLOAK" simulate city.scm --users 300 --seconds 30 --no-answers --category any --record run.jsonl --quiet || echo "# no run"
"$STARCLOAK" evaluate city.scm run.jsonl -o built.jsonl --quiet || echo "# no answers to compare with"

# exact NAME PRESET ADDRESS [LINE...]: the answers by that preset are the built-in provider's.
exact() {
    local name=$1 preset=$2 address=$3
    shift 3
    printf '[provider]\npreset = %s\naddress = %s\n' "$preset" "$address" >one.ini
    [ $# -eq 0 ] || printf '%s\n' "$@" >>one.ini
    rm -f one.jsonl
    run evaluate city.scm run.jsonl -o one.jsonl --area-provider one.ini --json
    check "$name: every query is answered" true_of "$out" '.failed == 0 and .refused == 0 and .answered > 100'
    check "$name: exactly" "$here/same_answers.py" one.jsonl built.jsonl
}

if ! database; then
    skip "answers by presets are exact" "$(head -n 1 database.log)"
    finish
fi
stand_ins
if ! mapserver; then
    skip "MapServer's answers are exact" "mapserver-bin, lighttpd or gdal-bin is missing; scripts/setup test installs them"
else
    for layer in postgis geopackage; do
        exact "ogc-features, MapServer over $layer" ogc-features "$mapserver/places/ogcapi/collections/$layer/items"
        exact "wfs-geojson, MapServer over $layer" wfs-geojson "$mapserver?typeNames=$layer" \
            '[fields]' 'id = /properties/id'
    done
fi
exact "postgrest" postgrest "$stand_ins/rest/places"
exact "overpass, a stand-in" overpass "$stand_ins/overpass" '[limits]' 'rate = 0'
exact "geojson" geojson "$stand_ins/geojson"
finish
