// Batches of cloaks sent to a provider and back: to the built-in one, or to one that knows points
// or areas.
#include "base/diag.h"
#include "sim/evaluate_internal.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

// --- Life --------------------------------------------------------------------

// A database without a single row has no keys either, and its objects are still not the map's.
static bool are_foreign(const sc_map *map, const sc_evaluate_options *options)
{
    if (options->points || options->areas) return true;
    const sc_object_table *table = sc_objects_table(options->objects);
    return table->keys || table->count != sc_map_object_count(map);
}

sc_err sc_exchange_init(sc_exchange *exchange, const sc_map *map,
                        const sc_evaluate_options *options, sc_evaluate_report *report,
                        sc_diag *diag)
{
    exchange->map = map;
    exchange->options = options;
    exchange->report = report;
    exchange->limits = sc_codec_limits_default();
    exchange->are_foreign = are_foreign(map, options);
    exchange->vocabulary =
        options->objects ? sc_objects_vocabulary(options->objects) : options->vocabulary;
    sc_err err = options->is_seeded ? sc_rng_new_seeded(options->seed, &exchange->rng)
                                    : sc_rng_new_secure(&exchange->rng);
    if (err) return sc_fail(diag, err, "preparing the evaluation: %s", sc_err_text(err));
    if (options->points) return SC_OK;
    if (options->objects) err = sc_lbs_new(map, &options->lbs, &exchange->lbs, diag);
    if (options->areas && options->area_provider) {
        err = sc_area_lines_new(options->area_provider, options->areas, exchange->vocabulary,
                                &exchange->area_lines, diag);
    }
    if (err) return err;
    // Geometry is of the provider's own map, and finds its roads here only nearly: an object at a
    // corner may come to lie on the other road. A thousandth covers that.
    sc_filter_options filter = options->filter;
    if (options->encoding == SC_ENCODING_GEOJSON && filter.slack < 1e-3) filter.slack = 1e-3;
    return sc_filter_new(map, &filter, &exchange->filter, diag);
}

void sc_exchange_fini(sc_exchange *exchange)
{
    sc_area_lines_free(exchange->area_lines);
    sc_filter_free(exchange->filter);
    sc_lbs_free(exchange->lbs);
    sc_rng_free(exchange->rng);
    *exchange = (sc_exchange){.map = NULL};
}

// --- Steps ---------------------------------------------------------------------

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/**
 * Whether this is about one cloak and its provider: one that is bad or overtaxed, or cannot tell
 * which roads are meant. Other cloaks may fare better.
 */
static bool is_of_provider(const sc_exchange *exchange, sc_err err)
{
    switch (err) {
    case SC_EPARSE:
    case SC_EINVAL:
    case SC_EUNKNOWN:
    case SC_EREQUEST:
    case SC_EREPLY:
    case SC_ELIMIT:
        return true;
    case SC_ENET:
        // One that was never reached will not be reached a thousand times either.
        return exchange->was_reached;
    default:
        return false;
    }
}

static sc_err settle(sc_exchange *exchange, sc_batch_cloak *cloak, sc_err err, const sc_diag *why,
                     sc_diag *diag)
{
    sc_diag told;
    const char *what = why->message[0] != '\0' ? why->message : sc_err_text(err);
    if (exchange->record_name) {
        sc_fail(&told, err, "%.400s:%" PRIu64 ": cloak %" PRIu64 ": %s", exchange->record_name,
                cloak->line, cloak->number, what);
    } else {
        sc_fail(&told, err, "cloak %" PRIu64 ": %s", cloak->number, what);
    }
    if (!is_of_provider(exchange, err)) {
        if (diag) *diag = told;
        return err;
    }
    cloak->failure = err;
    // A reply of which a part cannot be believed is not believed in any part.
    for (size_t i = 0; i < cloak->member_count; i++) {
        sc_batch_member *member = &exchange->batch->members[cloak->first_member + i];
        if (member->end == SC_BATCH_ANSWERED) member->end = SC_BATCH_FAILED;
    }
    sc_diag *first = &exchange->report->first_failure;
    if (first->message[0] == '\0') *first = told;
    return SC_OK;
}

/** One step with one cloak. */
typedef sc_err (*cloak_step)(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag);

/** Take the step with every cloak that has something to ask and has not failed. */
static sc_err step_all(sc_exchange *exchange, cloak_step step, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < exchange->batch->cloak_count && !err; i++) {
        sc_batch_cloak *cloak = &exchange->batch->cloaks[i];
        if (!cloak->relay || cloak->failure) continue;
        sc_diag why;
        why.message[0] = '\0';
        err = step(exchange, cloak, &why);
        if (err) err = settle(exchange, cloak, err, &why, diag);
    }
    return err;
}

static sc_err make_relays(sc_exchange *exchange, sc_diag *diag)
{
    const sc_request_limits *limits = &exchange->options->lbs.limits;
    for (size_t i = 0; i < exchange->batch->cloak_count; i++) {
        const sc_err err =
            sc_batch_make_relay(exchange->batch, &exchange->batch->cloaks[i], exchange->map, limits,
                                exchange->vocabulary->count, exchange->rng);
        if (err) return sc_fail_memory(diag, "evaluating cloaks");
    }
    return SC_OK;
}

static sc_codec codec_of(const sc_exchange *exchange)
{
    return (sc_codec){.map = exchange->map,
                      .vocabulary = exchange->vocabulary,
                      .encoding = exchange->options->encoding,
                      .limits = &exchange->limits};
}

static sc_err send_relay(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    const sc_codec codec = codec_of(exchange);
    const sc_err err = sc_relay_encode(&codec, cloak->relay, &cloak->bytes_out, diag);
    if (err) return err;
    return sc_relay_decode(&codec, cloak->bytes_out.data, cloak->bytes_out.size, &cloak->received,
                           diag);
}

static sc_err answer_relay(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    return sc_lbs_evaluate(exchange->lbs, exchange->options->objects, cloak->received, &cloak->said,
                           diag);
}

static sc_err send_reply(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    const sc_codec codec = codec_of(exchange);
    const sc_err err =
        sc_reply_encode(&codec, cloak->received, &cloak->said, &cloak->bytes_in, diag);
    if (err) return err;
    return sc_reply_decode(&codec, cloak->relay, cloak->bytes_in.data, cloak->bytes_in.size,
                           &cloak->reply, diag);
}

// An encoding that knows geometry alone calls the map's objects by texts, too: their numbers.
static sc_err number_results(const sc_exchange *exchange, const sc_batch_member *member,
                             const sc_object_table *table, sc_diag *diag)
{
    sc_near *results = exchange->batch->results + member->first_result;
    for (size_t i = 0; i < member->result_count; i++) {
        const char *key = table->strings + table->keys[results[i].object];
        uint64_t number = 0;
        if (!sc_slice_u64((sc_slice){key, strlen(key)}, &number) ||
            number >= sc_map_object_count(exchange->map)) {
            return sc_fail(diag, SC_EREPLY, "an object of the reply is not an object of the map");
        }
        results[i].object = (uint32_t)number;
    }
    return SC_OK;
}

static sc_err filter_reply(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_err err = sc_filter_open(exchange->filter, cloak->relay, &cloak->reply, diag);
    const bool are_renamed = cloak->reply.table.keys && !exchange->are_foreign;
    cloak->table = are_renamed ? sc_objects_table(exchange->options->objects) : &cloak->reply.table;
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        sc_batch_member *member = &exchange->batch->members[cloak->first_member + i];
        const sc_near *results = NULL;
        size_t count = 0;
        if (member->end == SC_BATCH_REFUSED) continue;
        err = sc_filter_answer(exchange->filter,
                               (sc_road_point){.edge = member->edge, .offset_m = member->offset_m},
                               member->which, &results, &count, diag);
        if (!err) err = sc_batch_keep_answer(exchange->batch, member, results, count);
        if (!err && are_renamed) {
            err = number_results(exchange, member, &cloak->reply.table, diag);
        }
    }
    return err;
}

// Not in any time: it is for the report alone.
static sc_err count_candidates(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    (void)diag;
    sc_err err = SC_OK;
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        sc_batch_member *member = &exchange->batch->members[cloak->first_member + i];
        if (member->end != SC_BATCH_ANSWERED) continue;
        member->candidates = sc_reply_candidate_count(&cloak->reply, member->which);
        err = sc_batch_count_distinct(exchange->batch, &cloak->reply, member->which,
                                      &member->distinct);
    }
    return err;
}

// --- The way -----------------------------------------------------------------------

static sc_err built_in_exchange(sc_exchange *exchange, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    const double start = cpu_s();
    sc_err err = step_all(exchange, send_relay, diag);
    const double sent = cpu_s();
    const double sent_wall = wall_s();
    if (!err) err = step_all(exchange, answer_relay, diag);
    const double answered = cpu_s();
    report->provider_wall_s += wall_s() - sent_wall;
    if (!err) err = step_all(exchange, send_reply, diag);
    const double received = cpu_s();
    if (!err) err = step_all(exchange, filter_reply, diag);
    const double filtered = cpu_s();
    report->codec_cpu_s += sent - start + (received - answered);
    report->provider_cpu_s += answered - sent;
    report->trusted_cpu_s += filtered - received;
    report->work = sc_lbs_get_work(exchange->lbs);
    return err ? err : step_all(exchange, count_candidates, diag);
}

// === A provider that knows points only ==========================================================

static sc_err ask_points(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    const sc_err err = sc_point_provider_ask(exchange->options->points, cloak->relay, NULL,
                                             exchange->rng, &cloak->points, diag);
    if (err) return err;
    const sc_point_work work = sc_point_reply_work(cloak->points);
    report->points += work.points;
    report->questions += work.questions;
    exchange->was_reached = true;
    return SC_OK;
}

static sc_err filter_points(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_err err = SC_OK;
    cloak->table = sc_point_reply_table(cloak->points);
    const size_t candidates = sc_point_reply_work(cloak->points).candidates;
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        sc_batch_member *member = &exchange->batch->members[cloak->first_member + i];
        const sc_near *results = NULL;
        size_t count = 0;
        if (member->end == SC_BATCH_REFUSED) continue;
        err = sc_point_reply_answer(
            cloak->points, (sc_road_point){.edge = member->edge, .offset_m = member->offset_m},
            member->which, &results, &count, diag);
        if (!err) err = sc_batch_keep_answer(exchange->batch, member, results, count);
        // What came back serves all requests of the cloak; it is not told apart.
        member->candidates = candidates;
        member->distinct = cloak->table->count;
    }
    return err;
}

static sc_err point_exchange(sc_exchange *exchange, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    const double start = cpu_s();
    const double start_wall = wall_s();
    sc_err err = step_all(exchange, ask_points, diag);
    const double asked = cpu_s();
    report->provider_wall_s += wall_s() - start_wall;
    if (!err) err = step_all(exchange, filter_points, diag);
    report->provider_cpu_s += asked - start;
    report->trusted_cpu_s += cpu_s() - asked;
    return err;
}

// === A provider that knows areas ================================================================

// One cloak after the other: a reply is lent until the next one. The objects are held for those who
// write the answers.
static sc_err ask_areas(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    if (exchange->area_lines) sc_area_lines_begin(exchange->area_lines, cloak->number);
    const double start = cpu_s();
    const double start_wall = wall_s();
    sc_err err =
        sc_area_asker_ask(exchange->options->areas, cloak->relay, NULL, &cloak->reply, diag);
    const sc_area_work work = sc_area_asker_work(exchange->options->areas);
    report->provider_wall_s += wall_s() - start_wall;
    report->provider_cpu_s += cpu_s() - start;
    if (exchange->area_lines && sc_area_lines_end(exchange->area_lines, &cloak->area_lines)) {
        return sc_fail_memory(diag, "recording areas");
    }
    // What was asked for a cloak that fails was asked all the same.
    report->questions += work.questions;
    if (err) return err;
    const double asked = cpu_s();
    exchange->was_reached = true;
    report->points += work.tiles;
    cloak->area_bytes_out = work.bytes_out;
    cloak->area_bytes_in = work.bytes_in;
    cloak->areas = sc_objects_hold(sc_area_asker_objects(exchange->options->areas));
    err = filter_reply(exchange, cloak, diag);
    report->trusted_cpu_s += cpu_s() - asked;
    cloak->table = sc_objects_table(cloak->areas);
    return err;
}

static sc_err area_exchange(sc_exchange *exchange, sc_diag *diag)
{
    const sc_err err = step_all(exchange, ask_areas, diag);
    return err ? err : step_all(exchange, count_candidates, diag);
}

// === Whole batches ==============================================================================

sc_err sc_exchange_run(sc_exchange *exchange, sc_batch *batch, sc_diag *diag)
{
    exchange->batch = batch;
    const double start = cpu_s();
    const sc_err err = make_relays(exchange, diag);
    exchange->report->trusted_cpu_s += cpu_s() - start;
    if (err) return err;
    if (exchange->options->areas) return area_exchange(exchange, diag);
    return exchange->lbs ? built_in_exchange(exchange, diag) : point_exchange(exchange, diag);
}
