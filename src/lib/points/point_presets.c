// Presets: how providers of known kinds are asked at a point, as texts of the form that an
// operator's file has. They are written from what these providers publish. See point_settings.h;
// docs/point-provider.md has an example of each.
#include "points/point_settings.h"

#include <string.h>

// Foursquare's Place Search: at most 50 results within 100 km, by distance if asked to.
static const char foursquare[] =
    "[provider]\n"
    "address = https://places-api.foursquare.com/places/search\n"
    "url = {address}?ll={lat},{lon}&radius={radius}&limit={k}&sort=DISTANCE\n"
    "  &fields=fsq_place_id,name,latitude,longitude,distance\n"
    "  &fsq_category_ids={category}\n"
    "url-all = {address}?ll={lat},{lon}&radius={radius}&limit={k}&sort=DISTANCE\n"
    "  &fields=fsq_place_id,name,latitude,longitude,distance\n"
    "[headers]\n"
    "X-Places-Api-Version = 2025-06-17\n"
    "[fields]\n"
    "list = /results\n"
    "id = /fsq_place_id\n"
    "lon = /longitude\n"
    "lat = /latitude\n"
    "name = /name\n"
    "distance = /distance\n"
    "[points]\n"
    "measure = straight\n"
    "max-k = 50\n"
    "radius = 100000\n";

// Google's Nearby Search (New): at most 20 results within 50 km, by distance if asked to; a reply
// without a result is {}, and what a reply has is said by a header.
static const char google_nearby[] =
    "[provider]\n"
    "address = https://places.googleapis.com/v1/places:searchNearby\n"
    "url = {address}\n"
    "categories-quote = \"\n"
    "body = {\"includedTypes\": [{category}], \"maxResultCount\": {k},\n"
    "  \"rankPreference\": \"DISTANCE\", \"locationRestriction\": {\"circle\": {\"center\":\n"
    "  {\"latitude\": {lat}, \"longitude\": {lon}}, \"radius\": {radius}}}}\n"
    "body-all = {\"maxResultCount\": {k},\n"
    "  \"rankPreference\": \"DISTANCE\", \"locationRestriction\": {\"circle\": {\"center\":\n"
    "  {\"latitude\": {lat}, \"longitude\": {lon}}, \"radius\": {radius}}}}\n"
    "[headers]\n"
    "X-Goog-FieldMask = places.id,places.displayName,places.location,places.types\n"
    "[fields]\n"
    "list = /places\n"
    "no-list = empty\n"
    "id = /id\n"
    "lon = /location/longitude\n"
    "lat = /location/latitude\n"
    "name = /displayName/text\n"
    "category = /types\n"
    "[points]\n"
    "measure = straight\n"
    "max-k = 20\n"
    "radius = 50000\n";

const char *sc__point_preset(const char *name)
{
    if (strcmp(name, "foursquare") == 0) return foursquare;
    return strcmp(name, "google-nearby") == 0 ? google_nearby : NULL;
}
