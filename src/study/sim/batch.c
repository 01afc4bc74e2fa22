// Cloaks taken together.
#include "sim/evaluate_internal.h"

#include <starcloak/answer.h>

#include "base/alloc.h"
#include "base/sort.h"

#include <string.h>

// --- Life --------------------------------------------------------------------

static void empty_cloak(sc_batch_cloak *cloak)
{
    sc_relay_free(cloak->relay);
    sc_relay_free(cloak->received);
    sc_point_reply_free(cloak->points);
    sc_objects_release(cloak->areas);
    cloak->areas = NULL;
    cloak->relay = NULL;
    cloak->received = NULL;
    cloak->points = NULL;
    cloak->area_lines.size = 0;
}

void sc_batch_clear(sc_batch *batch)
{
    for (size_t i = 0; i < batch->cloak_count; i++) {
        empty_cloak(&batch->cloaks[i]);
    }
    batch->cloak_count = 0;
    batch->text_size = 0;
    batch->texts_size = 0;
    batch->id_count = 0;
    batch->member_count = 0;
    batch->result_count = 0;
}

void sc_batch_fini(sc_batch *batch)
{
    sc_batch_clear(batch);
    for (size_t i = 0; i < batch->ready_count; i++) {
        sc_batch_cloak *cloak = &batch->cloaks[i];
        sc_bytes_fini(&cloak->bytes_out);
        sc_bytes_fini(&cloak->bytes_in);
        sc_bytes_fini(&cloak->area_lines);
        sc_reply_fini(&cloak->said);
        sc_reply_fini(&cloak->reply);
    }
    sc_free(batch->text);
    sc_free(batch->texts);
    sc_free(batch->ids);
    sc_free(batch->members);
    sc_free(batch->results);
    sc_free(batch->requests);
    sc_free(batch->which);
    sc_free(batch->objects);
    memset(batch, 0, sizeof *batch);
}

// --- Lines in ------------------------------------------------------------------

static sc_err add_text(sc_batch *batch, sc_slice line)
{
    if (!sc_reserve(&batch->text, batch->text_size + line.size + 1, &batch->text_capacity, 1)) {
        return SC_ENOMEM;
    }
    memcpy(batch->text + batch->text_size, line.text, line.size);
    batch->text_size += line.size;
    batch->text[batch->text_size++] = '\n';
    return SC_OK;
}

static sc_err add_ids(sc_batch *batch, const uint32_t *ids, size_t count)
{
    if (!sc_reserve(&batch->ids, batch->id_count + count, &batch->id_capacity, sizeof *ids)) {
        return SC_ENOMEM;
    }
    if (count > 0) memcpy(batch->ids + batch->id_count, ids, count * sizeof *ids);
    batch->id_count += count;
    return SC_OK;
}

static sc_err add_member(sc_batch *batch, const sc_run_member *member)
{
    const sc_slice id = member->query;
    if (!sc_grow(&batch->members, batch->member_count, &batch->member_capacity,
                 sizeof *batch->members) ||
        !sc_reserve(&batch->texts, batch->texts_size + id.size, &batch->texts_capacity, 1)) {
        return SC_ENOMEM;
    }
    if (id.size > 0) memcpy(batch->texts + batch->texts_size, id.text, id.size);
    batch->members[batch->member_count++] = (sc_batch_member){
        .query = batch->texts_size,
        .query_size = id.size,
        .edge = member->edge,
        .offset_m = member->offset_m,
        .request = member->request,
        .end = SC_BATCH_FAILED,  // until there is an answer
    };
    batch->texts_size += id.size;
    return SC_OK;
}

static sc_batch_cloak *next_cloak(sc_batch *batch)
{
    sc_batch_cloak *cloak = &batch->cloaks[batch->cloak_count];
    if (batch->cloak_count == batch->ready_count) {
        sc_reply_init(&cloak->said);
        sc_reply_init(&cloak->reply);
        batch->ready_count++;
    }
    batch->cloak_count++;
    return cloak;
}

sc_err sc_batch_add_cloak(sc_batch *batch, const sc_run_cloak *told)
{
    sc_batch_cloak *cloak = next_cloak(batch);
    cloak->number = told->number;
    cloak->t = told->t;
    cloak->line = 0;
    cloak->text_end = batch->text_size;
    cloak->first_id = batch->id_count;
    cloak->segment_count = told->segment_count;
    cloak->border_node_count = told->border_node_count;
    cloak->first_member = batch->member_count;
    cloak->member_count = told->member_count;
    cloak->failure = SC_OK;
    cloak->table = NULL;
    sc_err err = add_ids(batch, told->segments, told->segment_count);
    if (!err) err = add_ids(batch, told->border_nodes, told->border_node_count);
    for (size_t i = 0; i < told->member_count && !err; i++) {
        err = add_member(batch, &told->members[i]);
    }
    return err;
}

sc_err sc_batch_add(sc_batch *batch, const sc_run_line *line)
{
    sc_err err = add_text(batch, line->text);
    if (err || line->kind != SC_RUN_CLOAK) return err;
    err = sc_batch_add_cloak(batch, &line->cloak);
    if (!err) batch->cloaks[batch->cloak_count - 1].line = line->number;
    return err;
}

// --- Requests and answers --------------------------------------------------------

// The requests of members that may be asked for, in the order of members.
static size_t list_requests(sc_batch *batch, const sc_batch_cloak *cloak,
                            const sc_request_limits *limits, uint32_t category_count)
{
    size_t count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        sc_batch_member *member = &batch->members[cloak->first_member + i];
        if (sc_request_check(&member->request, limits, category_count, NULL)) {
            member->end = SC_BATCH_REFUSED;
        } else {
            batch->requests[count++] = member->request;
        }
    }
    return count;
}

sc_err sc_batch_make_relay(sc_batch *batch, sc_batch_cloak *cloak, const sc_map *map,
                           const sc_request_limits *limits, uint32_t category_count, sc_rng *rng)
{
    if (!sc_reserve(&batch->requests, cloak->member_count, &batch->request_capacity,
                    sizeof *batch->requests) ||
        !sc_reserve(&batch->which, cloak->member_count, &batch->which_capacity,
                    sizeof *batch->which)) {
        return SC_ENOMEM;
    }
    const size_t count = list_requests(batch, cloak, limits, category_count);
    if (count == 0) return SC_OK;
    const uint32_t *segments = batch->ids + cloak->first_id;
    const sc_err err =
        sc_relay_new(map,
                     &(sc_relay_content){.segments = segments,
                                         .segment_count = cloak->segment_count,
                                         .border_nodes = segments + cloak->segment_count,
                                         .border_node_count = cloak->border_node_count,
                                         .requests = batch->requests,
                                         .member_count = count},
                     rng, batch->which, &cloak->relay);
    size_t next = 0;
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        sc_batch_member *member = &batch->members[cloak->first_member + i];
        if (member->end != SC_BATCH_REFUSED) member->which = batch->which[next++];
    }
    return err;
}

sc_err sc_batch_keep_answer(sc_batch *batch, sc_batch_member *member, const sc_near *results,
                            size_t count)
{
    if (!sc_reserve(&batch->results, batch->result_count + count, &batch->result_capacity,
                    sizeof *results)) {
        return SC_ENOMEM;
    }
    if (count > 0) memcpy(batch->results + batch->result_count, results, count * sizeof *results);
    member->end = SC_BATCH_ANSWERED;
    member->first_result = batch->result_count;
    member->result_count = count;
    batch->result_count += count;
    return SC_OK;
}

sc_err sc_batch_count_distinct(sc_batch *batch, const sc_reply *reply, size_t request, size_t *out)
{
    const size_t sent = sc_reply_candidate_count(reply, request);
    if (!sc_reserve(&batch->objects, sent, &batch->object_capacity, sizeof *batch->objects)) {
        return SC_ENOMEM;
    }
    size_t count = 0;
    for (uint32_t r = reply->run_start[request]; r < reply->run_start[request + 1]; r++) {
        for (uint32_t i = 0; i < reply->runs[r].count; i++) {
            batch->objects[count++] = reply->runs[r].first + i;
        }
    }
    const size_t first_list = request * reply->border_node_count;
    const uint32_t near_end = reply->near_start[first_list + reply->border_node_count];
    for (uint32_t i = reply->near_start[first_list]; i < near_end; i++) {
        batch->objects[count++] = reply->nears[i].object;
    }
    sc_sort_u32(batch->objects, count);
    *out = count > 0;
    for (size_t i = 1; i < count; i++) {
        *out += batch->objects[i] != batch->objects[i - 1];
    }
    return SC_OK;
}

// --- Lines out -------------------------------------------------------------------

static void write_end(const sc_batch *batch, const sc_batch_cloak *cloak,
                      const sc_batch_member *member, sc_record *record, bool are_foreign)
{
    const sc_slice query = {batch->texts + member->query, member->query_size};
    if (member->end != SC_BATCH_ANSWERED) {
        const char *reason = member->end == SC_BATCH_REFUSED ? "request" : "provider";
        sc_record_failed(record, query, cloak->t, reason);
        return;
    }
    sc_record_answer(record, &(sc_answered){.query = query,
                                            .cloak = cloak->number,
                                            .candidates = member->candidates,
                                            .results = batch->results + member->first_result,
                                            .result_count = member->result_count,
                                            .table = cloak->table,
                                            .is_foreign = are_foreign});
}

void sc_batch_write(const sc_batch *batch, sc_record *record, bool are_foreign)
{
    size_t written = 0;
    for (size_t i = 0; i < batch->cloak_count; i++) {
        const sc_batch_cloak *cloak = &batch->cloaks[i];
        sc_record_lines(record, batch->text + written, cloak->text_end - written);
        written = cloak->text_end;
        for (size_t m = 0; m < cloak->member_count; m++) {
            write_end(batch, cloak, &batch->members[cloak->first_member + m], record, are_foreign);
        }
        sc_record_lines(record, (const char *)cloak->area_lines.data, cloak->area_lines.size);
    }
    sc_record_lines(record, batch->text + written, batch->text_size - written);
}
