// Door: a stream of queries, one JSON object per line.
//
// The input is the file; the map has two categories, "cafe" and one that JSON must
// escape. What is accepted is written and read again, and must be the same queries.
// What is refused is refused with the name and the line.
#include "door.h"

#include "record/stream.h"

static void put_object(sc_builder *builder, const char *category)
{
    sc_category_id id = SC_NONE;
    if (sc_builder_add_category(builder, category, strlen(category), &id) ||
        sc_builder_add_object_on_edge(builder, 0, 0.5, id, "", 0)) {
        abort();
    }
}

// One road; made once, for all inputs.
static const sc_map *small_map(void)
{
    static sc_map *map;
    if (map) return map;
    sc_builder *builder = NULL;
    sc_node_id a = 0;
    sc_node_id b = 0;
    if (sc_builder_new(SC_COORDS_GEOGRAPHIC, &builder) ||
        sc_builder_add_node(builder, 8.0, 50.0, &a) ||
        sc_builder_add_node(builder, 8.1, 50.0, &b) ||
        sc_builder_add_edge(builder, a, b, SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, NULL)) {
        abort();
    }
    put_object(builder, "cafe");
    put_object(builder, "\"\\\t\xc3\xa9");
    if (sc_builder_finish(builder, HUGE_VAL, NULL, &map, NULL, NULL)) abort();
    sc_builder_free(builder);
    return map;
}

static bool are_equal(const sc_request_line *a, const sc_request_line *b)
{
    return a->ask.user_size == b->ask.user_size &&
           memcmp(a->ask.user, b->ask.user, a->ask.user_size) == 0 && a->ask.t == b->ask.t &&
           a->ask.is_on_edge == b->ask.is_on_edge && a->ask.x == b->ask.x && a->ask.y == b->ask.y &&
           a->ask.edge == b->ask.edge && a->ask.offset_m == b->ask.offset_m &&
           a->ask.profile.k == b->ask.profile.k && a->ask.profile.l == b->ask.profile.l &&
           a->ask.profile.max_hops == b->ask.profile.max_hops &&
           a->ask.profile.max_wait_us == b->ask.profile.max_wait_us &&
           a->ask.result_size == b->ask.result_size && sc_request_equal(&a->request, &b->request);
}

static void check_line(const sc_request_line *line)
{
    DOOR_PROMISE(line->ask.user[line->ask.user_size] == '\0', "a user ends with a NUL");
    DOOR_PROMISE(line->ask.user_size == strlen(line->ask.user), "and has none before");
    DOOR_PROMISE(isfinite(line->ask.x) && isfinite(line->ask.y) && isfinite(line->ask.offset_m),
                 "a place is made of numbers");
    const bool is_knn = line->request.type == SC_REQUEST_KNN;
    DOOR_PROMISE(is_knn ? line->request.k >= 1 : line->request.radius_m >= 0,
                 "a request asks for something");
    const sc_request normal = sc_request_normalise(&line->request);
    DOOR_PROMISE(sc_request_equal(&normal, &line->request), "a request is in normal form");
}

static void write_and_read(const sc_map *map, const sc_stream *stream)
{
    char *text = NULL;
    size_t size = 0;
    size_t count = 0;
    size_t count_again = 0;
    const sc_request_line *lines = sc_stream_lines(stream, &count);
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    for (size_t i = 0; i < count; i++) {
        check_line(&lines[i]);
        sc_stream_write(out, map, &lines[i].ask, &lines[i].request);
    }
    fclose(out);

    sc_stream *again = NULL;
    sc_diag diag = {""};
    if (sc_stream_parse(map, text, size, "again", &again, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        DOOR_PROMISE(false, "what is written can be read");
    }
    const sc_request_line *lines_again = sc_stream_lines(again, &count_again);
    DOOR_PROMISE(count_again == count, "a query is a line");
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(are_equal(&lines[i], &lines_again[i]), "what is written reads back equal");
    }
    sc_stream_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    const sc_map *map = small_map();
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {.name = "a.jsonl:", .data = copy, .size = size};
    sc_stream *stream = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_stream_parse(map, (const char *)copy, size, "a.jsonl", &stream, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
    } else {
        write_and_read(map, stream);
        sc_stream_free(stream);
    }
    free(copy);
    return 0;
}
