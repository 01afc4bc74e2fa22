// Door: run records, as `starcloak evaluate` and `starcloak attack` read them.
//
// The input is a record of a small town (town.h), whose objects have one more category than the
// map. A record is refused in one line, or it is read to its end; then every cloak in it can be
// worked with: roads exist and ascend, members are on them, and their requests are in normal form.
//
// Who wants to know who asks reads it too, and accepts no more: then every question has a user and
// needs that can be asked for, and an engine can be made with the options at the end.
#include "door.h"
#include "town.h"

#include "record/run_reader.h"

#include <starcloak/engine.h>

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
    DOOR_PROMISE(member->segment == sc_map_edges(map)[member->edge].segment, "of its segment");
    bool is_inside = false;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        is_inside = is_inside || cloak->segments[i] == member->segment;
    }
    DOOR_PROMISE(is_inside, "a member is on a segment of its cloak");
    const sc_request normal = sc_request_normalise(&member->request);
    DOOR_PROMISE(sc_request_equal(&normal, &member->request), "a request is in normal form");
    for (uint32_t i = 0; i < member->request.category_count; i++) {
        const sc_category_id category = member->request.categories[i];
        DOOR_PROMISE(category < vocabulary.count || category == SC_NONE,
                     "of known categories, or told to be of none");
    }
}

static void check_profile(const sc_profile *profile)
{
    DOOR_PROMISE(profile->k >= 1 && profile->l >= 1 && profile->max_wait_us > 0,
                 "needs are such that an engine takes them");
}

static void check_question(const sc_map *map, const sc_run_line *line)
{
    DOOR_PROMISE(line->segment < sc_map_segment_count(map), "a question is on a segment");
    if (!line->asked) return;
    const sc_ask *ask = &line->asked->ask;
    DOOR_PROMISE(ask->user_size > 0, "a user has bytes");
    for (size_t i = 0; i < ask->user_size; i++) {
        (void)*(const volatile char *)&ask->user[i];  // whether they are there
    }
    DOOR_PROMISE(ask->is_on_edge && sc_map_edges(map)[ask->edge].segment == line->segment,
                 "a question is asked on an edge of its segment");
    check_profile(&ask->profile);
}

static void check_engine(const sc_map *map, const sc_engine_options *options)
{
    sc_rng *rng = NULL;
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    if (sc_rng_new_seeded(1, &rng)) abort();
    DOOR_PROMISE(sc_engine_new(map, options, rng, &engine, &diag) == SC_OK,
                 "an engine can be made as the end says");
    sc_engine_free(engine);
    sc_rng_free(rng);
}

static void check_cloak(const sc_map *map, const sc_run_cloak *cloak, bool wants_users)
{
    DOOR_PROMISE(cloak->segment_count > 0 && cloak->member_count > 0, "a cloak is not empty");
    check_ascending(cloak->segments, cloak->segment_count, sc_map_segment_count(map));
    check_ascending(cloak->border_nodes, cloak->border_node_count, sc_map_node_count(map));
    for (size_t i = 0; i < cloak->member_count; i++) {
        check_member(map, cloak, &cloak->members[i]);
        if (wants_users) check_profile(&cloak->members[i].profile);
    }
}

static bool is_within(sc_slice text, const sc_input *input)
{
    const char *start = (const char *)input->data;
    return text.text >= start && text.text + text.size <= start + input->size;
}

// Read to the end; members are counted, for none can be in two cloaks.
static sc_err read_lines(const sc_map *map, sc_run_reader *reader, const sc_input *input,
                         bool wants_users, sc_diag *diag)
{
    size_t line_count = 0;
    size_t member_count = 0;
    size_t query_count = 0;
    for (;;) {
        sc_run_line line;
        const sc_err err = sc_run_reader_next(reader, &line, diag);
        if (err) return err;
        if (!line.text.text) break;
        DOOR_PROMISE(is_within(line.text, input), "a line comes as it is");
        DOOR_PROMISE(!memchr(line.text.text, '\n', line.text.size), "and is one line");
        line_count++;
        DOOR_PROMISE(wants_users || (!line.asked && !line.has_engine), "nothing unwanted is told");
        if (line.kind == SC_RUN_QUERY) check_question(map, &line);
        if (line.has_engine) check_engine(map, &line.engine);
        query_count += line.kind == SC_RUN_QUERY;
        DOOR_PROMISE(line.query == SC_NONE || line.query < query_count,
                     "what ends was asked before");
        if (line.kind != SC_RUN_CLOAK) continue;
        check_cloak(map, &line.cloak, wants_users);
        member_count += line.cloak.member_count;
    }
    DOOR_PROMISE(member_count < line_count, "each member has asked in a line of its own");
    return SC_OK;
}

static sc_err read_all(const sc_map *map, const sc_input *input, bool wants_users)
{
    sc_run_reader *reader = NULL;
    sc_diag diag = {""};
    if (sc_run_reader_of(map, &vocabulary, input, &reader, &diag)) abort();
    if (wants_users) sc_run_reader_want_users(reader);
    if (wants_users) sc_run_reader_want_ends(reader);
    const sc_err err = read_lines(map, reader, input, wants_users, &diag);
    if (err) door_refused(err, &diag, input, 1);
    sc_run_reader_free(reader);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"run.jsonl", copy, size};
    const sc_err plain = read_all(town, &input, false);
    const sc_err asking = read_all(town, &input, true);
    DOOR_PROMISE(!plain || asking, "who wants to know more accepts no more");
    free(copy);
    return 0;
}
