// Presets: how providers of known kinds are asked, as texts of the form that an operator's file
// has. See area_settings.h; docs/providers.md has an example of each.
#include "areas/area_settings.h"

#include <string.h>

// OGC API Features, part 1: `bbox` finds what intersects the box, pages are linked.
static const char ogc_features[] =
    "[provider]\n"
    "url = {address}?f=json&limit={limit}&bbox={west},{south},{east},{north}\n"
    "[fields]\n"
    "list = /features\n"
    "id = /id\n"
    "geometry = /geometry\n"
    "name = /properties/name\n"
    "category = /properties/category\n"
    "[paging]\n"
    "links = /links\n"
    "total = /numberMatched\n"
    "page-size = 10000\n";

// WFS 2.0 with GeoJSON. CRS:84 is longitude first in the box; GeoJSON is in any case, and MapServer
// takes only EPSG codes for it.
static const char wfs_geojson[] =
    "[provider]\n"
    "url = {address}?service=WFS&version=2.0.0&request=GetFeature&count={limit}\n"
    "  &startIndex={offset}&srsName=EPSG:4326\n"
    "  &bbox={west},{south},{east},{north},urn:ogc:def:crs:OGC:1.3:CRS84\n"
    "  &outputFormat=application%2Fjson\n"
    "[fields]\n"
    "list = /features\n"
    "id = /id\n"
    "geometry = /geometry\n"
    "name = /properties/name\n"
    "category = /properties/category\n"
    "[paging]\n"
    "total = /numberMatched\n"
    "page-size = 10000\n";

// Overpass: south first; a search that ran out of time has a remark, and status 200; objects that
// are ways or relations have a centre, which may lie outside of the box that they touch, so boxes
// are asked for with a margin.
static const char overpass[] =
    "[provider]\n"
    "url = {address}\n"
    "content-type = text/plain\n"
    "body = [out:json][timeout:25];\n"
    "  nwr[~\"^(amenity|shop|tourism|leisure|healthcare|office)$\"~\"^({categories})$\"]\n"
    "  ({south},{west},{north},{east});out center {limit};\n"
    "categories-separator = |\n"
    "categories-all = .+\n"
    "[fields]\n"
    "list = /elements\n"
    "id = /type /id\n"
    "lon = /lon /center/lon\n"
    "lat = /lat /center/lat\n"
    "name = /tags/name\n"
    "category = /tags/amenity /tags/shop /tags/tourism /tags/leisure /tags/healthcare "
    "/tags/office\n"
    "error = /remark\n"
    "[paging]\n"
    "page-size = 20000\n"
    "[limits]\n"
    "rate = 1\n"
    "parallel = 1\n"
    "timeout = 30\n"
    "[tiles]\n"
    "extent = 300\n";

// A table or view of PostgREST with the columns id, name, category, lon, lat.
static const char postgrest[] =
    "[provider]\n"
    "url = {address}?select=id,name,category,lon,lat&category=in.({categories})\n"
    "  &lon=gte.{west}&lon=lte.{east}&lat=gte.{south}&lat=lte.{north}\n"
    "  &order=id&limit={limit}&offset={offset}\n"
    "url-all = {address}?select=id,name,category,lon,lat\n"
    "  &lon=gte.{west}&lon=lte.{east}&lat=gte.{south}&lat=lte.{north}\n"
    "  &order=id&limit={limit}&offset={offset}\n"
    "categories-quote = \"\n"
    "[fields]\n"
    "list =\n"
    "id = /id\n"
    "lon = /lon\n"
    "lat = /lat\n"
    "name = /name\n"
    "category = /category\n";

static const char geojson[] = "[provider]\n"
                              "url = {address}?bbox={west},{south},{east},{north}&limit={limit}\n"
                              "[fields]\n"
                              "list = /features\n"
                              "id = /id\n"
                              "geometry = /geometry\n"
                              "name = /properties/name\n"
                              "category = /properties/category\n"
                              "[paging]\n"
                              "page-size = 10000\n";

const char *sc__area_preset(const char *name)
{
    const struct {
        const char *name;
        const char *text;
    } presets[] = {{"ogc-features", ogc_features},
                   {"wfs-geojson", wfs_geojson},
                   {"overpass", overpass},
                   {"postgrest", postgrest},
                   {"geojson", geojson}};
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        if (strcmp(presets[i].name, name) == 0) return presets[i].text;
    }
    return NULL;
}
