// Door: one answer of a provider that knows points only, as JSON.
//
// The first byte says what is asked: bit 0 by road instead of straight, bit 1 for one category
// instead of all, bit 2 with fields as GeoJSON has them, bit 3 as a file says it, with keys of
// several parts, lists of categories and a radius. The rest is the body, which the
// provider gives at both points of a cloak of one road. What is accepted makes a reply whose
// objects are sound, and answers for every place of the road that are in order and within what was
// asked for. What is refused is refused in one line that tells nothing of the body.
#include "door.h"

#include "points/point_reply.h"

static const char *const words[] = {"cafe", "fuel"};
static const sc_vocabulary vocabulary = {words, 2};

// One road of some 140 m; made once, for all inputs.
static const sc_map *small_map(void)
{
    static sc_map *map;
    if (map) return map;
    sc_builder *builder = NULL;
    sc_node_id a = 0;
    sc_node_id b = 0;
    if (sc_builder_new(SC_COORDS_GEOGRAPHIC, &builder) ||
        sc_builder_add_node(builder, 8.0, 50.0, &a) ||
        sc_builder_add_node(builder, 8.002, 50.0, &b) ||
        sc_builder_add_edge(builder, a, b, SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, NULL) ||
        sc_builder_finish(builder, HUGE_VAL, NULL, &map, NULL, NULL)) {
        abort();
    }
    sc_builder_free(builder);
    return map;
}

// As a file says it: several places, joined keys, geometries, lists that may lack, and a radius.
static sc_point_settings *settings_of_file(uint8_t kind)
{
    char text[600];
    const int size =
        snprintf(text, sizeof text,
                 "[provider]\nurl = http://h/{lon}/{lat}/{k}/{category}\n[fields]\nlist = /places\n"
                 "no-list = empty\nid = /type /id\n%s\nname = /displayName/text /name\n"
                 "category = /types\ndistance = /d /distance\nerror = /error\n[categories]\n"
                 "cafe = coffee, 13\n[points]\nmeasure = %s\nradius = 1000\n",
                 kind & 4 ? "geometry = /geometry\nshape = centre" : "lon = /x /lon\nlat = /y /lat",
                 kind & 1 ? "road" : "straight");
    const sc_input input = {"x.ini", (const uint8_t *)text, (size_t)size};
    sc_point_settings *settings = NULL;
    if (sc__point_settings_read(&input, &settings, NULL)) abort();
    return settings;
}

static sc_point_settings *settings_of(uint8_t kind)
{
    if (kind & 8) return settings_of_file(kind);
    sc_point_options options = sc_point_options_default();
    options.url = "http://h/{lon}/{lat}/{k}/{category}";
    options.distance = kind & 1 ? SC_POINT_ROAD : SC_POINT_STRAIGHT;
    if (kind & 4) {
        options.list_field = "features";
        options.key_field = "properties.id";
        options.lon_field = "geometry.coordinates.0";
        options.lat_field = "geometry.coordinates.1";
        options.distance_field = "properties.distance";
        options.name_field = "properties.name";
        options.category_field = NULL;
    }
    sc_point_settings *settings = NULL;
    if (sc_point_settings_new(&options, &settings, NULL)) abort();
    return settings;
}

static void check_table(const sc_point_reply *reply)
{
    const sc_object_table *table = sc_point_reply_table(reply);
    for (uint32_t i = 0; i < table->count; i++) {
        const sc_object *object = &table->objects[i];
        DOOR_PROMISE(table->keys[i] < table->strings_size, "a key is one of the strings");
        DOOR_PROMISE(object->name < table->strings_size, "a name is one of the strings");
        const size_t key_size = strlen(table->strings + table->keys[i]);
        DOOR_PROMISE(key_size >= 1 && key_size <= SC_ADAPTER_KEY_MAX,
                     "a key is neither empty nor endless");
        DOOR_PROMISE(strlen(table->strings + object->name) <= SC_ADAPTER_NAME_MAX, "nor is a name");
        DOOR_PROMISE(object->category == SC_NONE || object->category < vocabulary.count,
                     "a category is one that we have a word for");
        DOOR_PROMISE(object->edge == 0 && object->offset <= sc_map_edges(reply->map)[0].length,
                     "an object is near a road");
        double lon = 0.0;
        double lat = 0.0;
        sc_point_reply_position(reply, i, &lon, &lat);
        DOOR_PROMISE(fabs(lon) <= 180.0 && fabs(lat) <= 90.0, "an object is on the globe");
        DOOR_PROMISE(i == 0 || strcmp(table->strings + table->keys[i - 1],
                                      table->strings + table->keys[i]) < 0,
                     "no object is there twice");
    }
}

static void check_answers(sc_point_reply *reply)
{
    const double length_m = sc_map_edge_length_m(reply->map, 0);
    for (int part = 0; part <= 8; part++) {
        for (size_t request = 0; request < reply->request_count; request++) {
            const sc_near *nears = NULL;
            size_t count = 0;
            sc_diag diag = {""};
            DOOR_PROMISE(!sc_point_reply_answer(
                             reply, (sc_road_point){.edge = 0, .offset_m = length_m * part / 8.0},
                             request, &nears, &count, &diag),
                         "what is believed can be answered from");
            const sc_request *r = &reply->requests[request];
            DOOR_PROMISE(r->type == SC_REQUEST_RANGE || count <= r->k, "no more than asked for");
            for (size_t i = 0; i < count; i++) {
                DOOR_PROMISE(nears[i].object < reply->table.count, "an answer names objects");
                DOOR_PROMISE(nears[i].distance_m >= 0.0, "a distance is a number, not negative");
                DOOR_PROMISE(nears[i].duration_s == SC_UNKNOWN_S, "no duration is made up");
                DOOR_PROMISE(r->type == SC_REQUEST_KNN || nears[i].distance_m <= r->radius_m,
                             "nothing is beyond the range");
                DOOR_PROMISE(i == 0 || nears[i - 1].distance_m <= nears[i].distance_m,
                             "the nearest comes first");
            }
        }
    }
}

static sc_err take_everywhere(sc_point_reply *reply, const sc_point_settings *settings,
                              const uint8_t *body, size_t size, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t list = 0; list < reply->list_count && !err; list++) {
        uint32_t k = 0;
        DOOR_PROMISE(!sc__point_reply_next_k(reply, list, 64, &k, diag) && k == 16,
                     "nothing was asked before");
        err =
            sc__point_reply_take(reply, settings, &vocabulary,
                                 &(sc__point_answer_body){list, k, (const char *)body, size}, diag);
        if (err) break;
        DOOR_PROMISE(reply->lists[list].count <= k, "no list is longer than asked for");
        DOOR_PROMISE(reply->lists[list].kth_m >= 0.0, "a list knows how far it reaches");
    }
    if (!err) err = sc__point_reply_settle(reply, diag);
    if (!err) err = sc__point_reply_check(reply, diag);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > DOOR_MAX_SIZE) return 0;
    static const sc_seg_id segments[] = {0};
    sc_request requests[] = {{.type = SC_REQUEST_KNN, .k = 2},
                             {.type = SC_REQUEST_RANGE, .radius_m = 100.0}};
    requests[0].category_count = requests[1].category_count = data[0] >> 1 & 1;
    const sc_relay relay = {
        .segments = segments, .segment_count = 1, .requests = requests, .request_count = 2};
    sc_point_settings *settings = settings_of(data[0]);
    uint8_t *body = door_copy(data + 1, size - 1);
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    if (sc__point_reply_new(small_map(), settings, &relay, &reply, &diag)) abort();

    const sc_err err = take_everywhere(reply, settings, body, size - 1, &diag);
    if (err) {
        DOOR_PROMISE(err == SC_EREPLY || (err == SC_ENET && data[0] & 8),
                     "an answer that makes no sense, or says that it failed, is said to be one");
        door_refused(err, &diag, NULL, 0);
        for (const char *c = diag.message; *c; c++) {
            DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "a terminal can be given the reason");
        }
    } else {
        check_table(reply);
        check_answers(reply);
    }
    sc_point_reply_free(reply);
    sc_point_settings_free(settings);
    free(body);
    return 0;
}
