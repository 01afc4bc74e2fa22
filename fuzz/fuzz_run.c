// Door: run records, as `starcloak evaluate` reads them.
//
// The input is a record of a small town (town.h), whose objects have one more category than the
// map. A record is refused in one line, or it is read to its end; then every cloak in it can be
// worked with: roads exist and ascend, members are on them, and their requests are in normal form.
#include "door.h"
#include "town.h"

#include "record/run_reader.h"

static const char *const words[] = {"cafe", "school", "clinic"};
static const sc_vocabulary vocabulary = {words, 3};

static void check_ascending(const uint32_t *ids, size_t count, uint32_t end)
{
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(ids[i] < end, "a cloak is made of roads of the map");
        DOOR_PROMISE(i == 0 || ids[i - 1] < ids[i], "which ascend");
    }
}

static void check_member(const sc_map *map, const sc_run_cloak *cloak, const sc_run_member *member)
{
    DOOR_PROMISE(member->query.size > 0, "a member has an id");
    DOOR_PROMISE(member->edge < sc_map_edge_count(map), "a member is on an edge");
    DOOR_PROMISE(member->offset_m >= 0 &&
                     member->offset_m <= sc_map_edge_length_m(map, member->edge),
                 "and not beyond it");
    const sc_seg_id segment = sc_map_edges(map)[member->edge].segment;
    bool is_inside = false;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        is_inside = is_inside || cloak->segments[i] == segment;
    }
    DOOR_PROMISE(is_inside, "a member is on a segment of its cloak");
    const sc_request normal = sc_request_normal(&member->request);
    DOOR_PROMISE(sc_request_equal(&normal, &member->request), "a request is in normal form");
    for (uint32_t i = 0; i < member->request.category_count; i++) {
        const sc_category_id category = member->request.categories[i];
        DOOR_PROMISE(category < vocabulary.count || category == SC_NONE,
                     "of known categories, or told to be of none");
    }
}

static void check_cloak(const sc_map *map, const sc_run_cloak *cloak)
{
    DOOR_PROMISE(cloak->segment_count > 0 && cloak->member_count > 0, "a cloak is not empty");
    check_ascending(cloak->segments, cloak->segment_count, sc_map_segment_count(map));
    check_ascending(cloak->border_nodes, cloak->border_node_count, sc_map_node_count(map));
    for (size_t i = 0; i < cloak->member_count; i++) {
        check_member(map, cloak, &cloak->members[i]);
    }
}

static bool is_within(sc_slice text, const sc_input *input)
{
    const char *start = (const char *)input->data;
    return text.text >= start && text.text + text.size <= start + input->size;
}

// Read to the end; members are counted, for none can be in two cloaks.
static sc_err read_all(const sc_map *map, sc_run_reader *reader, const sc_input *input,
                       sc_diag *diag)
{
    size_t line_count = 0;
    size_t member_count = 0;
    for (;;) {
        sc_run_line line;
        const sc_err err = sc_run_reader_next(reader, &line, diag);
        if (err) return err;
        if (!line.text.text) break;
        DOOR_PROMISE(is_within(line.text, input), "a line comes as it is");
        DOOR_PROMISE(!memchr(line.text.text, '\n', line.text.size), "and is one line");
        line_count++;
        if (line.kind != SC_RUN_CLOAK) continue;
        check_cloak(map, &line.cloak);
        member_count += line.cloak.member_count;
    }
    DOOR_PROMISE(member_count < line_count, "each member has asked in a line of its own");
    return SC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"run.jsonl", copy, size};
    sc_run_reader *reader = NULL;
    sc_diag diag = {""};
    if (sc_run_reader_of(town, &vocabulary, &input, &reader, &diag)) abort();
    const sc_err err = read_all(town, reader, &input, &diag);
    if (err) door_refused(err, &diag, &input, 1);
    sc_run_reader_free(reader);
    free(copy);
    return 0;
}
