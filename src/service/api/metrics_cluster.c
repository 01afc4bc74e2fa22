// Metrics of a cluster: of the whole, of each worker, of each part.
//
// Names of workers are chosen by operators and may repeat, above all while a restarted worker is
// listed beside its former process. Prometheus refuses a page on which the same sample is twice, so
// workers of the same name are distinguished by their numbers.
#include "api/metrics.h"

#include "base/prometheus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** A figure of one worker or part: one line. Lines of one metric follow each other. */
typedef struct figure {
    const char *name;  ///< NULL: there are no more
    const char *type;
    const char *help;   ///< NULL: the metric of the figure before
    const char *state;  ///< another label; NULL: none
    double value;
} figure;

/** The first line of a metric has HELP and TYPE before it. */
static void put_figure_head(sc_prometheus *out, const figure *f)
{
    if (f->help) sc_prometheus_head(out, f->name, f->type, f->help);
}

static void put_labelled(sc_prometheus *out, const char *name, const char *label, const char *value,
                         uint64_t count)
{
    sc_prometheus_sample(out, name);
    sc_prometheus_label(out, label, value);
    sc_prometheus_count(out, count);
}

// --- The whole -----------------------------------------------------------------------------------

static uint64_t count_workers(const sc_cluster_view *view)
{
    uint64_t workers = 0;
    for (size_t i = 0; i < view->peer_count; i++) {
        workers += view->peers[i].is_worker;
    }
    return workers;
}

static void put_peers(sc_prometheus *out, const sc_cluster_view *view)
{
    static const char name[] = "starcloak_cluster_peers";
    const uint64_t workers = count_workers(view);
    sc_prometheus_head(out, name, "gauge", "Processes that are alive, by kind.");
    put_labelled(out, name, "kind", "gateway", view->peer_count - workers);
    put_labelled(out, name, "kind", "worker", workers);
}

static void put_directions(sc_prometheus *out, const char *name, const char *help,
                           uint64_t outwards, uint64_t inwards)
{
    sc_prometheus_head(out, name, "counter", help);
    put_labelled(out, name, "direction", "out", outwards);
    put_labelled(out, name, "direction", "in", inwards);
}

static void put_placement(sc_prometheus *out, const sc_cluster_view *view)
{
    static const char imbalance[] = "starcloak_cluster_imbalance";
    sc_prometheus_gauge(out, "starcloak_cluster_epoch", "Number of the current placement.",
                        view->epoch);
    sc_prometheus_head(out, imbalance, "gauge",
                       "The busiest worker's load per thread, divided by the mean.");
    sc_prometheus_sample(out, imbalance);
    sc_prometheus_number(out, view->imbalance);
    sc_prometheus_counter(out, "starcloak_cluster_placements_total",
                          "Placements that this process made.", view->placements);
    sc_prometheus_counter(out, "starcloak_cluster_moved_parts_total",
                          "Parts that moved to another worker by these placements.", view->moved);
    sc_prometheus_counter(out, "starcloak_cluster_passed_over_total",
                          "How often this process, as the leader, gave the parts of a worker to "
                          "others since it did not serve them.",
                          view->passed_over);
    sc_prometheus_counter(out, "starcloak_cluster_strangers_total",
                          "Heartbeats of processes with another partition, or other demands.",
                          view->strangers);
    sc_prometheus_counter(out, "starcloak_cluster_crowded_total",
                          "Heartbeats of more processes with one worker's key than are remembered.",
                          view->crowded);
}

static void put_bus(sc_prometheus *out, const sc_bus_stats *bus)
{
    sc_prometheus_gauge(out, "starcloak_cluster_connected", "1 while connected to NATS.",
                        bus->is_connected);
    put_directions(out, "starcloak_cluster_messages_total", "Messages over NATS.",
                   bus->messages_out, bus->messages_in);
    put_directions(out, "starcloak_cluster_bytes_total", "Bytes of messages over NATS.",
                   bus->bytes_out, bus->bytes_in);
    sc_prometheus_counter(out, "starcloak_cluster_unsent_total",
                          "Messages that were lost before they were sent.", bus->unsent);
    sc_prometheus_counter(out, "starcloak_cluster_unopened_total",
                          "Messages that were not encrypted with this cluster's key.",
                          bus->unopened);
    sc_prometheus_counter(out, "starcloak_cluster_overrun_total",
                          "Messages that were lost because this process was too slow.",
                          bus->overrun);
    sc_prometheus_counter(out, "starcloak_cluster_forbidden_total",
                          "Publications and subscriptions that the permissions of the NATS "
                          "servers forbid.",
                          bus->forbidden);
    sc_prometheus_counter(out, "starcloak_cluster_reconnects_total", "Reconnections.",
                          bus->reconnects);
}

// --- Workers -------------------------------------------------------------------------------------

/** A name, and a number behind it if another worker has the name. */
static void put_worker(sc_prometheus *out, const sc_cluster_view *view,
                       const sc_cluster_view_peer *worker)
{
    char label[sizeof worker->name + 24];
    (void)snprintf(label, sizeof label, "%s", worker->name);
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *other = &view->peers[i];
        if (!other->is_worker || other->peer == worker->peer) continue;
        if (strcmp(other->name, worker->name) != 0) continue;
        (void)snprintf(label, sizeof label, "%s/%016" PRIx64, worker->name, worker->peer);
    }
    sc_prometheus_label(out, "worker", label);
}

/** The rest of a figure's line, behind its own labels. */
static void end_figure(sc_prometheus *out, const figure *f)
{
    if (f->state) sc_prometheus_label(out, "state", f->state);
    sc_prometheus_number(out, f->value);
}

static figure worker_figure(const sc_cluster_view_peer *worker, size_t i)
{
    const sc_engine_pool_stats *engines = &worker->engines;
    const figure figures[] = {
        {"starcloak_worker_load", "gauge", "Queries per second, over about a minute.", NULL,
         worker->load},
        {"starcloak_worker_cpu", "gauge", "Processors in use.", NULL, worker->cpu},
        {"starcloak_worker_threads", "gauge", "Threads with engines.", NULL, worker->threads},
        {"starcloak_worker_parts", "gauge", "Parts that are served.", NULL, worker->parts},
        {"starcloak_worker_open", "gauge", "Queries that are held.", NULL, (double)worker->open},
        {"starcloak_worker_memory_bytes", "gauge", "Resident memory.", NULL,
         (double)worker->memory},
        {"starcloak_worker_proposals_under_way", "gauge", "Proposed cloaks without an outcome yet.",
         NULL, (double)engines->proposals_under_way},
        {"starcloak_worker_proposals_total", "counter", "Proposed cloaks, by outcome.", "published",
         (double)engines->proposals_published},
        {"starcloak_worker_proposals_total", "counter", NULL, "refused",
         (double)engines->proposals_refused},
        {"starcloak_worker_proposals_total", "counter", NULL, "silent",
         (double)engines->proposals_silent},
        {"starcloak_worker_proposals_total", "counter", NULL, "unknown",
         (double)engines->proposals_unknown},
        {"starcloak_worker_asked_total", "counter",
         "Questions to gateways about the outcome of a proposed cloak.", NULL,
         (double)engines->asked},
        {"starcloak_worker_lost_total", "counter",
         "Messages that were dropped because a queue was full.", NULL, (double)engines->lost},
        {"starcloak_worker_misdirected_total", "counter",
         "Queries for a part that this worker does not serve.", NULL, (double)engines->misdirected},
        {.name = NULL},
    };
    return figures[i];
}

static void put_workers(sc_prometheus *out, const sc_cluster_view *view)
{
    static const sc_cluster_view_peer no_worker = {.is_worker = true};
    for (size_t i = 0;; i++) {
        const figure any = worker_figure(&no_worker, i);
        if (!any.name) break;
        put_figure_head(out, &any);
        for (size_t w = 0; w < view->peer_count; w++) {
            const sc_cluster_view_peer *worker = &view->peers[w];
            if (!worker->is_worker) continue;
            const figure f = worker_figure(worker, i);
            sc_prometheus_sample(out, f.name);
            put_worker(out, view, worker);
            end_figure(out, &f);
        }
    }
}

// --- Parts ---------------------------------------------------------------------------------------

static figure part_figure(const sc_cluster_view_part *part, size_t i)
{
    const sc_part_load *counts = &part->counts;
    const figure figures[] = {
        {"starcloak_part_served", "gauge", "1 if the part's worker serves it.", NULL,
         part->is_served},
        {"starcloak_part_load", "gauge", "Queries per second, over about a minute.", NULL,
         part->load},
        {"starcloak_part_pending", "gauge", "Queries of the part itself that wait.", NULL,
         counts->pending},
        {"starcloak_part_held", "gauge",
         "Queries of other parts that wait here as possible members.", NULL, counts->held},
        {"starcloak_part_queries_total", "counter",
         "Queries of the part itself, since its worker serves it.", NULL, (double)counts->queries},
        {"starcloak_part_company_total", "counter",
         "Queries of other parts, as possible members, since its worker serves it.", NULL,
         (double)counts->company},
        {"starcloak_part_cloaks_total", "counter", "Cloaks that left, since its worker serves it.",
         NULL, (double)counts->cloaks},
        {"starcloak_part_dropped_total", "counter", "Queries dropped, since its worker serves it.",
         NULL, (double)counts->dropped},
        {"starcloak_part_cpu_seconds_total", "counter",
         "CPU time of its engine, since its worker serves it.", NULL,
         (double)counts->cpu_us * 1e-6},
        {.name = NULL},
    };
    return figures[i];
}

/** The name of the worker that has a part; "" if it is not there. */
static void put_owner(sc_prometheus *out, const sc_cluster_view *view, sc_peer owner)
{
    for (size_t i = 0; i < view->peer_count; i++) {
        if (view->peers[i].peer != owner) continue;
        put_worker(out, view, &view->peers[i]);
        return;
    }
    sc_prometheus_label(out, "worker", "");
}

static void put_parts(sc_prometheus *out, const sc_cluster_view *view)
{
    static const sc_cluster_view_part any_part = {.owner = SC_PEER_NONE};
    for (size_t i = 0;; i++) {
        const figure any = part_figure(&any_part, i);
        if (!any.name) break;
        put_figure_head(out, &any);
        for (uint32_t p = 0; p < view->part_count; p++) {
            const sc_cluster_view_part *part = &view->parts[p];
            const figure f = part_figure(part, i);
            char number[16];
            (void)snprintf(number, sizeof number, "%" PRIu32, p);
            sc_prometheus_sample(out, f.name);
            sc_prometheus_label(out, "part", number);
            put_owner(out, view, part->owner);
            end_figure(out, &f);
        }
    }
}

bool sc__metrics_print_cluster(const sc_cluster_view *view, sc_bytes *out)
{
    sc_prometheus metrics = sc_prometheus_of(out, "");
    put_peers(&metrics, view);
    put_placement(&metrics, view);
    put_bus(&metrics, &view->bus);
    // A metric without a line is none.
    if (count_workers(view) > 0) put_workers(&metrics, view);
    if (view->part_count > 0) put_parts(&metrics, view);
    return !sc_prometheus_has_failed(&metrics);
}
