# shellcheck shell=bash disable=SC2154,SC2034  # tap.sh and service.sh have these
# Real servers that list what is in a box, over the objects of a map. A script sources tap.sh and
# service.sh first, then this, and calls `area_city` and what it needs. All on loopback and free ports,
# and ended with the script.

# area_city FILE: the map and its tables, csv/pois.csv among them.
area_city() {
    city "$1"
    "$STARCLOAK" map export "$1" csv -q || echo "# no tables"
}

# database: PostgreSQL with the objects as table `places`; leaves PGURL. Fails with a reason in database.log.
database() {
    mkfifo database.in
    "$repository"/tests/support/with_postgres --serve <database.in >database.out 2>database.log &
    started+=($!)
    local id=$!
    exec {database_in}>database.in
    until_true eval "test -s database.out || ! kill -0 $id"
    PGURL=$(head -n 1 database.out)
    [ -n "$PGURL" ] || return 1
    export PGURL
    psql -qX -v ON_ERROR_STOP=1 "$PGURL" >database.sql.log 2>&1 <<'SQL'
CREATE TABLE pois (poi integer, edge integer, offset_m numeric, category text, lon double precision, lat double precision, name text);
\copy pois FROM 'csv/pois.csv' CSV HEADER
CREATE TABLE places AS SELECT poi AS id, coalesce(name, '') AS name, category, lon, lat,
    ST_SetSRID(ST_MakePoint(lon, lat), 4326)::geometry(Point, 4326) AS geom FROM pois ORDER BY poi;
ALTER TABLE places ADD PRIMARY KEY (id);
CREATE INDEX ON places USING gist (geom);
ANALYZE places;
SQL
}

# mapserver: MapServer behind lighttpd, with the objects from PostGIS and from a GeoPackage; leaves $mapserver, its address.
# OGC API Features: $mapserver/places/ogcapi/collections/{postgis,geopackage}/items
# WFS:              $mapserver?typeNames={postgis,geopackage}
mapserver() {
    local needed
    for needed in mapserv lighttpd ogr2ogr; do
        PATH=$PATH:/usr/sbin command -v "$needed" >/dev/null || return 1
    done
    mkdir -p mapserver/cgi && cp "$(command -v mapserv)" mapserver/cgi/mapserv || return 1
    awk 'NR == 1 { print "id,edge,offset_m,category,lon,lat,name"; next } { print }' csv/pois.csv >mapserver/places.csv
    ogr2ogr -f GPKG mapserver/places.gpkg mapserver/places.csv -oo X_POSSIBLE_NAMES=lon -oo Y_POSSIBLE_NAMES=lat \
        -oo AUTODETECT_TYPE=YES -a_srs EPSG:4326 -nln places -preserve_fid >mapserver/ogr.log 2>&1 || return 1
    local host port user name
    host=$(sed -E 's,.*@([^:/]+).*,\1,' <<<"$PGURL") port=$(sed -E 's,.*:([0-9]+)/.*,\1,' <<<"$PGURL")
    user=$(sed -E 's,.*//([^@]+)@.*,\1,' <<<"$PGURL") name=${PGURL##*/}
    read -r port_http <<<"$(free_ports 1)"
    mapserver=http://127.0.0.1:$port_http/cgi/mapserv
    # layer NAME CONNECTION...: one layer with the same fields.
    layer() {
        cat <<END_OF_MAP
LAYER
  NAME "$1" TYPE POINT STATUS ON TEMPLATE "void"
  $2
  METADATA
    "ows_title" "$1" "ows_enable_request" "*" "ows_srs" "EPSG:4326 CRS:84" "gml_include_items" "all" "gml_featureid" "id"
    "ows_include_items" "all" "oga_geometry_precision" "9" "wfs_getfeature_formatlist" "geojson" "wfs_use_default_extent_for_getfeature" "false"
  END
  PROJECTION "init=epsg:4326" END
END
END_OF_MAP
    }
    {
        cat <<END_OF_MAP
MAP
NAME "places" EXTENT -180 -90 180 90 UNITS DD SIZE 100 100
PROJECTION "init=epsg:4326" END
OUTPUTFORMAT NAME "geojson" DRIVER "OGR/GEOJSON" MIMETYPE "application/json"
  FORMATOPTION "STORAGE=stream" FORMATOPTION "FORM=SIMPLE" FORMATOPTION "LCO:COORDINATE_PRECISION=9" END
WEB METADATA
  "ows_title" "places" "ows_onlineresource" "$mapserver/places" "ows_enable_request" "*" "ows_srs" "EPSG:4326 CRS:84"
  "oga_onlineresource" "$mapserver/places/ogcapi" "oga_enable_request" "*" "oga_geometry_precision" "9"
END END
END_OF_MAP
        layer postgis "CONNECTIONTYPE POSTGIS CONNECTION \"host=$host port=$port user=$user dbname=$name\"
  DATA \"geom FROM (SELECT id, name, category, geom FROM places ORDER BY id) AS p USING UNIQUE id USING SRID=4326\" PROCESSING \"CLOSE_CONNECTION=DEFER\""
        layer geopackage "CONNECTIONTYPE OGR CONNECTION \"$PWD/mapserver/places.gpkg\" DATA \"places\""
        echo END
    } >mapserver/places.map
    cat >mapserver/mapserver.conf <<CONF
CONFIG
  ENV MS_MAP_PATTERN "." OGCAPI_HTML_TEMPLATE_DIRECTORY "/usr/share/mapserver/ogcapi/templates/html-bootstrap4/" END
  MAPS places "$PWD/mapserver/places.map" END
END
CONF
    cat >mapserver/lighttpd.conf <<CONF
server.modules = ("mod_cgi", "mod_setenv")
server.bind = "127.0.0.1"
server.port = $port_http
server.document-root = "$PWD/mapserver"
server.errorlog = "$PWD/mapserver/error.log"
cgi.assign = ("/mapserv" => "")
cgi.execute-x-only = "enable"
setenv.add-environment = ("MAPSERVER_CONFIG_FILE" => "$PWD/mapserver/mapserver.conf",
    "MS_MAPFILE" => "$PWD/mapserver/places.map")
CONF
    start lighttpd "$(PATH=$PATH:/usr/sbin command -v lighttpd)" -D -f "$PWD/mapserver/lighttpd.conf"
    until_true curl -s -o /dev/null "http://127.0.0.1:$port_http/"
}

# qgis: QGIS Server, by the development server that comes with it, over the GeoPackage that mapserver() made; leaves
# $qgis. OGC API Features: $qgis/wfs3/collections/places/items. QGIS writes the project itself: a layer that is not
# whole in it, or not among WFSLayers, is left out without a word.
qgis() {
    command -v qgis_mapserver >/dev/null && test -x /usr/bin/python3 && test -s mapserver/places.gpkg || return 1
    export QT_QPA_PLATFORM=offscreen
    mkdir -p qgis/home
    HOME=$PWD/qgis/home /usr/bin/python3 - mapserver/places.gpkg qgis/places.qgs >qgis/project.log 2>&1 <<'PY' || return 1
import os
import sys

from qgis.core import QgsApplication, QgsProject, QgsVectorLayer

application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
layer = QgsVectorLayer(os.path.abspath(sys.argv[1]) + "|layername=places", "places", "ogr")
project.addMapLayer(layer)
project.writeEntry("WFSLayers", "/", [layer.id()])
sys.exit(0 if layer.isValid() and project.write(os.path.abspath(sys.argv[2])) else 1)
PY
    local port
    read -r port <<<"$(free_ports 1)"
    qgis=http://127.0.0.1:$port
    HOME=$PWD/qgis/home QGIS_PROJECT_FILE=$PWD/qgis/places.qgs start qgis qgis_mapserver "127.0.0.1:$port"
    until_true curl -s -o /dev/null "$qgis/wfs3/"
}

# stand_ins: PostgREST (over the database, if there is one), Overpass, GeoJSON and hostile servers; leaves $stand_ins.
stand_ins() {
    start stand_ins python3 "$here/area_servers.py" csv/pois.csv "${PGURL:-}"
    until_true test -s stand_ins.out
    stand_ins=http://127.0.0.1:$(cat stand_ins.out)
}
