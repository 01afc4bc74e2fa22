// Door: one page of the reply of a provider of areas, as JSON.
//
// The first byte says how it is read: bit 0 GeoJSON instead of numbers, bit 1 the middle of shapes
// instead of their first point, bit 2 latitude first, bits 3 and 4 how the next page is found. What
// is accepted has sound objects; what is refused is refused in one line that tells nothing of it.
#include "door.h"

#include "areas/area_reply.h"

static sc_area_settings *settings_of(uint8_t kind)
{
    static const char *const paging[] = {"", "next = /next\n", "links = /links\n", "cursor = /c\n"};
    const unsigned way = kind >> 3 & 3;
    char text[1000];
    const int size = snprintf(
        text, sizeof text,
        "[provider]\nurl = http://h/{west}/{south}/{east}/{north}%s\n[fields]\nlist = %s\n"
        "id = /type /id\n%s\nname = /name\ncategory = /kind /kinds\nshape = %s\naxis-order = %s\n"
        "[categories]\nfuel = gas, petrol\n[limits]\nmax-objects = 50\n[paging]\n%s",
        way == 3 ? "?{cursor}" : "", kind & 1 ? "/features" : "",
        kind & 1 ? "geometry = /geometry" : "lon = /lon /center/lon\nlat = /lat /center/lat",
        kind & 2 ? "centre" : "first", kind & 4 ? "lat-lon" : "lon-lat", paging[way]);
    const sc_input input = {"x.ini", (const uint8_t *)text, (size_t)size};
    sc_area_settings *settings = NULL;
    if (sc__area_settings_read(&input, &settings, NULL)) abort();
    return settings;
}

static void check_rows(const sc__area_reply *reply)
{
    DOOR_PROMISE(reply->page.count <= reply->page.listed && reply->page.listed <= 50,
                 "no more than allowed");
    for (size_t i = 0; i < reply->page.count; i++) {
        const sc_adapter_object *row = &reply->page.objects[i];
        DOOR_PROMISE(row->key[0] && strlen(row->key) <= SC_ADAPTER_KEY_MAX,
                     "a key is neither empty nor endless");
        DOOR_PROMISE(strlen(row->name) <= SC_ADAPTER_NAME_MAX, "nor is a name endless");
        DOOR_PROMISE(!row->category || (row->category[0] && strcmp(row->category, "gas") != 0),
                     "a category is in our words");
        DOOR_PROMISE(fabs(row->x) <= 180.0 && fabs(row->y) <= 90.0, "an object is on the globe");
    }
    DOOR_PROMISE(!reply->next || reply->next[0], "the next page is somewhere");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > DOOR_MAX_SIZE) return 0;
    sc_area_settings *settings = settings_of(data[0]);
    uint8_t *copy = door_copy(data + 1, size - 1);
    const sc_bytes body = {.data = copy, .size = size - 1};
    sc__area_reply reply = {.next = NULL};
    sc_diag diag = {""};
    const sc_err err = sc__area_reply_read(settings, SC_COORDS_GEOGRAPHIC, &body, &reply, &diag);
    if (err) {
        DOOR_PROMISE(err == SC_EREPLY || err == SC_ELIMIT,
                     "a reply that makes no sense, or is too large, is said to be one");
        door_refused(err, &diag, NULL, 0);
        for (const char *c = diag.message; *c; c++) {
            DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "a terminal can be given the reason");
        }
    } else {
        check_rows(&reply);
    }
    sc__area_reply_fini(&reply);
    sc_area_settings_free(settings);
    free(copy);
    return 0;
}
