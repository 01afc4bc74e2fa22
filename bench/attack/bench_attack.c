// Replays per CPU second, for cloaks of five as each method makes them; the same with every
// placement enumerated; and how much sooner it is done with more threads.
//
// usage: bench_attack REPLAYS MAP.scm...
#include "support/bench.h"
#include "support/traffic.h"

#include <starcloak/attack.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/** Who asks, for how long, with how many others each wants to be; and what is made of it. */
enum { USERS = 10000, SECONDS = 30, K = 5, CLOAKS = 20, RUNS = 2 };

/** More placements than this are not enumerated: five members on some twenty segments. */
enum { MOST_PLACEMENTS = 50000 };

/** Cloaks as an adversary sees them. */
typedef struct seen {
    sc_sighting all[CLOAKS];
    size_t count;
} seen;

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) bench_die("attack", "out of memory");
    return memory;
}

static void keep(void *data, const sc_cloak *cloak)
{
    seen *s = data;
    if (s->count == CLOAKS || cloak->member_count != K) return;
    sc_seg_id *segments = room(cloak->segment_count, sizeof *segments);
    sc_needs *needs = room(cloak->member_count, sizeof *needs);
    memcpy(segments, cloak->segments, cloak->segment_count * sizeof *segments);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        needs[i] = (sc_needs){query->k, query->l, query->max_hops, query->result_size};
    }
    s->all[s->count++] = (sc_sighting){.segments = segments,
                                       .segment_count = cloak->segment_count,
                                       .strangers = needs,
                                       .stranger_count = cloak->member_count};
}

static void forget(seen *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free((void *)s->all[i].segments);
        free((void *)s->all[i].strangers);
    }
}

/** What attacking all cloaks came to. */
typedef struct outcome {
    double cpu_s;
    double wall_s;
    uint64_t replays;
    uint64_t fruitful;
    double entropy;  ///< normalised, on average
    size_t count;    ///< of cloaks
    double bytes;    ///< of the adversary, when it is done
} outcome;

static double bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/** Attack all cloaks; enumerating, only those with few enough placements. */
static outcome attack(const sc_map *map, const seen *s, const sc_adversary_options *options)
{
    outcome o = {0};
    sc_diag diag = {""};
    sc_adversary *adversary = NULL;
    const double before = bytes_in_use();
    if (sc_adversary_new(map, options, NULL, &adversary, &diag)) bench_die("attack", diag.message);
    for (size_t i = 0; i < s->count; i++) {
        sc_posterior posterior;
        const double start_cpu = bench_cpu_s();
        const double start = wall_s();
        if (sc_adversary_correlate(adversary, i, &s->all[i], &posterior, &diag)) {
            bench_die("attack", diag.message);
        }
        // What had too many placements was hardly looked at.
        if (options->max_placements == 0 || posterior.is_enumerated) {
            o.cpu_s += bench_cpu_s() - start_cpu;
            o.wall_s += wall_s() - start;
            o.replays += posterior.replays;
            o.fruitful += posterior.fruitful;
            o.entropy += posterior.normalised_entropy;
            o.count++;
        }
        sc_posterior_fini(&posterior);
    }
    o.bytes = bytes_in_use() - before;
    if (o.count > 0) o.entropy /= (double)o.count;
    sc_adversary_free(adversary);
    return o;
}

static double rate_k(const outcome *o)
{
    return o->replays > 0 ? (double)o->replays / o->cpu_s / 1e3 : 0.0;
}

static double segments_of(const seen *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += (double)s->all[i].segment_count;
    }
    return s->count > 0 ? sum / (double)s->count : 0.0;
}

/** The same cloaks with 1, 2, 4, ... threads, up to one for each processor. */
static void measure_threads(const sc_map *map, const char *name, const seen *s,
                            sc_adversary_options options)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    double alone_s = 0;
    printf("%-18s %-15s", name, "  faster with");
    for (unsigned threads = 1; threads == 1 || threads <= processors; threads *= 2) {
        options.threads = threads;
        const outcome o = attack(map, s, &options);
        if (threads == 1) {
            alone_s = o.wall_s;
        } else {
            printf(" %u threads: %.2f times", threads, alone_s / o.wall_s);
        }
    }
    printf("\n");
}

static void measure_one(const traffic *t, const char *name, const variant_entry *v,
                        uint64_t replays)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.engine = variant_options(v);
    options.threads = 1;
    options.max_placements = 0;
    options.samples = replays;
    options.fruitful = 0;
    seen s = {.count = 0};
    traffic listened = *t;
    listened.on_cloak = keep;
    listened.data = &s;
    traffic_cloak(&listened, &options.engine, false);

    const outcome sampled = attack(t->map, &s, &options);
    sc_adversary_options all = options;
    all.max_placements = MOST_PLACEMENTS;
    all.runs = RUNS;
    all.samples = SC_ATTACK_BATCHES;
    const outcome enumerated = attack(t->map, &s, &all);
    printf("%-18s %-15s %7zu %8.1f %8.0f %9.0f %% %8.3f %7zu %8.0f %8.3f %9.0f\n", name, v->name,
           sampled.count, segments_of(&s), rate_k(&sampled),
           sampled.replays > 0 ? 100.0 * (double)sampled.fruitful / (double)sampled.replays : 0.0,
           sampled.entropy, enumerated.count, rate_k(&enumerated), enumerated.entropy,
           sampled.bytes / 1e3);
    if (v == variants) measure_threads(t->map, name, &s, options);
    forget(&s);
}

static void measure(const char *path, uint64_t replays)
{
    sc_map *map = bench_open(path);
    traffic t = traffic_new(map, USERS, SECONDS);
    for (size_t i = 0; i < t.count; i++) {
        t.queries[i].k = K;
    }
    for (const variant_entry *v = variants; v->name; v++) {
        measure_one(&t, bench_name(path), v, replays);
    }
    for (const variant_entry *v = compared; v->name; v++) {
        measure_one(&t, bench_name(path), v, replays);
    }
    traffic_free(&t);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 3) bench_die("bench_attack", "usage: bench_attack REPLAYS MAP.scm...");
    const uint64_t replays = strtoull(argv[1], NULL, 10);
    printf("cloaks of %d members, %llu replays each; then every placement %d times, where there "
           "are at most %d\n",
           K, (unsigned long long)replays, RUNS, MOST_PLACEMENTS);
    printf("%-18s %-15s %7s %8s %8s %11s %8s %7s %8s %8s %9s\n", "map", "", "cloaks", "segments",
           "k/CPU s", "fruitful", "entropy", "of them", "k/CPU s", "entropy", "kB");
    for (int i = 2; i < argc; i++) {
        measure(argv[i], replays);
    }
    return 0;
}
