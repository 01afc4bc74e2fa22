// Figures of a cluster as text: of the whole, of each worker, of each part. See metrics.h.
//
// Names of workers are their operators' and need not differ, above all while one that was started
// anew is there beside its former self, who is not yet missed. A page on which the same sample is
// twice would be refused as a whole, so namesakes are told apart by their numbers.
#include "api/metrics_internal.h"

#include "api/json_write.h"
#include "api/metrics_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** A figure of one worker or part: one line. Lines of one metric follow each other. */
typedef struct figure {
    const char *name;  ///< NULL: there are no more
    const char *type;
    const char *help;  ///< NULL: the metric of the figure before
    const char *more;  ///< another label; "" if there is none
    double value;
} figure;

/** The first line of a metric has HELP and TYPE before it. */
static bool put_figure_head(sc_bytes *out, const figure *f)
{
    return !f->help || sc__metric_head(out, f->name, f->type, f->help);
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

static bool put_peers(sc_bytes *out, const sc_cluster_view *view)
{
    static const char name[] = "starcloak_cluster_peers";
    const uint64_t workers = count_workers(view);
    return sc__metric_head(out, name, "gauge", "Processes that are alive, by kind.") &&
           SC__APPEND(out, name, "{kind=\"gateway\"}") &&
           sc__metric_whole(out, view->peer_count - workers) &&
           SC__APPEND(out, name, "{kind=\"worker\"}") && sc__metric_whole(out, workers);
}

static bool put_directions(sc_bytes *out, const char *name, const char *help, uint64_t outwards,
                           uint64_t inwards)
{
    return sc__metric_head(out, name, "counter", help) &&
           SC__APPEND(out, name, "{direction=\"out\"}") && sc__metric_whole(out, outwards) &&
           SC__APPEND(out, name, "{direction=\"in\"}") && sc__metric_whole(out, inwards);
}

static bool put_placement(sc_bytes *out, const sc_cluster_view *view)
{
    static const char imbalance[] = "starcloak_cluster_imbalance";
    return sc__metric_gauge(out, "starcloak_cluster_epoch", "Number of the placement in force.",
                            view->epoch) &&
           sc__metric_head(out, imbalance, "gauge",
                           "The busiest worker's load per thread by the mean.") &&
           SC__APPEND(out, imbalance) && sc__metric_number(out, view->imbalance) &&
           sc__metric_counter(out, "starcloak_cluster_placements_total",
                              "Placements that this process made.", view->placements) &&
           sc__metric_counter(out, "starcloak_cluster_moved_parts_total",
                              "Parts that went to another worker by these.", view->moved) &&
           sc__metric_counter(out, "starcloak_cluster_strangers_total",
                              "Beats of processes with another cut.", view->strangers);
}

static bool put_wire(sc_bytes *out, const sc_bus_stats *wire)
{
    return sc__metric_gauge(out, "starcloak_cluster_connected",
                            "1 while the connection to NATS is there.", wire->is_connected) &&
           put_directions(out, "starcloak_cluster_messages_total", "Messages over NATS.",
                          wire->messages_out, wire->messages_in) &&
           put_directions(out, "starcloak_cluster_bytes_total", "Bytes of these.", wire->bytes_out,
                          wire->bytes_in) &&
           sc__metric_counter(out, "starcloak_cluster_unsent_total",
                              "Messages that were lost before they were sent.", wire->unsent) &&
           sc__metric_counter(out, "starcloak_cluster_unopened_total",
                              "Messages that were not sealed with our key.", wire->unopened) &&
           sc__metric_counter(out, "starcloak_cluster_overrun_total",
                              "Messages that were lost since we were slow.", wire->overrun) &&
           sc__metric_counter(out, "starcloak_cluster_reconnects_total",
                              "How often the connection was made anew.", wire->reconnects);
}

// --- Workers -------------------------------------------------------------------------------------

/** A name, and a number behind it if somebody else has the name. */
static bool put_worker_name(sc_bytes *out, const sc_cluster_view *view,
                            const sc_cluster_view_peer *worker)
{
    char number[24] = "";
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *other = &view->peers[i];
        if (!other->is_worker || other->peer == worker->peer) continue;
        if (strcmp(other->name, worker->name) != 0) continue;
        (void)snprintf(number, sizeof number, "/%016" PRIx64, worker->peer);
    }
    return sc__metric_label(out, worker->name) && SC__APPEND(out, number);
}

static figure worker_figure(const sc_cluster_view_peer *worker, size_t i)
{
    const sc_crew_stats *crew = &worker->crew;
    const figure figures[] = {
        {"starcloak_worker_load", "gauge", "Queries per second, over about a minute.", "",
         worker->load},
        {"starcloak_worker_cpu", "gauge", "Processors in use.", "", worker->cpu},
        {"starcloak_worker_threads", "gauge", "Threads with engines.", "", worker->threads},
        {"starcloak_worker_parts", "gauge", "Parts that are served.", "", worker->parts},
        {"starcloak_worker_open", "gauge", "Queries that are held.", "", (double)worker->open},
        {"starcloak_worker_memory_bytes", "gauge", "Memory that is in use.", "",
         (double)worker->memory},
        {"starcloak_worker_proposals_under_way", "gauge", "Proposed cloaks without an end.", "",
         (double)crew->bids_under_way},
        {"starcloak_worker_proposals_total", "counter", "Proposed cloaks, by how they ended.",
         ",state=\"published\"", (double)crew->bids_published},
        {"starcloak_worker_proposals_total", "counter", NULL, ",state=\"refused\"",
         (double)crew->bids_refused},
        {"starcloak_worker_proposals_total", "counter", NULL, ",state=\"silent\"",
         (double)crew->bids_silent},
        {"starcloak_worker_proposals_total", "counter", NULL, ",state=\"unknown\"",
         (double)crew->bids_unknown},
        {"starcloak_worker_asked_total", "counter",
         "Questions to gateways what became of a proposed cloak.", "", (double)crew->asked},
        {"starcloak_worker_lost_total", "counter", "Words for which there was no room.", "",
         (double)crew->lost},
        {"starcloak_worker_misdirected_total", "counter", "Queries for a part that is not here.",
         "", (double)crew->misdirected},
        {.name = NULL},
    };
    return figures[i];
}

static bool put_workers(sc_bytes *out, const sc_cluster_view *view)
{
    static const sc_cluster_view_peer anybody = {.is_worker = true};
    bool fits = true;
    for (size_t i = 0; fits; i++) {
        const figure any = worker_figure(&anybody, i);
        if (!any.name) break;
        fits = put_figure_head(out, &any);
        for (size_t w = 0; fits && w < view->peer_count; w++) {
            const sc_cluster_view_peer *worker = &view->peers[w];
            if (!worker->is_worker) continue;
            const figure f = worker_figure(worker, i);
            fits = SC__APPEND(out, f.name, "{worker=\"") && put_worker_name(out, view, worker) &&
                   SC__APPEND(out, "\"", f.more, "}") && sc__metric_number(out, f.value);
        }
    }
    return fits;
}

// --- Parts ---------------------------------------------------------------------------------------

static figure part_figure(const sc_cluster_view_part *part, size_t i)
{
    const sc_part_load *counts = &part->counts;
    const figure figures[] = {
        {"starcloak_part_served", "gauge", "1 if the part's worker serves it.", "",
         part->is_served},
        {"starcloak_part_load", "gauge", "Queries per second, over about a minute.", "",
         part->load},
        {"starcloak_part_pending", "gauge", "Its own queries that wait.", "", counts->pending},
        {"starcloak_part_held", "gauge", "Company that waits.", "", counts->held},
        {"starcloak_part_queries_total", "counter", "Its own queries since its worker has it.", "",
         (double)counts->queries},
        {"starcloak_part_company_total", "counter", "Company since its worker has it.", "",
         (double)counts->company},
        {"starcloak_part_cloaks_total", "counter", "Cloaks that left since its worker has it.", "",
         (double)counts->cloaks},
        {"starcloak_part_dropped_total", "counter", "Queries dropped since its worker has it.", "",
         (double)counts->dropped},
        {"starcloak_part_cpu_seconds_total", "counter",
         "CPU time of its engine since its worker has it.", "", (double)counts->cpu_us * 1e-6},
        {.name = NULL},
    };
    return figures[i];
}

/** The name of who has a part; nothing for one who is not there. */
static bool put_owner(sc_bytes *out, const sc_cluster_view *view, sc_peer owner)
{
    for (size_t i = 0; i < view->peer_count; i++) {
        if (view->peers[i].peer == owner) return put_worker_name(out, view, &view->peers[i]);
    }
    return true;
}

static bool put_parts(sc_bytes *out, const sc_cluster_view *view)
{
    static const sc_cluster_view_part any_part = {.owner = SC_PEER_NONE};
    bool fits = true;
    for (size_t i = 0; fits; i++) {
        const figure any = part_figure(&any_part, i);
        if (!any.name) break;
        fits = put_figure_head(out, &any);
        for (uint32_t p = 0; fits && p < view->part_count; p++) {
            const sc_cluster_view_part *part = &view->parts[p];
            const figure f = part_figure(part, i);
            fits = SC__APPEND(out, f.name, "{part=\"") && sc_json_append_whole(out, p) &&
                   SC__APPEND(out, "\",worker=\"") && put_owner(out, view, part->owner) &&
                   SC__APPEND(out, "\"", f.more, "}") && sc__metric_number(out, f.value);
        }
    }
    return fits;
}

bool sc__metrics_print_cluster(const sc_cluster_view *view, sc_bytes *out)
{
    // A metric without a line is none.
    return put_peers(out, view) && put_placement(out, view) && put_wire(out, &view->bus) &&
           (count_workers(view) == 0 || put_workers(out, view)) &&
           (view->part_count == 0 || put_parts(out, view));
}
