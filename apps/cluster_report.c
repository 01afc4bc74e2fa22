// A cluster as tables. See cluster_report.h.
#include "cluster_report.h"

#include <inttypes.h>

#include "format.h"

enum { NAME_COLUMNS = 24 };

static size_t count_peers(const sc_cluster_view *view, bool is_worker)
{
    size_t count = 0;
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *peer = &view->peers[i];
        count += peer->is_worker == is_worker && !peer->is_stranger;
    }
    return count;
}

static uint32_t count_served(const sc_cluster_view *view)
{
    uint32_t served = 0;
    for (uint32_t i = 0; i < view->part_count; i++) {
        served += view->parts[i].is_served;
    }
    return served;
}

bool sc_cluster_report_is_fine(const sc_cluster_view *view)
{
    return count_peers(view, false) > 0 && view->part_count > 0 &&
           count_served(view) == view->part_count;
}

static const char *state_of(const sc_cluster_view_peer *peer)
{
    if (peer->is_stranger) return "has another cut of the map";
    if (peer->is_leaving) return "leaves";
    return peer->is_leader ? "leads" : "";
}

static void print_gateways(FILE *out, const sc_cluster_view *view)
{
    fprintf(out, "\n%-*s %8s %8s %10s %12s %12s  %s\n", NAME_COLUMNS, "gateway", "cores", "open",
            "memory", "sent", "heard", "");
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *peer = &view->peers[i];
        if (peer->is_worker) continue;
        char open[SC_FORMAT_SIZE];
        char memory[SC_FORMAT_SIZE];
        char sent[SC_FORMAT_SIZE];
        char heard[SC_FORMAT_SIZE];
        fprintf(out, "%-*s %8.2f %8s %10s %12s %12s  %s\n", NAME_COLUMNS, peer->name, peer->cpu,
                sc_format_count(open, peer->open), sc_format_bytes(memory, peer->memory),
                sc_format_count(sent, peer->messages_out),
                sc_format_count(heard, peer->messages_in), state_of(peer));
    }
}

static void print_workers(FILE *out, const sc_cluster_view *view)
{
    fprintf(out, "\n%-*s %7s %6s %10s %8s %8s %10s %10s %8s  %s\n", NAME_COLUMNS, "worker",
            "threads", "parts", "queries/s", "cores", "open", "memory", "bids", "refused", "");
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *peer = &view->peers[i];
        if (!peer->is_worker) continue;
        char load[SC_FORMAT_SIZE];
        char open[SC_FORMAT_SIZE];
        char memory[SC_FORMAT_SIZE];
        char bids[SC_FORMAT_SIZE];
        char refused[SC_FORMAT_SIZE];
        fprintf(out, "%-*s %7" PRIu32 " %6" PRIu32 " %10s %8.2f %8s %10s %10s %8s  %s\n",
                NAME_COLUMNS, peer->name, peer->threads, peer->parts,
                sc_format_decimal(load, peer->load, 1), peer->cpu,
                sc_format_count(open, peer->open), sc_format_bytes(memory, peer->memory),
                sc_format_count(bids, peer->engines.proposals),
                sc_format_count(refused, peer->engines.proposals_refused), state_of(peer));
    }
}

static const char *owner_of(const sc_cluster_view *view, sc_peer owner)
{
    for (size_t i = 0; i < view->peer_count; i++) {
        if (view->peers[i].peer == owner) return view->peers[i].name;
    }
    return owner == SC_PEER_NONE ? "nobody" : "one who is gone";
}

static void print_parts(FILE *out, const sc_cluster_view *view)
{
    fprintf(out, "\n%6s %-*s %10s %10s %10s %8s %8s  %s\n", "part", NAME_COLUMNS, "worker",
            "queries/s", "queries", "cloaks", "open", "company", "");
    for (uint32_t i = 0; i < view->part_count; i++) {
        const sc_cluster_view_part *part = &view->parts[i];
        char load[SC_FORMAT_SIZE];
        char queries[SC_FORMAT_SIZE];
        char cloaks[SC_FORMAT_SIZE];
        fprintf(out, "%6" PRIu32 " %-*s %10s %10s %10s %8" PRIu32 " %8" PRIu32 "  %s\n", i,
                NAME_COLUMNS, owner_of(view, part->owner), sc_format_decimal(load, part->load, 1),
                sc_format_count(queries, part->counts.queries),
                sc_format_count(cloaks, part->counts.cloaks), part->counts.pending,
                part->counts.held, part->is_served ? "" : "not served");
    }
}

void sc_cluster_report(FILE *out, const sc_cluster_view *view, bool has_parts)
{
    const uint32_t served = count_served(view);
    fprintf(out, "gateways     %zu\n", count_peers(view, false));
    fprintf(out, "workers      %zu\n", count_peers(view, true));
    if (view->part_count == 0) {
        fprintf(out, "parts        nobody has said who has them\n");
    } else {
        fprintf(out,
                "parts        %" PRIu32 ", %" PRIu32 " of them served (placement %" PRIu64 ")\n",
                view->part_count, served, view->epoch);
    }
    if (view->strangers > 0) {
        fprintf(out, "strangers    %" PRIu64 " signs of life of another cut of the map\n",
                view->strangers);
    }
    print_gateways(out, view);
    print_workers(out, view);
    if (has_parts && view->part_count > 0) print_parts(out, view);
}
