// Beats as bytes. See cluster.proto and messages.h.
#include "cluster/cluster_codec_internal.h"

#include <string.h>

typedef Starcloak__Cluster__Beat message;
typedef Starcloak__Cluster__Parts columns;

// --- Writing ------------------------------------------------------------------------------------

static bool take_columns(size_t count, sc__codec_scratch *scratch, columns *out)
{
    out->part = sc__codec_scratch_take(scratch, count, sizeof *out->part);
    out->room = sc__codec_scratch_take(scratch, count, sizeof *out->room);
    out->queries = sc__codec_scratch_take(scratch, count, sizeof *out->queries);
    out->company = sc__codec_scratch_take(scratch, count, sizeof *out->company);
    out->cloaks = sc__codec_scratch_take(scratch, count, sizeof *out->cloaks);
    out->dropped = sc__codec_scratch_take(scratch, count, sizeof *out->dropped);
    out->cpu_us = sc__codec_scratch_take(scratch, count, sizeof *out->cpu_us);
    out->pending = sc__codec_scratch_take(scratch, count, sizeof *out->pending);
    out->held = sc__codec_scratch_take(scratch, count, sizeof *out->held);
    out->n_part = out->n_room = out->n_queries = out->n_company = out->n_cloaks = count;
    out->n_dropped = out->n_cpu_us = out->n_pending = out->n_held = count;
    return out->part && out->room && out->queries && out->company && out->cloaks && out->dropped &&
           out->cpu_us && out->pending && out->held;
}

static sc_err write_parts(const sc_beat *beat, sc__codec_scratch *scratch, columns *out)
{
    if (!take_columns(beat->part_count, scratch, out)) return SC_ENOMEM;
    for (size_t i = 0; i < beat->part_count; i++) {
        const sc_part_load *load = &beat->parts[i].load;
        const uint32_t part = beat->parts[i].part;
        const uint32_t before = i > 0 ? beat->parts[i - 1].part : 0;
        if (part >= SC_PARTITION_PARTS_MAX || (i > 0 && part <= before)) return SC_EINVAL;
        out->part[i] = part - before;
        out->room[i] = load->room;
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

static void write_bids(const sc_crew_stats *crew, Starcloak__Cluster__Bids *out)
{
    out->made = crew->bids;
    out->under_way = crew->bids_under_way;
    out->published = crew->bids_published;
    out->refused = crew->bids_refused;
    out->silent = crew->bids_silent;
    out->unknown = crew->bids_unknown;
    out->asked = crew->asked;
    out->lost = crew->lost;
    out->misdirected = crew->misdirected;
}

static void write_process(const sc_beat *beat, message *out)
{
    out->peer = beat->peer;
    out->is_worker = beat->is_worker;
    out->is_leaving = beat->is_leaving;
    out->name = (char *)(uintptr_t)beat->name;  // protobuf-c only reads it
    out->number = beat->number;
    out->cut = beat->cut;
    out->calendar_us = beat->calendar_us;
    out->epoch = beat->epoch;
    out->threads = beat->threads;
    out->open = beat->open;
    out->messages_out = beat->messages_out;
    out->messages_in = beat->messages_in;
    out->bytes_out = beat->bytes_out;
    out->bytes_in = beat->bytes_in;
    out->memory = beat->memory;
    out->cpu_us = beat->cpu_us;
}

static bool can_be_said(const sc_beat *beat)
{
    int64_t calendar_us = 0;
    return beat->peer != SC_PEER_NONE &&
           sc_name_is_fine(beat->name, strnlen(beat->name, SC_NAME_SIZE)) &&
           sc__time_write(beat->calendar_us, 0, &calendar_us) && beat->threads <= SC__THREADS_MAX &&
           (beat->is_worker ? beat->threads >= 1 : beat->part_count == 0);
}

sc_err sc_beat_encode(const sc_beat *beat, sc_bytes *out)
{
    if (!can_be_said(beat)) return SC_EINVAL;
    message m = STARCLOAK__CLUSTER__BEAT__INIT;
    Starcloak__Cluster__Bids bids = STARCLOAK__CLUSTER__BIDS__INIT;
    columns parts = STARCLOAK__CLUSTER__PARTS__INIT;
    sc__codec_scratch scratch = sc__codec_scratch_of(SIZE_MAX);
    sc_err err = SC_OK;
    write_process(beat, &m);
    if (beat->is_worker) {
        write_bids(&beat->crew, &bids);
        err = write_parts(beat, &scratch, &parts);
        m.bids = &bids;
        m.parts = &parts;
    }
    if (!err) {
        Starcloak__Cluster__Message envelope = STARCLOAK__CLUSTER__MESSAGE__INIT;
        envelope.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_BEAT;
        envelope.beat = &m;
        err = sc__message_pack(&envelope, out);
    }
    sc__codec_scratch_fini(&scratch);
    return err;
}

// --- Reading ------------------------------------------------------------------------------------

static sc_err check_parts(uint32_t parts, const columns *from)
{
    const size_t count = from->n_part;
    if (count > parts) return SC_EUNKNOWN;
    const bool is_fine = from->n_room == count && from->n_queries == count &&
                         from->n_company == count && from->n_cloaks == count &&
                         from->n_dropped == count && from->n_cpu_us == count &&
                         from->n_pending == count && from->n_held == count;
    return is_fine ? SC_OK : SC_EPARSE;
}

static sc_err read_parts(uint32_t parts, const columns *from, sc_beat *out)
{
    uint64_t part = 0;
    for (size_t i = 0; i < out->part_count; i++) {
        if (i > 0 && from->part[i] == 0) return SC_EPARSE;
        part += from->part[i];
        if (part >= parts) return SC_EUNKNOWN;
        out->parts[i] = (sc_beat_part){.part = (uint32_t)part,
                                       .load = {.is_open = true,
                                                .room = from->room[i],
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

static void read_bids(const Starcloak__Cluster__Bids *from, sc_crew_stats *out)
{
    out->bids = from->made;
    out->bids_under_way = from->under_way;
    out->bids_published = from->published;
    out->bids_refused = from->refused;
    out->bids_silent = from->silent;
    out->bids_unknown = from->unknown;
    out->asked = from->asked;
    out->lost = from->lost;
    out->misdirected = from->misdirected;
}

static void read_process(const message *from, sc_beat *out)
{
    out->peer = from->peer;
    out->is_worker = from->is_worker;
    out->is_leaving = from->is_leaving;
    memcpy(out->name, from->name, strlen(from->name));  // sc_name_is_fine(): it fits, and its NUL
    out->number = from->number;
    out->cut = from->cut;
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

static sc_err check_process(const message *from)
{
    if (from->threads > SC__THREADS_MAX) return SC_ELIMIT;
    sc_time calendar_us = 0;
    const bool is_fine =
        from->peer != SC_PEER_NONE && sc_name_is_fine(from->name, strlen(from->name)) &&
        sc__time_read(from->calendar_us, 0, &calendar_us) && from->calendar_us != SC_TIME_NEVER &&
        (from->is_worker ? from->threads >= 1 : !from->parts);
    return is_fine ? SC_OK : SC_EPARSE;
}

static sc_err read_beat(uint32_t parts, const message *from, sc_beat **out)
{
    sc_err err = check_process(from);
    if (!err && from->parts) err = check_parts(parts, from->parts);
    if (err) return err;
    sc_beat *beat = sc_beat_new(from->parts ? from->parts->n_part : 0);
    if (!beat) return SC_ENOMEM;
    read_process(from, beat);
    if (from->is_worker && from->bids) read_bids(from->bids, &beat->crew);
    if (from->parts) err = read_parts(parts, from->parts, beat);
    if (err) {
        sc_beat_free(beat);
        return err;
    }
    *out = beat;
    return SC_OK;
}

sc_err sc_beat_decode(uint32_t parts, const void *bytes, size_t size, sc_beat **out)
{
    sc__codec_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_err err = sc__message_unpack(bytes, size, SC_MESSAGE_BEAT, &scratch, &envelope);
    if (!err) err = read_beat(parts > 0 ? parts : SC_PARTITION_PARTS_MAX, envelope->beat, out);
    sc__codec_scratch_fini(&scratch);
    return err;
}
