// Messages as bytes: the envelope that all of them share, memory for one message, heartbeats and
// placements. cluster_codec_messages.c and cluster_codec_proposal.c have the messages between
// gateways and workers.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

// --- Memory for one message --------------------------------------------------------------------
//
// Given out piece by piece, wiped and released at once. protobuf-c spends some hundred bytes on a
// part that has two in a message. The limit keeps a small hostile message from unfolding into a
// large one.

/** Of most messages the first chunk is enough. */
enum { CHUNK_SIZE = 4096 };

struct sc__cluster_scratch_chunk {
    sc__cluster_scratch_chunk *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

static bool add_chunk(sc__cluster_scratch *scratch, size_t size)
{
    if (size < CHUNK_SIZE) size = CHUNK_SIZE;
    sc__cluster_scratch_chunk *chunk = sc_malloc(sizeof *chunk + size);
    if (!chunk) return false;
    *chunk = (sc__cluster_scratch_chunk){.next = scratch->chunks, .size = size};
    scratch->chunks = chunk;
    return true;
}

void *sc__cluster_scratch_take(sc__cluster_scratch *scratch, size_t count, size_t size)
{
    const size_t mask = alignof(max_align_t) - 1;
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, mask, &bytes) || (bytes & ~mask) > scratch->left) {
        scratch->is_over = true;
        return NULL;
    }
    bytes &= ~mask;
    sc__cluster_scratch_chunk *chunk = scratch->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        if (!add_chunk(scratch, bytes)) {
            scratch->out_of_memory = true;
            return NULL;
        }
        chunk = scratch->chunks;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += bytes;
    scratch->left -= bytes;
    return memset(memory, 0, bytes);
}

void sc__cluster_scratch_fini(sc__cluster_scratch *scratch)
{
    while (scratch->chunks) {
        sc__cluster_scratch_chunk *chunk = scratch->chunks;
        scratch->chunks = chunk->next;
        explicit_bzero(chunk->bytes, chunk->used);
        sc_free(chunk);
    }
}

// --- The envelope; ascending ids, moments ------------------------------------------------------

/**
 * Unpacked, a message may take so many times its size, and a little more. Columns of numbers take
 * eight times at most, where each has one byte; requests, the smallest parts that come in numbers,
 * less than that together with the ids of their queries.
 */
enum { GROWTH = 16, ALLOWANCE = 1 << 16 };

// --- Packing and unpacking ---------------------------------------------------------------------

// Not by realloc: what was there before may be of a query, and a copy of it would stay behind.
static bool make_room(sc_bytes *bytes, size_t size)
{
    if (bytes->data) explicit_bzero(bytes->data, bytes->size);
    bytes->size = 0;
    if (size <= bytes->capacity) return true;
    uint8_t *larger = sc_malloc(size);
    if (!larger) return false;
    sc_free(bytes->data);
    *bytes = (sc_bytes){.data = larger, .capacity = size};
    return true;
}

sc_err sc__cluster_pack(const Starcloak__Cluster__Message *message, sc_bytes *out)
{
    const size_t size = starcloak__cluster__message__get_packed_size(message);
    if (size > SC__CLUSTER_MESSAGE_MAX) return SC_ELIMIT;
    if (!make_room(out, size)) return SC_ENOMEM;
    out->size = starcloak__cluster__message__pack(message, out->data);
    return SC_OK;
}

static void *take(void *scratch, size_t size)
{
    return sc__cluster_scratch_take(scratch, size, 1);
}

// All of it is released at once.
static void give_back(void *scratch, void *memory)
{
    (void)scratch, (void)memory;
}

sc_err sc__cluster_unpack(const void *bytes, size_t size, sc_message_kind kind,
                          sc__cluster_scratch *scratch, const Starcloak__Cluster__Message **out)
{
    if (size > SC__CLUSTER_MESSAGE_MAX) return SC_ELIMIT;
    *scratch = sc__cluster_scratch_of(size * GROWTH + ALLOWANCE);
    ProtobufCAllocator allocator = {take, give_back, scratch};
    const Starcloak__Cluster__Message *message =
        starcloak__cluster__message__unpack(&allocator, size, bytes);
    if (!message && scratch->is_over) return SC_ELIMIT;
    if (!message && scratch->out_of_memory) return SC_ENOMEM;
    // The cases of the oneof are the numbers of its fields, and those are the kinds.
    if (!message || (unsigned)message->what_case != (unsigned)kind) return SC_EPARSE;
    *out = message;
    return SC_OK;
}

// --- Ids that ascend ---------------------------------------------------------------------------

bool sc__cluster_steps_write(const uint32_t *ids, size_t count, uint32_t limit, uint32_t *steps)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= limit || (i > 0 && ids[i] <= ids[i - 1])) return false;
        steps[i] = i > 0 ? ids[i] - ids[i - 1] : ids[i];
    }
    return true;
}

sc_err sc__cluster_steps_read(const uint32_t *steps, size_t count, uint32_t limit, uint32_t *ids)
{
    uint64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && steps[i] == 0) return SC_EPARSE;
        id += steps[i];
        if (id >= limit) return SC_EUNKNOWN;
        ids[i] = (uint32_t)id;
    }
    return SC_OK;
}

// --- Moments -----------------------------------------------------------------------------------

/** As far from 1970 as any moment may be: 2^33 seconds. */
static const sc_time farthest = (sc_time)1000000 << 33;

static bool is_calendar(int64_t us)
{
    return us >= -farthest && us <= farthest;
}

bool sc__cluster_time_write(sc_time t, int64_t offset_us, int64_t *out)
{
    if (t == SC_TIME_NEVER) {
        *out = SC_TIME_NEVER;
        return true;
    }
    return !__builtin_add_overflow(t, offset_us, out) && is_calendar(*out);
}

bool sc__cluster_time_read(int64_t calendar_us, int64_t offset_us, sc_time *out)
{
    if (calendar_us == SC_TIME_NEVER) {
        *out = SC_TIME_NEVER;
        return true;
    }
    return is_calendar(calendar_us) && !__builtin_sub_overflow(calendar_us, offset_us, out) &&
           *out != SC_TIME_NEVER;
}

// --- Heartbeats --------------------------------------------------------------------------------

typedef Starcloak__Cluster__Heartbeat heartbeat_pb;
typedef Starcloak__Cluster__Parts columns;

// --- Heartbeats: writing -----------------------------------------------------------------------

static bool take_columns(size_t count, sc__cluster_scratch *scratch, columns *out)
{
    out->part = sc__cluster_scratch_take(scratch, count, sizeof *out->part);
    out->engine_thread = sc__cluster_scratch_take(scratch, count, sizeof *out->engine_thread);
    out->queries = sc__cluster_scratch_take(scratch, count, sizeof *out->queries);
    out->company = sc__cluster_scratch_take(scratch, count, sizeof *out->company);
    out->cloaks = sc__cluster_scratch_take(scratch, count, sizeof *out->cloaks);
    out->dropped = sc__cluster_scratch_take(scratch, count, sizeof *out->dropped);
    out->cpu_us = sc__cluster_scratch_take(scratch, count, sizeof *out->cpu_us);
    out->pending = sc__cluster_scratch_take(scratch, count, sizeof *out->pending);
    out->held = sc__cluster_scratch_take(scratch, count, sizeof *out->held);
    out->n_part = out->n_engine_thread = out->n_queries = out->n_company = out->n_cloaks = count;
    out->n_dropped = out->n_cpu_us = out->n_pending = out->n_held = count;
    return out->part && out->engine_thread && out->queries && out->company && out->cloaks &&
           out->dropped && out->cpu_us && out->pending && out->held;
}

static sc_err write_parts(const sc_heartbeat *heartbeat, sc__cluster_scratch *scratch, columns *out)
{
    if (!take_columns(heartbeat->part_count, scratch, out)) return SC_ENOMEM;
    for (size_t i = 0; i < heartbeat->part_count; i++) {
        const sc_part_load *load = &heartbeat->parts[i].load;
        const uint32_t part = heartbeat->parts[i].part;
        const uint32_t before = i > 0 ? heartbeat->parts[i - 1].part : 0;
        if (part >= SC_PARTITION_PARTS_MAX || (i > 0 && part <= before)) return SC_EINVAL;
        out->part[i] = part - before;
        out->engine_thread[i] = load->engine_thread;
        out->queries[i] = load->queries;
        out->company[i] = load->company;
        out->cloaks[i] = load->cloaks;
        out->dropped[i] = load->dropped;
        out->cpu_us[i] = load->cpu_us;
        out->pending[i] = load->pending;
        out->held[i] = load->held;
    }
    return SC_OK;
}

static void write_proposals(const sc_engine_pool_stats *engines, Starcloak__Cluster__Proposals *out)
{
    out->made = engines->proposals;
    out->under_way = engines->proposals_under_way;
    out->published = engines->proposals_published;
    out->refused = engines->proposals_refused;
    out->silent = engines->proposals_silent;
    out->unknown = engines->proposals_unknown;
    out->asked = engines->asked;
    out->lost = engines->lost;
    out->misdirected = engines->misdirected;
}

static void write_process(const sc_heartbeat *heartbeat, heartbeat_pb *out)
{
    out->peer = heartbeat->peer;
    out->is_worker = heartbeat->is_worker;
    out->is_leaving = heartbeat->is_leaving;
    out->name = (char *)(uintptr_t)heartbeat->name;  // protobuf-c only reads it
    out->number = heartbeat->number;
    out->partition = heartbeat->partition;
    out->calendar_us = heartbeat->calendar_us;
    out->epoch = heartbeat->epoch;
    out->threads = heartbeat->threads;
    out->open = heartbeat->open;
    out->messages_out = heartbeat->messages_out;
    out->messages_in = heartbeat->messages_in;
    out->bytes_out = heartbeat->bytes_out;
    out->bytes_in = heartbeat->bytes_in;
    out->memory = heartbeat->memory;
    out->cpu_us = heartbeat->cpu_us;
}

static void write_demands(const sc_demand_digest *demands, Starcloak__Cluster__Demands *out)
{
    out->density = demands->density;
    out->classes = demands->classes;
    out->traffic = demands->traffic;
    out->is_strict = demands->is_strict;
    out->has_continuity = demands->continuity.is_asked;
    out->vmax_m_s = demands->continuity.vmax_m_s;
    out->tau_s = demands->continuity.tau_s;
}

static void write_search(const sc_search_digest *search, Starcloak__Cluster__Search *out)
{
    out->engine = search->engine;
    out->is_strict = search->is_strict;
    out->lambda = search->lambda;
    out->alpha_us = search->alpha_us;
    out->crowd = search->crowd;
    out->k_spread = search->k_spread;
    out->cap = search->cap;
}

static bool is_valid(const sc_heartbeat *heartbeat)
{
    int64_t calendar_us = 0;
    return heartbeat->peer != SC_PEER_NONE &&
           sc_peer_name_is_valid(heartbeat->name, strnlen(heartbeat->name, SC_PEER_NAME_SIZE)) &&
           sc__cluster_time_write(heartbeat->calendar_us, 0, &calendar_us) &&
           heartbeat->threads <= SC__CLUSTER_THREADS_MAX &&
           heartbeat->demands.traffic <= SC_TRAFFIC_MAX &&
           (heartbeat->is_worker ? heartbeat->threads >= 1 : heartbeat->part_count == 0);
}

static sc_err write_ahead(const sc_heartbeat *heartbeat, sc__cluster_scratch *scratch,
                          heartbeat_pb *out)
{
    const size_t count = heartbeat->ahead_count;
    if (count == 0) return SC_OK;
    out->ahead = sc__cluster_scratch_take(scratch, count, sizeof *out->ahead);
    out->ahead_us = sc__cluster_scratch_take(scratch, count, sizeof *out->ahead_us);
    if (!out->ahead || !out->ahead_us) return SC_ENOMEM;
    out->n_ahead = out->n_ahead_us = count;
    for (size_t i = 0; i < count; i++) {
        out->ahead[i] = heartbeat->ahead[i].peer;
        out->ahead_us[i] = (uint64_t)heartbeat->ahead[i].ahead_us;
    }
    return SC_OK;
}

static sc_err write_heard(const sc_heartbeat *heartbeat, sc__cluster_scratch *scratch,
                          heartbeat_pb *out)
{
    const size_t count = heartbeat->heard_count;
    if (count == 0) return SC_OK;
    out->heard = sc__cluster_scratch_take(scratch, count, sizeof *out->heard);
    out->heard_number = sc__cluster_scratch_take(scratch, count, sizeof *out->heard_number);
    if (!out->heard || !out->heard_number) return SC_ENOMEM;
    out->n_heard = out->n_heard_number = count;
    for (size_t i = 0; i < count; i++) {
        out->heard[i] = heartbeat->heard[i].peer;
        out->heard_number[i] = heartbeat->heard[i].number;
    }
    return SC_OK;
}

sc_err sc_heartbeat_encode(const sc_heartbeat *heartbeat, sc_bytes *out)
{
    if (!is_valid(heartbeat)) return SC_EINVAL;
    heartbeat_pb m = STARCLOAK__CLUSTER__HEARTBEAT__INIT;
    Starcloak__Cluster__Proposals proposals = STARCLOAK__CLUSTER__PROPOSALS__INIT;
    Starcloak__Cluster__Demands demands = STARCLOAK__CLUSTER__DEMANDS__INIT;
    Starcloak__Cluster__Search search = STARCLOAK__CLUSTER__SEARCH__INIT;
    columns parts = STARCLOAK__CLUSTER__PARTS__INIT;
    sc__cluster_scratch scratch = sc__cluster_scratch_of(SIZE_MAX);
    write_process(heartbeat, &m);
    if (sc_demand_digest_difference(&heartbeat->demands, &(sc_demand_digest){0})) {
        write_demands(&heartbeat->demands, &demands);
        m.demands = &demands;
    }
    sc_err err = write_heard(heartbeat, &scratch, &m);
    if (!err && !heartbeat->is_worker) err = write_ahead(heartbeat, &scratch, &m);
    if (!err && heartbeat->is_worker) {
        write_proposals(&heartbeat->engines, &proposals);
        err = write_parts(heartbeat, &scratch, &parts);
        m.proposals = &proposals;
        if (heartbeat->search.engine > 0) {
            write_search(&heartbeat->search, &search);
            m.search = &search;
        }
        m.parts = &parts;
    }
    if (!err) {
        Starcloak__Cluster__Message envelope = STARCLOAK__CLUSTER__MESSAGE__INIT;
        envelope.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_HEARTBEAT;
        envelope.heartbeat = &m;
        err = sc__cluster_pack(&envelope, out);
    }
    sc__cluster_scratch_fini(&scratch);
    return err;
}

// --- Heartbeats: reading -----------------------------------------------------------------------

static sc_err check_parts(uint32_t parts, const columns *from)
{
    const size_t count = from->n_part;
    if (count > parts) return SC_EUNKNOWN;
    const bool is_fine = from->n_engine_thread == count && from->n_queries == count &&
                         from->n_company == count && from->n_cloaks == count &&
                         from->n_dropped == count && from->n_cpu_us == count &&
                         from->n_pending == count && from->n_held == count;
    return is_fine ? SC_OK : SC_EPARSE;
}

static sc_err read_parts(uint32_t parts, const columns *from, sc_heartbeat *out)
{
    uint64_t part = 0;
    for (size_t i = 0; i < out->part_count; i++) {
        if (i > 0 && from->part[i] == 0) return SC_EPARSE;
        part += from->part[i];
        if (part >= parts) return SC_EUNKNOWN;
        out->parts[i] = (sc_heartbeat_part){.part = (uint32_t)part,
                                            .load = {.is_open = true,
                                                     .engine_thread = from->engine_thread[i],
                                                     .queries = from->queries[i],
                                                     .company = from->company[i],
                                                     .cloaks = from->cloaks[i],
                                                     .dropped = from->dropped[i],
                                                     .cpu_us = from->cpu_us[i],
                                                     .pending = from->pending[i],
                                                     .held = from->held[i]}};
    }
    return SC_OK;
}

static void read_proposals(const Starcloak__Cluster__Proposals *from, sc_engine_pool_stats *out)
{
    out->proposals = from->made;
    out->proposals_under_way = from->under_way;
    out->proposals_published = from->published;
    out->proposals_refused = from->refused;
    out->proposals_silent = from->silent;
    out->proposals_unknown = from->unknown;
    out->asked = from->asked;
    out->lost = from->lost;
    out->misdirected = from->misdirected;
}

static void read_process(const heartbeat_pb *from, sc_heartbeat *out)
{
    out->peer = from->peer;
    out->is_worker = from->is_worker;
    out->is_leaving = from->is_leaving;
    memcpy(out->name, from->name,
           strlen(from->name));  // sc_peer_name_is_valid(): it fits, and its NUL
    out->number = from->number;
    out->partition = from->partition;
    out->calendar_us = from->calendar_us;
    out->epoch = from->epoch;
    out->threads = from->threads;
    out->open = from->open;
    out->messages_out = from->messages_out;
    out->messages_in = from->messages_in;
    out->bytes_out = from->bytes_out;
    out->bytes_in = from->bytes_in;
    out->memory = from->memory;
    out->cpu_us = from->cpu_us;
}

static void read_demands(const Starcloak__Cluster__Demands *from, sc_demand_digest *out)
{
    out->density = from->density;
    out->classes = from->classes;
    out->traffic = from->traffic;
    out->is_strict = from->is_strict;
    out->continuity.is_asked = from->has_continuity;
    out->continuity.vmax_m_s = from->vmax_m_s;
    out->continuity.tau_s = from->tau_s;
}

static void read_search(const Starcloak__Cluster__Search *from, sc_search_digest *out)
{
    out->engine = from->engine;
    out->is_strict = from->is_strict;
    out->lambda = from->lambda;
    out->alpha_us = from->alpha_us;
    out->crowd = from->crowd;
    out->k_spread = from->k_spread;
    out->cap = from->cap;
}

static sc_err read_ahead(const heartbeat_pb *from, sc_heartbeat *out)
{
    if (from->n_ahead != from->n_ahead_us || from->is_worker) return SC_EPARSE;
    if (from->n_ahead > SC_HEARTBEAT_AHEAD_MAX) return SC_ELIMIT;
    for (size_t i = 0; i < from->n_ahead; i++) {
        if (from->ahead_us[i] == 0 || from->ahead_us[i] > INT64_MAX) return SC_EPARSE;
        out->ahead[out->ahead_count++] =
            (sc_heartbeat_clock){.peer = from->ahead[i], .ahead_us = (int64_t)from->ahead_us[i]};
    }
    return SC_OK;
}

static sc_err read_heard(const heartbeat_pb *from, sc_heartbeat *out)
{
    if (from->n_heard != from->n_heard_number) return SC_EPARSE;
    if (from->n_heard > SC_HEARTBEAT_HEARD_MAX) return SC_ELIMIT;
    for (size_t i = 0; i < from->n_heard; i++) {
        out->heard[out->heard_count++] =
            (sc_heartbeat_heard){.peer = from->heard[i], .number = from->heard_number[i]};
    }
    return SC_OK;
}

static sc_err check_process(const heartbeat_pb *from)
{
    if (from->threads > SC__CLUSTER_THREADS_MAX) return SC_ELIMIT;
    if (from->demands && from->demands->traffic > SC_TRAFFIC_MAX) return SC_ELIMIT;
    sc_time calendar_us = 0;
    const bool is_fine =
        from->peer != SC_PEER_NONE && sc_peer_name_is_valid(from->name, strlen(from->name)) &&
        sc__cluster_time_read(from->calendar_us, 0, &calendar_us) &&
        from->calendar_us != SC_TIME_NEVER && (from->is_worker ? from->threads >= 1 : !from->parts);
    return is_fine ? SC_OK : SC_EPARSE;
}

static sc_err read_heartbeat(uint32_t parts, const heartbeat_pb *from, sc_heartbeat **out)
{
    sc_err err = check_process(from);
    if (!err && from->parts) err = check_parts(parts, from->parts);
    if (err) return err;
    sc_heartbeat *heartbeat = sc_heartbeat_new(from->parts ? from->parts->n_part : 0);
    if (!heartbeat) return SC_ENOMEM;
    read_process(from, heartbeat);
    if (from->demands) read_demands(from->demands, &heartbeat->demands);
    if (from->is_worker && from->proposals) read_proposals(from->proposals, &heartbeat->engines);
    if (from->is_worker && from->search) read_search(from->search, &heartbeat->search);
    if (from->parts) err = read_parts(parts, from->parts, heartbeat);
    if (!err && (from->n_ahead > 0 || from->n_ahead_us > 0)) err = read_ahead(from, heartbeat);
    if (!err) err = read_heard(from, heartbeat);
    if (err) {
        sc_heartbeat_free(heartbeat);
        return err;
    }
    *out = heartbeat;
    return SC_OK;
}

sc_err sc_heartbeat_decode(uint32_t parts, const void *bytes, size_t size, sc_heartbeat **out)
{
    sc__cluster_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_err err = sc__cluster_unpack(bytes, size, SC_MESSAGE_HEARTBEAT, &scratch, &envelope);
    if (!err)
        err = read_heartbeat(parts > 0 ? parts : SC_PARTITION_PARTS_MAX, envelope->heartbeat, out);
    sc__cluster_scratch_fini(&scratch);
    return err;
}

// --- Placements --------------------------------------------------------------------------------
//
// Workers once, and of each part the place of its worker.

typedef Starcloak__Cluster__Placement placement_pb;

// --- Placements: writing -----------------------------------------------------------------------

// Where a worker stands in the list and one more, put there if it is new.
static uint32_t place_of(placement_pb *out, sc_peer worker)
{
    size_t place = 0;
    while (place < out->n_workers && out->workers[place] != worker) {
        place++;
    }
    if (place == out->n_workers) out->workers[out->n_workers++] = worker;
    return (uint32_t)place + 1;
}

static sc_err write_owners(const sc_placement *placement, sc__cluster_scratch *scratch,
                           placement_pb *out)
{
    out->workers = sc__cluster_scratch_take(scratch, placement->parts, sizeof *out->workers);
    out->owner = sc__cluster_scratch_take(scratch, placement->parts, sizeof *out->owner);
    if (!out->workers || !out->owner) return SC_ENOMEM;
    out->n_owner = placement->parts;
    for (uint32_t i = 0; i < placement->parts; i++) {
        const sc_peer owner = placement->owners[i];
        out->owner[i] = owner == SC_PEER_NONE ? 0 : place_of(out, owner);
    }
    return SC_OK;
}

sc_err sc_placement_encode(const sc_placement *placement, sc_bytes *out)
{
    if (placement->parts < 1 || placement->parts > SC_PARTITION_PARTS_MAX ||
        placement->leader == SC_PEER_NONE) {
        return SC_EINVAL;
    }
    placement_pb m = STARCLOAK__CLUSTER__PLACEMENT__INIT;
    sc__cluster_scratch scratch = sc__cluster_scratch_of(SIZE_MAX);
    m.epoch = placement->epoch;
    m.leader = placement->leader;
    m.partition = placement->partition;
    sc_err err = write_owners(placement, &scratch, &m);
    if (!err) {
        Starcloak__Cluster__Message envelope = STARCLOAK__CLUSTER__MESSAGE__INIT;
        envelope.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_PLACEMENT;
        envelope.placement = &m;
        err = sc__cluster_pack(&envelope, out);
    }
    sc__cluster_scratch_fini(&scratch);
    return err;
}

// --- Placements: reading -----------------------------------------------------------------------

static sc_err read_owners(const placement_pb *from, sc_placement *out)
{
    for (size_t i = 0; i < from->n_owner; i++) {
        const uint32_t place = from->owner[i];
        if (place > from->n_workers) return SC_EPARSE;
        out->owners[i] = place == 0 ? SC_PEER_NONE : from->workers[place - 1];
        if (place > 0 && out->owners[i] == SC_PEER_NONE) return SC_EPARSE;
    }
    return SC_OK;
}

static sc_err read_placement(uint32_t parts, const placement_pb *from, sc_placement **out)
{
    if (from->n_owner > SC_PARTITION_PARTS_MAX) return SC_ELIMIT;
    if (parts > 0 && from->n_owner != parts) return SC_EUNKNOWN;
    if (from->n_owner < 1 || from->leader == SC_PEER_NONE) return SC_EPARSE;
    sc_placement *placement = sc_placement_new((uint32_t)from->n_owner);
    if (!placement) return SC_ENOMEM;
    placement->epoch = from->epoch;
    placement->leader = from->leader;
    placement->partition = from->partition;
    const sc_err err = read_owners(from, placement);
    if (err) {
        sc_placement_free(placement);
        return err;
    }
    *out = placement;
    return SC_OK;
}

sc_err sc_placement_decode(uint32_t parts, const void *bytes, size_t size, sc_placement **out)
{
    sc__cluster_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_err err = sc__cluster_unpack(bytes, size, SC_MESSAGE_PLACEMENT, &scratch, &envelope);
    if (!err) err = read_placement(parts, envelope->placement, out);
    sc__cluster_scratch_fini(&scratch);
    return err;
}
