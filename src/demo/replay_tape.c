// A run record becomes a tape, and a tape shows any of its moments. See replay_tape.h.
//
// The lines behind a cloak say which of its members got no answer after all; a cloak is written to
// the tape when all of them have been read.
#include "demo/replay_tape.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "demo/position_frames.h"
#include "record/run_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

struct sc_tape {
    uint8_t *bytes;  ///< mapped
    uint64_t size;
    sc_time begin;
    sc_time end;
    uint32_t peak;
    bool has_engine;
    sc_engine_options engine;
    const char **names;
    sc_vocabulary vocabulary;
    sc_replay_row *rows;
    size_t row_count;
    sc_time step;  ///< between two rows
};

/** The name of all categories that the map does not have. */
static const char other_category[] = "other";

// --- Entries -------------------------------------------------------------------------------------

/** Entries begin at multiples of this, so that they can be read where they lie. */
enum { ENTRY_ALIGNMENT = 8 };

const sc_request *sc_tape_cloak_requests(const sc_tape_cloak *cloak)
{
    const void *behind = cloak + 1;
    return behind;
}

const sc_tape_member *sc_tape_cloak_members(const sc_tape_cloak *cloak)
{
    const void *behind = sc_tape_cloak_requests(cloak) + cloak->request_count;
    return behind;
}

const sc_seg_id *sc_tape_cloak_segments(const sc_tape_cloak *cloak)
{
    const void *behind = sc_tape_cloak_members(cloak) + cloak->member_count;
    return behind;
}

const sc_node_id *sc_tape_cloak_border_nodes(const sc_tape_cloak *cloak)
{
    return sc_tape_cloak_segments(cloak) + cloak->segment_count;
}

// --- State ---------------------------------------------------------------------------------------

void sc_replay_state_fini(sc_replay_state *state)
{
    sc_free(state->queries);
    *state = (sc_replay_state){0};
}

static void empty_state(sc_replay_state *state)
{
    state->begin = state->end = 0;
    state->open_count = 0;
    state->counts = (sc_replay_counts){0};
}

sc_replay_query *sc_replay_state_find(const sc_replay_state *state, uint32_t number)
{
    if (state->begin == state->end) return NULL;
    const uint32_t first = state->queries[state->begin].query->number;
    if (number < first || number - first >= state->end - state->begin) return NULL;
    sc_replay_query *found = &state->queries[state->begin + (number - first)];
    return found->is_open ? found : NULL;
}

static sc_err open_query(sc_replay_state *state, const sc_tape_query *query)
{
    if (state->end == state->capacity && state->begin > state->capacity / 2) {
        memmove(state->queries, state->queries + state->begin,
                (state->end - state->begin) * sizeof *state->queries);
        state->end -= state->begin;
        state->begin = 0;
    }
    if (!sc_grow(&state->queries, state->end, &state->capacity, sizeof *state->queries)) {
        return SC_ENOMEM;
    }
    state->queries[state->end++] =
        (sc_replay_query){.query = query, .who = SC_NONE, .is_open = true};
    state->open_count++;
    return SC_OK;
}

static void close_query(sc_replay_state *state, uint32_t number)
{
    sc_replay_query *query = sc_replay_state_find(state, number);
    if (!query) return;
    query->is_open = false;
    state->open_count--;
    while (state->begin < state->end && !state->queries[state->begin].is_open) {
        state->begin++;
    }
}

static void count_loss(sc_replay_counts *counts, const sc_tape_loss *loss)
{
    counts->failed += !loss->is_drop;
    counts->dropped += loss->is_drop;
    counts->expired += loss->is_drop && strcmp(loss->reason, "expired") == 0;
    counts->infeasible += loss->is_drop && strcmp(loss->reason, "infeasible") == 0;
}

static void close_members(sc_replay_state *state, const sc_tape_cloak *cloak)
{
    sc_replay_counts *counts = &state->counts;
    const sc_tape_member *members = sc_tape_cloak_members(cloak);
    for (uint32_t i = 0; i < cloak->member_count; i++) {
        close_query(state, members[i].number);
    }
    counts->cloaks++;
    counts->users += cloak->member_count;
    counts->segments += cloak->segment_count;
    counts->answered += cloak->answered_count;
    counts->failed += cloak->member_count - cloak->answered_count;
    counts->wait_s += cloak->wait_s;
}

sc_err sc_replay_state_apply(sc_replay_state *state, const sc_tape_entry *entry)
{
    switch ((sc_tape_kind)entry->kind) {
    case SC_TAPE_QUERY:
        return open_query(state, (const sc_tape_query *)entry);
    case SC_TAPE_LOSS: {
        const sc_tape_loss *loss = (const sc_tape_loss *)entry;
        close_query(state, loss->number);
        count_loss(&state->counts, loss);
        return SC_OK;
    }
    case SC_TAPE_CLOAK:
        close_members(state, (const sc_tape_cloak *)entry);
        return SC_OK;
    }
    return SC_OK;
}

// --- Writing the tape ----------------------------------------------------------------------------

/** A tape that is being written. */
typedef struct writer {
    const sc_map *map;
    const sc_map_grid *grid;
    const char *name;  ///< of the record
    sc_tape *tape;
    FILE *file;
    sc_bytes cloak;  ///< the one at hand; empty: none
    bool has_entry;
    sc_time last;
} writer;

static sc_err fail_file(const writer *w, sc_diag *diag)
{
    return sc_fail(
        diag, SC_EIO,
        "%s: the record cannot be prepared for replay, which needs some room in /tmp: %s", w->name,
        strerror(errno));
}

static sc_err write_entry(writer *w, const void *entry, size_t size, sc_diag *diag)
{
    if (fwrite(entry, 1, size, w->file) != size) return fail_file(w, diag);
    w->tape->size += size;
    return SC_OK;
}

/** All lines with a time pass here, so that those of the tape ascend. */
static sc_err check_time(writer *w, const sc_run_line *line, sc_time t, sc_diag *diag)
{
    if (w->has_entry && t < w->last) {
        return sc_fail(diag, SC_EPARSE,
                       "%s:%" PRIu64
                       ": the event is earlier than one before it; a record is in the "
                       "order of time ('starcloak verify' shows more)",
                       w->name, line->number);
    }
    if (!w->has_entry) w->tape->begin = t;
    w->has_entry = true;
    w->last = t;
    return SC_OK;
}

static void copy_reason(sc_slice reason, char out[SC_TAPE_REASON_SIZE])
{
    const size_t size =
        reason.size < SC_TAPE_REASON_SIZE - 1 ? reason.size : SC_TAPE_REASON_SIZE - 1;
    memcpy(out, reason.text, size);
    out[size] = '\0';
}

static sc_err take_query(writer *w, const sc_run_line *line, sc_diag *diag)
{
    const sc_ask *ask = &line->asked->ask;
    sc_tape_query query;
    memset(&query, 0, sizeof query);
    query.entry = (sc_tape_entry){.t = ask->t, .size = sizeof query, .kind = SC_TAPE_QUERY};
    query.profile = ask->profile;
    query.number = line->query;
    query.segment = line->segment;
    if (w->grid) sc_position_units(w->map, w->grid, ask->edge, ask->offset_m, query.at);
    const sc_err err = check_time(w, line, ask->t, diag);
    return err ? err : write_entry(w, &query, sizeof query, diag);
}

static sc_err take_loss(writer *w, const sc_run_line *line, sc_diag *diag)
{
    sc_tape_loss loss;
    memset(&loss, 0, sizeof loss);
    loss.entry = (sc_tape_entry){.t = line->t, .size = sizeof loss, .kind = SC_TAPE_LOSS};
    loss.number = line->query;
    loss.is_drop = line->is_drop;
    copy_reason(line->reason, loss.reason);
    const sc_err err = check_time(w, line, line->t, diag);
    return err ? err : write_entry(w, &loss, sizeof loss, diag);
}

// --- Cloaks --------------------------------------------------------------------------------------

/** Append a request, unless it is among those that stand behind the head already. */
static bool put_request(const writer *w, const sc_request *asked, sc_bytes *out, uint32_t *count)
{
    const sc_category_id other = w->tape->vocabulary.count - 1;
    sc_request request = *asked;
    for (uint32_t i = 0; i < request.category_count; i++) {
        if (request.categories[i] > other) request.categories[i] = other;
    }
    const void *behind = out->data + sizeof(sc_tape_cloak);
    const sc_request *others = behind;
    for (uint32_t i = 0; i < *count; i++) {
        if (sc_request_equal(&others[i], &request)) return true;
    }
    ++*count;
    return sc_bytes_append(out, &request, sizeof request);
}

static bool put_cloak(const writer *w, const sc_run_cloak *cloak, sc_bytes *out)
{
    static const uint8_t zeros[ENTRY_ALIGNMENT] = {0};
    sc_tape_cloak head;
    memset(&head, 0, sizeof head);
    head.entry = (sc_tape_entry){.t = cloak->t, .kind = SC_TAPE_CLOAK};
    head.number = cloak->number;
    head.answered_count = head.member_count = (uint32_t)cloak->member_count;
    head.segment_count = (uint32_t)cloak->segment_count;
    head.border_node_count = (uint32_t)cloak->border_node_count;
    bool fits = sc_bytes_append(out, &head, sizeof head);
    for (size_t i = 0; fits && i < cloak->member_count; i++) {
        fits = put_request(w, &cloak->members[i].request, out, &head.request_count);
    }
    for (size_t i = 0; fits && i < cloak->member_count; i++) {
        const sc_run_member *from = &cloak->members[i];
        const sc_tape_member member = {.asked = from->asked, .number = from->number};
        head.wait_s += (double)(cloak->t - from->asked) * 1e-6;
        fits = sc_bytes_append(out, &member, sizeof member);
    }
    fits = fits &&
           sc_bytes_append(out, cloak->segments, cloak->segment_count * sizeof(sc_seg_id)) &&
           sc_bytes_append(out, cloak->border_nodes, cloak->border_node_count * sizeof(sc_node_id));
    // Both are numbers of four bytes, so there are four or none to fill up.
    fits = fits && sc_bytes_append(out, zeros, out->size % ENTRY_ALIGNMENT);
    if (!fits) return false;
    head.entry.size = (uint32_t)out->size;
    memcpy(out->data, &head, sizeof head);
    return true;
}

static sc_err take_cloak(writer *w, const sc_run_line *line, sc_diag *diag)
{
    const sc_err err = check_time(w, line, line->cloak.t, diag);
    if (err) return err;
    return put_cloak(w, &line->cloak, &w->cloak) ? SC_OK
                                                 : sc_fail_memory(diag, "reading the record");
}

/** A member of the cloak at hand was not answered after all. */
static void take_failure(const writer *w, const sc_run_line *line)
{
    if (w->cloak.size == 0) return;
    void *bytes = w->cloak.data;
    sc_tape_cloak *cloak = bytes;
    void *behind = (sc_request *)(cloak + 1) + cloak->request_count;
    sc_tape_member *members = behind;
    for (uint32_t i = 0; i < cloak->member_count; i++) {
        if (members[i].number != line->query || members[i].failure[0] != '\0') continue;
        copy_reason(line->reason, members[i].failure);
        cloak->answered_count--;
        cloak->wait_s -= (double)(cloak->entry.t - members[i].asked) * 1e-6;
        return;
    }
}

static sc_err flush_cloak(writer *w, sc_diag *diag)
{
    if (w->cloak.size == 0) return SC_OK;
    const sc_err err = write_entry(w, w->cloak.data, w->cloak.size, diag);
    w->cloak.size = 0;
    return err;
}

// --- Reading the record --------------------------------------------------------------------------

static sc_err take_end(writer *w, const sc_run_line *line, sc_diag *diag)
{
    if (!w->has_entry) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: no query was asked in this run, so there is nothing to replay",
                       w->name);
    }
    const sc_err err = check_time(w, line, line->t, diag);
    if (err) return err;
    w->tape->end = line->t;
    w->tape->has_engine = line->has_engine;
    w->tape->engine = line->engine;
    return SC_OK;
}

static sc_err take_line(writer *w, const sc_run_line *line, sc_diag *diag)
{
    if (line->kind == SC_RUN_ANSWER) {
        if (line->query != SC_NONE) take_failure(w, line);
        return SC_OK;
    }
    const sc_err err = flush_cloak(w, diag);
    if (err) return err;
    switch (line->kind) {
    case SC_RUN_QUERY:
        return take_query(w, line, diag);
    case SC_RUN_CLOAK:
        return take_cloak(w, line, diag);
    case SC_RUN_END:
        return take_end(w, line, diag);
    case SC_RUN_ANSWER:
    case SC_RUN_AREAS:
    case SC_RUN_OTHER:
        break;
    }
    return line->query != SC_NONE ? take_loss(w, line, diag) : SC_OK;
}

static sc_err read_record(writer *w, sc_run_reader *reader, sc_diag *diag)
{
    for (;;) {
        sc_run_line line;
        sc_err err = sc_run_reader_next(reader, &line, diag);
        if (!err && !line.text.text) return SC_OK;
        if (!err) err = take_line(w, &line, diag);
        if (err) return err;
    }
}

static sc_err map_tape(const writer *w, sc_diag *diag)
{
    sc_tape *tape = w->tape;
    if (fflush(w->file) != 0) return fail_file(w, diag);
    void *bytes = mmap(NULL, tape->size, PROT_READ, MAP_PRIVATE, fileno(w->file), 0);
    if (bytes == MAP_FAILED) return fail_file(w, diag);
    tape->bytes = bytes;
    return SC_OK;
}

static sc_err write_tape(sc_tape *tape, const sc_map *map, const sc_map_grid *grid,
                         sc_run_reader *reader, sc_diag *diag)
{
    writer w = {.map = map,
                .grid = grid,
                .name = sc_run_reader_name(reader),
                .tape = tape,
                .file = tmpfile()};
    sc_run_reader_want_users(reader);
    sc_run_reader_want_ends(reader);
    sc_err err = w.file ? read_record(&w, reader, diag) : fail_file(&w, diag);
    if (!err) err = map_tape(&w, diag);
    if (w.file) fclose(w.file);  // what is mapped stays
    sc_bytes_fini(&w.cloak);
    return err;
}

/** The map's names of categories, and one for all others. */
static sc_err take_names(sc_tape *tape, const sc_map *map)
{
    const uint32_t count = sc_map_category_count(map);
    tape->names = sc_malloc_array((size_t)count + 1, sizeof *tape->names);
    if (!tape->names) return SC_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        tape->names[i] = sc_map_category_name(map, i);
    }
    tape->names[count] = other_category;
    tape->vocabulary = (sc_vocabulary){.names = tape->names, .count = count + 1};
    return SC_OK;
}

// --- Rows ----------------------------------------------------------------------------------------

static sc_err apply_until(const sc_tape *tape, sc_time t, sc_replay_state *state, uint64_t *place,
                          uint32_t *peak)
{
    for (const sc_tape_entry *entry; (entry = sc_tape_at(tape, *place)) && entry->t <= t;) {
        const sc_err err = sc_replay_state_apply(state, entry);
        if (err) return err;
        *place += entry->size;
        if (peak && state->open_count > *peak) *peak = state->open_count;
    }
    return SC_OK;
}

static sc_replay_row row_of(const sc_tape *tape, const sc_replay_state *state, uint64_t next)
{
    uint64_t oldest = next;
    if (state->begin < state->end) {
        const void *query = state->queries[state->begin].query;
        oldest = (uint64_t)((const uint8_t *)query - tape->bytes);
    }
    return (sc_replay_row){
        .next = next, .oldest = oldest, .pending = state->open_count, .counts = state->counts};
}

static sc_err make_rows(sc_tape *tape)
{
    const sc_time second = sc_time_from_seconds(1);
    const sc_time length = tape->end - tape->begin;
    tape->step = length / (SC_REPLAY_ROWS_MAX - 1) + 1;
    if (tape->step < second) tape->step = second;
    tape->row_count = (size_t)(length / tape->step) + 1;
    tape->rows = sc_malloc_array(tape->row_count, sizeof *tape->rows);
    if (!tape->rows) return SC_ENOMEM;
    sc_replay_state state = {0};
    uint64_t place = 0;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < tape->row_count; i++) {
        const sc_time t = tape->begin + (sc_time)i * tape->step;
        err = apply_until(tape, t, &state, &place, &tape->peak);
        if (!err) tape->rows[i] = row_of(tape, &state, place);
    }
    if (!err) err = apply_until(tape, tape->end, &state, &place, &tape->peak);
    sc_replay_state_fini(&state);
    return err;
}

size_t sc_tape_row_count(const sc_tape *tape)
{
    return tape->row_count;
}

const sc_replay_row *sc_tape_row(const sc_tape *tape, size_t row, sc_time *t)
{
    *t = tape->begin + (sc_time)row * tape->step;
    return &tape->rows[row];
}

size_t sc_tape_row_at(const sc_tape *tape, sc_time t)
{
    if (t <= tape->begin) return 0;
    const size_t row = (size_t)((t - tape->begin) / tape->step);
    return row < tape->row_count ? row : tape->row_count - 1;
}

sc_err sc_tape_seek(const sc_tape *tape, sc_time t, sc_replay_state *state, uint64_t *next)
{
    const sc_replay_row *row = &tape->rows[sc_tape_row_at(tape, t)];
    uint64_t place = row->oldest;
    sc_err err = SC_OK;
    empty_state(state);
    while (!err && place < row->next) {
        const sc_tape_entry *entry = sc_tape_at(tape, place);
        err = sc_replay_state_apply(state, entry);
        place += entry->size;
    }
    state->counts = row->counts;
    if (!err) err = apply_until(tape, t, state, &place, NULL);
    if (err) {
        empty_state(state);
        return err;
    }
    *next = place;
    return SC_OK;
}

// --- The tape ------------------------------------------------------------------------------------

/** @param path  NULL: the record is `input` */
static sc_err open_tape(sc_tape *tape, const sc_map *map, const sc_map_grid *grid, const char *path,
                        const sc_input *input, sc_diag *diag)
{
    // Names that the map does not have are no reason to refuse a record that is only shown.
    const sc_vocabulary known = {.names = tape->names, .count = tape->vocabulary.count - 1};
    sc_run_reader *reader = NULL;
    sc_err err = path ? sc_run_reader_open(map, &known, path, &reader, diag)
                      : sc_run_reader_of(map, &known, input, &reader, diag);
    if (err) return err;
    err = write_tape(tape, map, grid, reader, diag);
    sc_run_reader_free(reader);
    if (err) return err;
    err = make_rows(tape);
    return err ? sc_fail_memory(diag, "reading the record") : SC_OK;
}

static sc_err new_tape(const sc_map *map, const sc_map_grid *grid, const char *path,
                       const sc_input *input, sc_tape **out, sc_diag *diag)
{
    sc_tape *tape = sc_calloc(1, sizeof *tape);
    if (!tape || take_names(tape, map)) {
        sc_tape_free(tape);
        return sc_fail_memory(diag, "reading the record");
    }
    const sc_err err = open_tape(tape, map, grid, path, input, diag);
    if (err) {
        sc_tape_free(tape);
        return err;
    }
    *out = tape;
    return SC_OK;
}

sc_err sc_tape_open(const sc_map *map, const sc_map_grid *grid, const char *path, sc_tape **out,
                    sc_diag *diag)
{
    return new_tape(map, grid, path, NULL, out, diag);
}

sc_err sc_tape_of(const sc_map *map, const sc_map_grid *grid, const sc_input *input, sc_tape **out,
                  sc_diag *diag)
{
    return new_tape(map, grid, NULL, input, out, diag);
}

void sc_tape_free(sc_tape *tape)
{
    if (!tape) return;
    if (tape->bytes) munmap(tape->bytes, tape->size);
    sc_free(tape->rows);
    sc_free(tape->names);
    sc_free(tape);
}

sc_time sc_tape_begin(const sc_tape *tape)
{
    return tape->begin;
}

sc_time sc_tape_end(const sc_tape *tape)
{
    return tape->end;
}

uint32_t sc_tape_peak(const sc_tape *tape)
{
    return tape->peak;
}

const sc_engine_options *sc_tape_engine(const sc_tape *tape)
{
    return tape->has_engine ? &tape->engine : NULL;
}

const sc_vocabulary *sc_tape_vocabulary(const sc_tape *tape)
{
    return &tape->vocabulary;
}

const sc_tape_entry *sc_tape_at(const sc_tape *tape, uint64_t place)
{
    return place < tape->size ? (const sc_tape_entry *)(const void *)(tape->bytes + place) : NULL;
}
