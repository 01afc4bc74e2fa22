// Door: run records, as `starcloak demo --replay` reads them.
//
// The input is a record of a small town (town.h). It is refused in one line, or it becomes a tape:
// then its entries are in the order of time, cloaks and queries lie within the town, and a seek to
// any row shows what playing from the beginning shows.
#include "door.h"
#include "town.h"

#include "demo/replay_tape.h"

static sc_map *town = NULL;

static void check_query(const sc_tape_query *query, uint32_t *asked)
{
    DOOR_PROMISE(query->number == (*asked)++, "queries are numbered without gaps");
    DOOR_PROMISE(query->segment < sc_map_segment_count(town), "a query is on a segment");
}

static void check_cloak(const sc_tape *tape, const sc_tape_cloak *cloak, uint32_t asked)
{
    const sc_vocabulary *vocabulary = sc_tape_vocabulary(tape);
    const uint8_t *end =
        (const uint8_t *)(sc_tape_cloak_border_nodes(cloak) + cloak->border_node_count);
    DOOR_PROMISE(end <= (const uint8_t *)cloak + cloak->entry.size, "a cloak is in its entry");
    DOOR_PROMISE(cloak->answered_count <= cloak->member_count, "no more are answered than asked");
    for (uint32_t i = 0; i < cloak->member_count; i++) {
        const sc_tape_member *member = &sc_tape_cloak_members(cloak)[i];
        DOOR_PROMISE(member->number < asked, "members have asked before");
        DOOR_PROMISE(memchr(member->failure, '\0', sizeof member->failure), "a reason ends");
    }
    for (uint32_t i = 0; i < cloak->segment_count; i++) {
        DOOR_PROMISE(sc_tape_cloak_segments(cloak)[i] < sc_map_segment_count(town),
                     "a cloak is made of segments of the map");
    }
    for (uint32_t i = 0; i < cloak->request_count; i++) {
        const sc_request *request = &sc_tape_cloak_requests(cloak)[i];
        for (uint32_t j = 0; j < request->category_count; j++) {
            DOOR_PROMISE(request->categories[j] < vocabulary->count, "every category has a name");
        }
    }
}

static void check_entry(const sc_tape *tape, const sc_tape_entry *entry, uint32_t *asked)
{
    const void *whole = entry;
    DOOR_PROMISE(entry->t >= sc_tape_begin(tape) && entry->t <= sc_tape_end(tape),
                 "all happens between the beginning and the end");
    if (entry->kind == SC_TAPE_QUERY) check_query(whole, asked);
    if (entry->kind == SC_TAPE_CLOAK) check_cloak(tape, whole, *asked);
}

static bool are_equal(const sc_replay_counts *a, const sc_replay_counts *b)
{
    return a->answered == b->answered && a->dropped == b->dropped && a->expired == b->expired &&
           a->infeasible == b->infeasible && a->failed == b->failed && a->cloaks == b->cloaks &&
           a->users == b->users && a->segments == b->segments && a->wait_s == b->wait_s;
}

/** A seek shows what was played. */
static void check_seek(const sc_tape *tape, sc_time t, const sc_replay_state *played,
                       uint64_t place)
{
    sc_replay_state sought = {0};
    uint64_t next = 0;
    if (sc_tape_seek(tape, t, &sought, &next)) abort();
    DOOR_PROMISE(next == place, "a seek goes on where playing does");
    DOOR_PROMISE(sought.open_count == played->open_count, "with as many who wait");
    DOOR_PROMISE(are_equal(&sought.counts, &played->counts), "and the same counts");
    for (size_t i = sought.begin; i < sought.end; i++) {
        const sc_replay_query *query = &sought.queries[i];
        const sc_replay_query *other = sc_replay_state_find(played, query->query->number);
        DOOR_PROMISE(query->is_open == (other != NULL), "and the same who wait");
    }
    sc_replay_state_fini(&sought);
}

static void check_tape(const sc_tape *tape)
{
    enum { SEEKS = 50 };
    sc_replay_state played = {0};
    uint64_t place = 0;
    uint32_t asked = 0;
    sc_time last = sc_tape_begin(tape);
    const size_t rows = sc_tape_row_count(tape);
    const size_t apart = rows / SEEKS + 1;
    for (size_t row = 0; row < rows; row += apart) {
        sc_time t = 0;
        (void)sc_tape_row(tape, row, &t);
        for (const sc_tape_entry *entry; (entry = sc_tape_at(tape, place)) && entry->t <= t;) {
            DOOR_PROMISE(entry->t >= last, "time does not go back");
            last = entry->t;
            check_entry(tape, entry, &asked);
            if (sc_replay_state_apply(&played, entry)) abort();
            DOOR_PROMISE(played.open_count <= sc_tape_peak(tape), "no more wait than the most");
            place += entry->size;
        }
        check_seek(tape, t, &played, place);
    }
    sc_replay_state_fini(&played);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"run.jsonl", copy, size};
    sc_tape *tape = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_tape_of(town, NULL, &input, &tape, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
    } else {
        check_tape(tape);
    }
    sc_tape_free(tape);
    free(copy);
    return 0;
}
