// More than one core for one service: what each thread of it does for a query, and how many queries
// a second that allows.
//
// usage: bench_threads USERS SECONDS FASTER MAP.scm THREADS...
//
// Questions of travellers are made ahead and submitted to a ledger with engines in THREADS threads
// and a built-in provider with as many, as `serve --threads` has them, without HTTP; a fifth of the
// travellers wait at once. 1 THREAD is the ledger's own, which does it all. FASTER is by how much
// the travellers are less patient than usual, so that the same number waits at a higher rate.
//
// CPU time is that of each thread, by its name: of the ledger's, of the busiest engine thread, of
// all of them, of all provider threads. "bound": what the busiest thread allows. "N cores": what is
// possible on as many cores as THREADS, which is CPU time divided by cores, and not more than the
// bound. "here": what this machine did.
#include "support/bench.h"
#include "support/cloaks.h"
#include "support/traffic.h"

#include "base/clock.h"
#include "base/handover.h"
#include "base/rng.h"
#include "courier/courier.h"
#include "ledger/ledger.h"
#include "partition/partition_make.h"
#include "worker/engine_pool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PARTS_PER_THREAD = 4, TASKS = 256, LEAVING_MAX = 128 };

static void die_if(sc_err err, const char *what, const sc_diag *diag)
{
    if (err) bench_die(what, diag->message[0] ? diag->message : sc_err_text(err));
}

// --- CPU time of each thread ----------------------------------------------------------------

typedef struct task {
    int id;
    char name[32];
    double cpu_s;
} task;

static void read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file && !fgets(line, size, file)) line[0] = '\0';
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

/** All threads of this process, and the CPU time of each; returns how many. */
static size_t list_tasks(task *tasks)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder) bench_die("/proc/self/task", "cannot be read");
    for (struct dirent *entry; (entry = readdir(folder)) && count < TASKS;) {
        if (entry->d_name[0] == '.') continue;
        char path[300];
        char line[128];
        task *each = &tasks[count++];
        each->id = (int)strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        read_line(path, line, sizeof line);
        snprintf(each->name, sizeof each->name, "%.31s", line);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        read_line(path, line, sizeof line);
        each->cpu_s = strtod(line, NULL) * 1e-9;
    }
    closedir(folder);
    return count;
}

/** CPU seconds since `before` of the threads whose name begins so: the busiest, and all. */
static double spent(const task *before, size_t before_count, const task *now, size_t now_count,
                    const char *name, double *sum)
{
    double most = 0.0;
    *sum = 0.0;
    for (size_t i = 0; i < now_count; i++) {
        if (strncmp(now[i].name, name, strlen(name)) != 0) continue;
        double cpu_s = now[i].cpu_s;
        for (size_t j = 0; j < before_count; j++) {
            if (before[j].id == now[i].id) cpu_s -= before[j].cpu_s;
        }
        *sum += cpu_s;
        if (cpu_s > most) most = cpu_s;
    }
    return most;
}

// --- The service without HTTP ---------------------------------------------------------------

typedef struct run {
    const traffic *traffic;
    sc_road_point *places;  ///< of each question
    sc_request request;
    sc_time faster;
    size_t window;                    ///< tickets under way at once
    sc_handover *settled;             ///< to the thread that submits
    sc_ticket *leaving[LEAVING_MAX];  ///< in this round, as the query route hands them to its loops
    size_t leaving_count;
    size_t under_way;  ///< of the thread that submits
} run;

static void settle_all(void *context)
{
    run *r = context;
    (void)sc_handover_put_many(r->settled, r->leaving, r->leaving_count);
    r->leaving_count = 0;
}

static void settle(void *context, sc_ticket *ticket)
{
    run *r = context;
    r->leaving[r->leaving_count++] = ticket;
    if (r->leaving_count == LEAVING_MAX) settle_all(r);
}

/** Free those that came back. */
static void take_back(run *r)
{
    sc_ticket *tickets[LEAVING_MAX];
    for (size_t count; (count = sc_handover_take(r->settled, tickets, LEAVING_MAX)) > 0;) {
        for (size_t i = 0; i < count; i++) {
            sc_ticket_free(tickets[i]);
        }
        r->under_way -= count;
    }
}

static sc_ticket *ticket_of(const run *r, size_t i)
{
    sc_ticket *ticket = sc_ticket_new();
    if (!ticket) {
        bench_die("tickets", "out of memory");
        return NULL;  // not reached; for cppcheck
    }
    ticket->query = r->traffic->queries[i];
    ticket->asked = sc_clock_us();
    ticket->query.deadline =
        ticket->asked + (ticket->query.deadline - r->traffic->asks[i].t) / r->faster;
    ticket->at = r->places[i];
    ticket->request = r->request;
    return ticket;
}

/** Submit the questions from `first` to `end`, `window` at once. */
static void submit(run *r, sc_ledger *ledger, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (i % LEAVING_MAX == 0) take_back(r);
        while (r->under_way >= r->window) {
            usleep(200);
            take_back(r);
        }
        if (sc_ledger_submit(ledger, ticket_of(r, i))) bench_die("ledger", "a query is refused");
        r->under_way++;
    }
}

static void measure(run *r, sc_objects *objects, unsigned threads)
{
    const sc_map *map = r->traffic->map;
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    const sc_partition_options parts = {.parts = threads > 1 ? PARTS_PER_THREAD * threads : 1,
                                        .seed = 1};
    die_if(sc_partition_make(map, &parts, &partition, &diag), "partition", &diag);
    die_if(sc_handover_new(sizeof(sc_ticket *), r->window, &r->settled), "handover", &diag);
    r->under_way = 0;

    sc_ledger_options options = sc_ledger_options_default();
    options.engine_threads = threads;
    options.partition = partition;
    options.max_pending = 2 * r->window;
    options.jitter_us = 0;
    options.settled = settle;
    options.all_settled = settle_all;
    options.context = r;
    sc_ledger *ledger = NULL;
    die_if(sc_ledger_new(map, &options, &ledger, &diag), "ledger", &diag);
    sc_courier_options provider = sc_courier_options_default();
    provider.threads = threads > 1 ? threads : 0;
    provider.max_errands = r->window;
    provider.objects = objects;
    provider.back = sc_ledger_errand_back;
    provider.context = ledger;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_courier *courier = NULL;
    die_if(sc_courier_new(map, &provider, &rng, &courier, &diag), "courier", &diag);
    sc_ledger_set_courier(ledger, courier);

    static task before[TASKS];
    static task now[TASKS];
    const size_t warm = r->traffic->count / 5;
    submit(r, ledger, 0, warm);
    const size_t before_count = list_tasks(before);
    const size_t were_under_way = r->under_way;
    const int64_t start_us = sc_clock_us();
    submit(r, ledger, warm, r->traffic->count);
    const size_t now_count = list_tasks(now);
    const double wall_s = (double)(sc_clock_us() - start_us) * 1e-6;
    const double queries =
        (double)(r->traffic->count - warm) + (double)were_under_way - (double)r->under_way;

    double sum[3];
    double most[3];
    const char *const kinds[3] = {"ledger", "engine-", "courier-"};
    double busiest = 0.0;
    double all = 0.0;
    for (int i = 0; i < 3; i++) {
        most[i] = spent(before, before_count, now, now_count, kinds[i], &sum[i]);
        all += sum[i];
        if (most[i] > busiest) busiest = most[i];
    }
    const double us = 1e6 / queries;
    const double of_cores = all / threads > busiest ? all / threads : busiest;
    sc_ledger_stop(ledger);
    const sc_ledger_stats stats = sc_ledger_stats_of(ledger);
    const double ended = (double)(stats.answered + stats.dropped[SC_DROP_EXPIRED]);
    printf("%7u %6u %8.2f %8.2f %8.2f %8.2f %8.2f %8.0f %8.0f %8.0f %8.1f %8.2f\n", threads,
           parts.parts, most[0] * us, most[1] * us, sum[1] * us, sum[2] * us, all * us,
           queries / busiest * 1e-3, queries / of_cores * 1e-3, queries / wall_s * 1e-3,
           100.0 * (double)stats.answered / ended,
           100.0 * (double)stats.refused / (double)stats.taken);
    fflush(stdout);
    sc_courier_free(courier);
    sc_ledger_free(ledger);
    take_back(r);
    sc_handover_free(r->settled);
    sc_partition_free(partition);
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        bench_die("bench_threads", "usage: bench_threads USERS SECONDS FASTER MAP.scm THREADS...");
    }
    const uint32_t users = (uint32_t)strtoul(argv[1], NULL, 10);
    sc_map *map = bench_open(argv[4]);
    traffic t = traffic_new(map, users, strtod(argv[2], NULL));
    sc_objects *objects = NULL;
    die_if(sc_objects_new_from_map(map, &objects), "objects", &(sc_diag){""});
    run r = {.traffic = &t, .window = users / 5, .faster = strtol(argv[3], NULL, 10)};
    if (r.faster < 1) bench_die("FASTER", "must be 1 or more");
    r.request = sc_request_normalise(&(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    r.places = calloc(t.count, sizeof *r.places);
    if (!r.places) bench_die("places", "out of memory");
    for (size_t i = 0; i < t.count; i++) {
        sc_snap where;
        die_if(sc_map_snap(map, t.asks[i].x, t.asks[i].y, 1000.0, &where), "place", &(sc_diag){""});
        r.places[i] = (sc_road_point){.edge = where.edge, .offset_m = where.offset_m};
    }
    printf("%s: %zu queries, %zu at once; CPU microseconds per query; thousand queries a second\n",
           bench_name(argv[4]), t.count, r.window);
    printf("%7s %6s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "threads", "parts", "ledger",
           "engine", "engines", "provider", "all", "bound", "N cores", "here", "cloaked%",
           "refused%");
    for (int i = 5; i < argc; i++) {
        measure(&r, objects, (unsigned)strtoul(argv[i], NULL, 10));
    }
    sc_objects_release(objects);
    free(r.places);
    traffic_free(&t);
    sc_map_free(map);
    return 0;
}
