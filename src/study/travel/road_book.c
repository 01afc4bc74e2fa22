// Ways for both classes of vehicle, made side by side. See trips.h.
#include "travel/trips.h"

#include "base/thread.h"

#include <pthread.h>
#include <unistd.h>

/** The ways of one class, and what came of making them. */
typedef struct making {
    const sc_map *map;
    sc_vehicle vehicle;
    const sc_progress *progress;
    sc_routes *routes;
    sc_err err;
    sc_diag diag;
} making;

static void *make(void *argument)
{
    making *m = argument;
    m->err = sc_routes_new(m->map, m->vehicle, m->progress, &m->routes, &m->diag);
    return NULL;
}

// Whether `m` is now being made in a thread of its own.
static bool make_aside(making *m, pthread_t *thread)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return false;
    return sc_thread_start(thread, make, m) == SC_OK;
}

sc_err sc_road_book_init(sc_road_book *book, const sc_map *map, const sc_progress *progress,
                         sc_diag *diag)
{
    *book = (sc_road_book){0};
    // Both take about as long, so whoever called is told of one alone, and from its own thread.
    making cars = {.map = map, .vehicle = SC_CAR, .progress = progress};
    making trucks = {.map = map, .vehicle = SC_TRUCK};
    pthread_t thread;
    const bool is_aside = make_aside(&trucks, &thread);
    make(&cars);
    if (is_aside) {
        pthread_join(thread, NULL);
    } else if (!cars.err) {
        make(&trucks);
    }
    book->by_vehicle[SC_CAR] = cars.routes;
    book->by_vehicle[SC_TRUCK] = trucks.routes;
    const making *failed = cars.err ? &cars : &trucks;
    if (failed->err) {
        sc_road_book_fini(book);
        if (diag) *diag = failed->diag;
    }
    return failed->err;
}

void sc_road_book_fini(sc_road_book *book)
{
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        sc_routes_free(book->by_vehicle[vehicle]);
    }
    *book = (sc_road_book){0};
}
