// What a segment, a border node and an object cost: the constants of the engine's cost model.
//
// usage: bench_cost MAP.scm...
//
// The same cloaks are asked for whole and in part, so that two runs differ in one thing alone:
//   a segment      all segments without border nodes, against every other one
//   a border node  all segments with border nodes, against without
//   an object      encoded, decoded, checked and filtered: the 8 nearest, against the 2 nearest
// The requests are the usual ones, five nearest of all categories; the way is the service's own.
#include "support/bench.h"
#include "support/cloaks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <starcloak/answer.h>
#include <starcloak/lbs.h>
#include <starcloak/relay_codec.h>

typedef struct stand {
    const sc_map *map;
    sc_objects *stock;
    cloaks cloaks;
    sc_lbs *lbs;
    sc_filter *filter;
    sc_codec_limits limits;
} stand;

static void die_if(sc_err err, const sc_diag *diag)
{
    if (err) bench_die("bench_cost", diag->message);
}

/** What of a cloak is asked for. */
typedef struct part {
    bool half_of_segments;
    bool border_nodes;
} part;

static sc_relay part_of(const sc_relay *cloak, part which, const sc_request *request,
                        sc_seg_id *room)
{
    sc_relay relay = *cloak;
    relay.requests = request;
    relay.request_count = 1;
    if (!which.border_nodes) relay.border_node_count = 0;
    if (which.half_of_segments) {
        relay.segment_count = 0;
        for (size_t i = 0; i < cloak->segment_count; i += 2) {
            room[relay.segment_count++] = cloak->segments[i];
        }
        relay.segments = room;
    }
    return relay;
}

/** CPU seconds to answer for all cloaks, the least of some runs; `segments` becomes how many. */
static double answer_s(stand *s, part which, const sc_request *request, double *segments)
{
    enum { RUNS = 30 };
    double least = HUGE_VAL;
    sc_seg_id room[10000];
    sc_reply reply;
    sc_reply_init(&reply);
    for (int run = 0; run < RUNS; run++) {
        *segments = 0;
        const double start = bench_cpu_s();
        for (size_t i = 0; i < s->cloaks.count; i++) {
            const sc_relay relay = part_of(&s->cloaks.relays[i], which, request, room);
            sc_diag diag = {""};
            die_if(sc_lbs_evaluate(s->lbs, s->stock, &relay, &reply, &diag), &diag);
            *segments += (double)relay.segment_count;
        }
        least = fmin(least, bench_cpu_s() - start);
    }
    sc_reply_fini(&reply);
    return least;
}

/** What sending takes. */
typedef struct sending {
    double cpu_s;     ///< encoding, decoding, checking and one answer, for all cloaks
    double open_s;    ///< of that, checking
    double answer_s;  ///< and the answer
    double objects;
    double bytes_out;
    double bytes_in;
} sending;

/** Check a reply and make an answer of it, each several times: once is shorter than the clock. */
static void filter_reply(stand *s, const sc_relay *relay, const sc_reply *reply, sending *now)
{
    enum { TIMES = 10 };
    const sc_edge_id edge = sc_map_segments(s->map)[relay->segments[0]].first_edge;
    sc_diag diag = {""};
    const double start = bench_cpu_s();
    for (int i = 0; i < TIMES; i++) {
        die_if(sc_filter_open(s->filter, relay, reply, &diag), &diag);
    }
    const double opened = bench_cpu_s();
    for (int i = 0; i < TIMES; i++) {
        const sc_near *found = NULL;
        size_t count = 0;
        die_if(sc_filter_answer(s->filter, (sc_road_point){.edge = edge, .offset_m = 0}, 0, &found,
                                &count, &diag),
               &diag);
    }
    const double answered = bench_cpu_s();
    now->open_s += (opened - start) / TIMES;
    now->answer_s += (answered - opened) / TIMES;
    now->cpu_s += (answered - start) / TIMES;
}

static sending send_all(stand *s, const sc_request *request)
{
    enum { RUNS = 3 };
    sending least = {.cpu_s = HUGE_VAL};
    const sc_vocabulary *words = sc_objects_vocabulary(s->stock);
    sc_reply reply;
    sc_reply received;
    sc_reply_init(&reply);
    sc_reply_init(&received);
    sc_bytes out = {0};
    sc_bytes in = {0};
    for (int run = 0; run < RUNS; run++) {
        sending now = {0};
        for (size_t i = 0; i < s->cloaks.count; i++) {
            const sc_relay relay =
                part_of(&s->cloaks.relays[i], (part){.border_nodes = true}, request, NULL);
            sc_diag diag = {""};
            die_if(sc_lbs_evaluate(s->lbs, s->stock, &relay, &reply, &diag), &diag);
            die_if(sc_relay_encode(&(sc_codec){.map = s->map,
                                               .vocabulary = words,
                                               .encoding = SC_ENCODING_COMPACT},
                                   &relay, &out, &diag),
                   &diag);
            const double start = bench_cpu_s();
            die_if(sc_reply_encode(&(sc_codec){.map = s->map,
                                               .vocabulary = words,
                                               .encoding = SC_ENCODING_COMPACT},
                                   &relay, &reply, &in, &diag),
                   &diag);
            die_if(sc_reply_decode(&(sc_codec){.map = s->map,
                                               .vocabulary = words,
                                               .encoding = SC_ENCODING_COMPACT,
                                               .limits = &s->limits},
                                   &relay, in.data, in.size, &received, &diag),
                   &diag);
            now.cpu_s += bench_cpu_s() - start;
            filter_reply(s, &relay, &received, &now);
            now.objects += (double)sc_reply_candidate_count(&received, 0);
            now.bytes_out += (double)out.size;
            now.bytes_in += (double)in.size;
        }
        if (now.cpu_s < least.cpu_s) least = now;
    }
    sc_bytes_fini(&out);
    sc_bytes_fini(&in);
    sc_reply_fini(&reply);
    sc_reply_fini(&received);
    return least;
}

static void measure(const char *path)
{
    sc_map *map = bench_open(path);
    sc_diag diag = {""};
    stand s = {.map = map, .limits = sc_codec_limits_default()};
    s.cloaks = cloaks_new(map, 20000, sc_map_star_count(map) > 10000);
    // Objects of the map's own are sent as numbers, others with their keys and places.
    if (sc_map_object_count(map) > 0) {
        if (sc_objects_new_from_map(map, &s.stock)) bench_die("bench_cost", "out of memory");
    } else {
        s.stock = stock_new(map);
    }
    const sc_index_options index = sc_index_options_default();
    die_if(sc_objects_build_index(s.stock, &index, &diag), &diag);
    const sc_lbs_options lbs_options = sc_lbs_options_default();
    die_if(sc_lbs_new(map, &lbs_options, &s.lbs, &diag), &diag);
    const sc_filter_options filter_options = sc_filter_options_default();
    die_if(sc_filter_new(map, &filter_options, &s.filter, &diag), &diag);

    const sc_request all = stock_request(s.stock, &shares[0], 5, 0);
    const sc_request many = stock_request(s.stock, &shares[0], 8, 0);
    const sc_request few = stock_request(s.stock, &shares[0], 2, 0);
    double segments = 0;
    double half = 0;
    const double whole_s = answer_s(&s, (part){.border_nodes = true}, &all, &segments);
    const double inside_s = answer_s(&s, (part){.border_nodes = false}, &all, &segments);
    const double half_s = answer_s(&s, (part){.half_of_segments = true}, &all, &half);
    const double border_nodes = s.cloaks.border_nodes * (double)s.cloaks.count;
    const double segment_ns = 1e9 * (inside_s - half_s) / (segments - half);
    const double node_ns = 1e9 * (whole_s - inside_s) / border_nodes;
    const sending usual = send_all(&s, &all);
    const sending much = send_all(&s, &many);
    const sending little = send_all(&s, &few);
    const double object_ns = 1e9 * (much.cpu_s - little.cpu_s) / (much.objects - little.objects);
    printf("%-18s %10.1f %12.1f %10.1f %10.1f %12.1f %8.0f %8.0f %8.1f %8.1f %8.1f %8.2f\n",
           bench_name(path), segment_ns, node_ns, object_ns, node_ns / segment_ns,
           object_ns / segment_ns, usual.bytes_out / (double)s.cloaks.count,
           usual.bytes_in / (double)s.cloaks.count,
           (much.bytes_in - little.bytes_in) / (much.objects - little.objects),
           1e6 * usual.cpu_s / (double)s.cloaks.count, 1e6 * usual.open_s / (double)s.cloaks.count,
           1e6 * usual.answer_s / (double)s.cloaks.count);
    sc_filter_free(s.filter);
    sc_lbs_free(s.lbs);
    sc_objects_release(s.stock);
    cloaks_free(&s.cloaks);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 2) bench_die("bench_cost", "usage: bench_cost MAP.scm...");
    printf("what a cloak costs: CPU time in ns per segment, border node and object; bytes of a "
           "compact message\n");
    printf("%-18s %10s %12s %10s %10s %12s %8s %8s %8s %8s %8s %8s\n", "map", "segment",
           "border node", "object", "node / s", "object / s", "B out", "B in", "B / obj", "us sent",
           "check", "answer");
    for (int i = 1; i < argc; i++) {
        measure(argv[i]);
    }
    return 0;
}
