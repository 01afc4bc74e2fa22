// No rare request twice. See rare_requests.h.
//
// Three tables of fixed size:
//
//   sent    by user and request: when the user made it last. Sets of eight places; the oldest of a
//           set makes room. It may be shared by ledgers in several threads, and has a lock.
//   recent  a ring of who made which request in which cloak. Those with the same request and about
//           the same place are chained, the newest first, from a table of heads.
//   cloaks  a ring of cloaks, each with the corners of its extent and its segments, which are in a
//           ring of their own.
//
// Places in rings are counted from the start and never again: one is still there if it is less than
// the ring's size behind the newest. Nothing here grows, and nothing waits.
#include "ledger/rare_requests.h"

#include "base/alloc.h"
#include "map/geo.h"

#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

enum { SET_SIZE = 8 };

/** How many steps along a chain are made: a request that so many made at one place is not rare, and
 * one that shares its chain with so many others by chance does not exist. */
enum { STEPS_MAX = 2048 };

/** What is over is wiped within so many calls, a second apart. */
enum { SWEEPS = 64 };
static const sc_time sweep_us = 1000000;

/** A request that was made before. */
typedef struct sent_request {
    uint64_t user;
    uint64_t form;
    sc_time t;
} sent_request;

typedef struct recent_request {
    uint64_t user;
    uint64_t key;    ///< of the request and the place
    uint64_t cloak;  ///< its number
    uint64_t older;  ///< the number of the next one of its chain, and one; 0: none
} recent_request;

/** An extent: the least and the largest coordinates. */
typedef struct cloak_box {
    double x[2];
    double y[2];
} cloak_box;

typedef struct recent_cloak {
    sc_time t;
    cloak_box box;
    uint64_t first_segment;  ///< its number
    size_t segment_count;
} recent_cloak;

struct sc_rare_memory {
    atomic_uint holders;
    uint8_t key[crypto_shorthash_KEYBYTES];
    size_t set_count;  ///< a power of two
    pthread_mutex_t lock;
    // Under the lock.
    sent_request *sent;
    size_t sent_count;
    size_t swept;  ///< the next set to look at
    sc_time sweep_at;
};

struct sc__rare_requests {
    const sc_map *map;
    sc_rare_options options;
    bool has_metres;  ///< distances mean something
    double cell_x;    ///< how wide a place is, in the units of the map's coordinates
    double cell_y;    ///< and how high
    sc_rare_memory *memory;
    uint64_t *words;  ///< a hash of each category's; NULL: numbers mean themselves
    uint32_t word_count;

    recent_request *recent;
    uint64_t *heads;  ///< the number of the newest, and one
    size_t recent_size;
    uint64_t recent_first;  ///< the oldest that is kept
    uint64_t recent_next;
    recent_cloak *cloaks;
    size_t cloak_size;
    uint64_t cloak_first;
    uint64_t cloak_next;
    sc_seg_id *segments;
    size_t segment_size;
    uint64_t segment_next;
};

// --- A closed list of requests ------------------------------------------------------------------

static double next_of(const double *list, size_t count, double value, double limit)
{
    size_t i = 0;
    while (i < count && list[i] < value) {
        i++;
    }
    // A limit that is no number of the list is its last one.
    return i == count || list[i] > limit ? limit : list[i];
}

sc_request sc_request_rounded(const sc_request *request, const sc_request_limits *limits)
{
    static const double counts[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
    static const double metres[] = {100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5};
    static const double seconds[] = {60, 120, 300, 600, 1200, 1800, 3600, 7200};
    sc_request rounded = *request;
    if (request->type == SC_REQUEST_KNN) {
        rounded.k =
            (uint32_t)next_of(counts, sizeof counts / sizeof *counts, request->k, limits->max_k);
    } else if (request->metric == SC_METRIC_TIME) {
        rounded.radius_s = next_of(seconds, sizeof seconds / sizeof *seconds, request->radius_s,
                                   limits->max_radius_s);
    } else {
        rounded.radius_m = next_of(metres, sizeof metres / sizeof *metres, request->radius_m,
                                   limits->max_radius_m);
    }
    return rounded;
}

bool sc_request_wants(const sc_request *wanted, size_t place, double distance_m, double duration_s)
{
    if (wanted->type == SC_REQUEST_KNN) return place < wanted->k;
    // As the filter of replies has it (answer/reply_check.c), for lengths that are sums.
    const bool is_by_time = wanted->metric == SC_METRIC_TIME;
    const double radius = is_by_time ? wanted->radius_s : wanted->radius_m;
    return (is_by_time ? duration_s : distance_m) <= radius * (1.0 + 1e-12) + 1e-9;
}

// --- Requests that were made before -------------------------------------------------------------

sc_rare_options sc_rare_options_default(void)
{
    return (sc_rare_options){
        .users = 0,
        .window_us = sc_time_from_seconds(60.0),
        .memory_us = sc_time_from_seconds(3600.0),
        .speed_m_s = 33.0,
        .capacity = (size_t)1 << 20,
    };
}

// --- Life ---------------------------------------------------------------------------------------

static size_t table_size(size_t capacity)
{
    size_t size = 64;
    while (size < capacity && size < (size_t)1 << 30) {
        size *= 2;
    }
    return size;
}

sc_err sc_rare_memory_new(size_t capacity, sc_rare_memory **out)
{
    if (sodium_init() < 0) return SC_EIO;
    sc_rare_memory *memory = sc_calloc(1, sizeof *memory);
    if (!memory) return SC_ENOMEM;
    pthread_mutex_init(&memory->lock, NULL);
    atomic_init(&memory->holders, 1);
    crypto_shorthash_keygen(memory->key);
    const size_t size = table_size(capacity);
    memory->set_count = size / SET_SIZE;
    // Cleared pages are given by the system when they are first used.
    memory->sent = sc_calloc(size, sizeof *memory->sent);
    if (!memory->sent) {
        sc_rare_memory_release(memory);
        return SC_ENOMEM;
    }
    *out = memory;
    return SC_OK;
}

static void wipe_and_free(void *table, size_t count, size_t size)
{
    if (table) explicit_bzero(table, count * size);
    sc_free(table);
}

void sc_rare_memory_release(sc_rare_memory *memory)
{
    if (!memory || atomic_fetch_sub(&memory->holders, 1) > 1) return;
    wipe_and_free(memory->sent, memory->set_count * SET_SIZE, sizeof *memory->sent);
    pthread_mutex_destroy(&memory->lock);
    wipe_and_free(memory, 1, sizeof *memory);
}

sc_err sc__rare_requests_new(const sc_map *map, const sc_rare_options *options,
                             sc__rare_requests **out)
{
    sc__rare_requests *rare = sc_calloc(1, sizeof *rare);
    if (!rare) return SC_ENOMEM;
    rare->map = map;
    rare->options = *options;
    rare->has_metres = sc_map_coords(map) != SC_COORDS_NONE && sc_map_is_in_metres(map);
    // So wide that cloaks that can reach each other by their corners are in neighbouring places.
    const double reach_m = options->speed_m_s * (double)options->window_us * 1e-6 / 2.0;
    rare->cell_x = rare->cell_y = reach_m;
    if (sc_map_coords(map) == SC_COORDS_GEOGRAPHIC && sc_map_node_count(map) > 0) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, 0, &x, &y);
        rare->cell_y = reach_m / (SC_EARTH_RADIUS_M * SC_PI / 180.0);
        rare->cell_x = rare->cell_y / fmax(cos(y * SC_PI / 180.0), 0.1);
    }
    rare->memory = options->memory;
    if (rare->memory) {
        atomic_fetch_add(&rare->memory->holders, 1);
    } else {
        const sc_err err = sc_rare_memory_new(options->capacity, &rare->memory);
        if (err) {
            sc_free(rare);
            return err;
        }
    }
    const size_t size = table_size(options->capacity);
    rare->recent_size = size / 4;
    rare->cloak_size = size / 16;
    rare->segment_size = size;
    // Cleared pages are given by the system when they are first used.
    rare->recent = sc_calloc(rare->recent_size, sizeof *rare->recent);
    rare->heads = sc_calloc(rare->recent_size, sizeof *rare->heads);
    rare->cloaks = sc_calloc(rare->cloak_size, sizeof *rare->cloaks);
    rare->segments = sc_calloc(rare->segment_size, sizeof *rare->segments);
    if (!rare->recent || !rare->heads || !rare->cloaks || !rare->segments) {
        sc__rare_requests_free(rare);
        return SC_ENOMEM;
    }
    *out = rare;
    return SC_OK;
}

void sc__rare_requests_free(sc__rare_requests *rare)
{
    if (!rare) return;
    sc_rare_memory_release(rare->memory);
    sc_free(rare->words);
    wipe_and_free(rare->recent, rare->recent_size, sizeof *rare->recent);
    wipe_and_free(rare->heads, rare->recent_size, sizeof *rare->heads);
    wipe_and_free(rare->cloaks, rare->cloak_size, sizeof *rare->cloaks);
    wipe_and_free(rare->segments, rare->segment_size, sizeof *rare->segments);
    wipe_and_free(rare, 1, sizeof *rare);
}

// --- Hashes -------------------------------------------------------------------------------------

static uint64_t keyed_hash(const sc_rare_memory *memory, const void *bytes, size_t size)
{
    uint8_t hash[crypto_shorthash_BYTES];
    uint64_t number = 0;
    crypto_shorthash(hash, bytes, size, memory->key);
    memcpy(&number, hash, sizeof number);
    return number;
}

sc_err sc__rare_requests_name(sc__rare_requests *rare, const sc_vocabulary *vocabulary)
{
    uint64_t *words = sc_malloc_array(vocabulary->count > 0 ? vocabulary->count : 1, sizeof *words);
    if (!words) return SC_ENOMEM;
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        words[i] = keyed_hash(rare->memory, vocabulary->names[i], strlen(vocabulary->names[i]));
    }
    sc_free(rare->words);
    rare->words = words;
    rare->word_count = vocabulary->count;
    return SC_OK;
}

static uint64_t hash_of_category(const sc__rare_requests *rare, sc_category_id category)
{
    return category < rare->word_count ? rare->words[category]
                                       : keyed_hash(rare->memory, &category, sizeof category);
}

/** Of what a request says: fields, not the bytes between them. Its categories are in the order of
 * their numbers, which another map has otherwise: so that of their hashes makes no difference. */
static uint64_t form_of(const sc__rare_requests *rare, const sc_request *request)
{
    struct {
        uint64_t type, metric, k, category_count;
        double radius_m, radius_s;
        uint64_t categories;
    } form = {
        .type = (uint64_t)request->type,
        .metric = (uint64_t)request->metric,
        .k = request->k,
        .category_count = request->category_count,
        .radius_m = request->radius_m,
        .radius_s = request->radius_s,
    };
    for (uint32_t i = 0; i < request->category_count; i++) {
        form.categories += hash_of_category(rare, request->categories[i]);
    }
    return keyed_hash(rare->memory, &form, sizeof form);
}

/** Of a request at a place: the square that is `right` and `up` squares beside that of a box. */
static uint64_t key_at(const sc__rare_requests *rare, uint64_t form, const cloak_box *box,
                       double right, double up)
{
    // Adding zero makes a zero of a negative zero.
    const struct {
        uint64_t form;
        double x, y;
    } place = {
        .form = form,
        .x = rare->has_metres ? floor((box->x[0] + box->x[1]) / 2 / rare->cell_x) + right + 0.0
                              : 0.0,
        .y = rare->has_metres ? floor((box->y[0] + box->y[1]) / 2 / rare->cell_y) + up + 0.0 : 0.0,
    };
    return keyed_hash(rare->memory, &place, sizeof place);
}

// --- A user's own requests ----------------------------------------------------------------------

/** With the lock, as the next two. */
static sent_request *set_of(const sc_rare_memory *memory, uint64_t user, uint64_t form)
{
    const uint64_t both[] = {user, form};
    const size_t set = (size_t)keyed_hash(memory, both, sizeof both) & (memory->set_count - 1);
    return &memory->sent[set * SET_SIZE];
}

static bool is_over(const sc__rare_requests *rare, const sent_request *sent, sc_time now)
{
    return sent->t != 0 && now - sent->t > rare->options.memory_us;
}

static sent_request *find_sent(const sc_rare_memory *memory, uint64_t user, uint64_t form)
{
    sent_request *set = set_of(memory, user, form);
    for (size_t i = 0; i < SET_SIZE; i++) {
        if (set[i].t != 0 && set[i].user == user && set[i].form == form) return &set[i];
    }
    return NULL;
}

static sent_request *place_for(const sc_rare_memory *memory, uint64_t user, uint64_t form)
{
    sent_request *set = set_of(memory, user, form);
    sent_request *place = set;
    for (size_t i = 0; i < SET_SIZE; i++) {
        if (set[i].t < place->t) place = &set[i];  // 0: free
    }
    return place;
}

static bool has_sent(const sc__rare_requests *rare, uint64_t user, uint64_t form, sc_time now)
{
    sc_rare_memory *memory = rare->memory;
    pthread_mutex_lock(&memory->lock);
    const sent_request *sent = find_sent(memory, user, form);
    const bool has = sent && !is_over(rare, sent, now);
    pthread_mutex_unlock(&memory->lock);
    return has;
}

static void remember_sent(const sc__rare_requests *rare, uint64_t user, uint64_t form, sc_time now)
{
    sc_rare_memory *memory = rare->memory;
    pthread_mutex_lock(&memory->lock);
    sent_request *place = find_sent(memory, user, form);
    if (!place) place = place_for(memory, user, form);
    memory->sent_count += place->t == 0;
    *place = (sent_request){user, form, now > 0 ? now : 1};
    pthread_mutex_unlock(&memory->lock);
}

// --- Extents ------------------------------------------------------------------------------------

static void box_add(const sc_map *map, cloak_box *box, sc_node_id node)
{
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    if (x < box->x[0]) box->x[0] = x;
    if (x > box->x[1]) box->x[1] = x;
    if (y < box->y[0]) box->y[0] = y;
    if (y > box->y[1]) box->y[1] = y;
}

static cloak_box box_of(const sc__rare_requests *rare, const sc_seg_id *segments, size_t count)
{
    cloak_box box = {{0, 0}, {0, 0}};
    if (!rare->has_metres || count == 0) return box;
    box = (cloak_box){{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}};
    const sc_segment *table = sc_map_segments(rare->map);
    const sc_edge *edges = sc_map_edges(rare->map);
    for (size_t i = 0; i < count; i++) {
        const sc_segment *segment = &table[segments[i]];
        for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
            box_add(rare->map, &box, edges[e].from);
            box_add(rare->map, &box, edges[e].to);
        }
    }
    return box;
}

/** Between the farthest corners, in metres, as the crow flies. */
static double farthest_m(const sc__rare_requests *rare, const cloak_box *a, const cloak_box *b)
{
    if (sc_map_coords(rare->map) == SC_COORDS_PLANAR) {
        const double x = fmax(b->x[1] - a->x[0], a->x[1] - b->x[0]);
        const double y = fmax(b->y[1] - a->y[0], a->y[1] - b->y[0]);
        return hypot(x, y);
    }
    double farthest = 0.0;
    for (unsigned i = 0; i < 16; i++) {
        const double d =
            sc_geo_distance_m(a->x[i & 1], a->y[i >> 1 & 1], b->x[i >> 2 & 1], b->y[i >> 3 & 1]);
        if (d > farthest) farthest = d;
    }
    return farthest;
}

static bool share_road(const sc__rare_requests *rare, const recent_cloak *earlier,
                       const sc__rare_cloak *cloak)
{
    // Its segments are overwritten in order: if the first is there, all are.
    if (rare->segment_next - earlier->first_segment > rare->segment_size) return false;
    size_t i = 0;
    for (size_t j = 0; i < cloak->segment_count && j < earlier->segment_count;) {
        const sc_seg_id other =
            rare->segments[(earlier->first_segment + j) & (rare->segment_size - 1)];
        if (cloak->segments[i] == other) return true;
        if (cloak->segments[i] < other) {
            i++;
        } else {
            j++;
        }
    }
    return false;
}

static bool can_reach(const sc__rare_requests *rare, const recent_cloak *earlier,
                      const sc__rare_cloak *cloak, const cloak_box *box, sc_time now)
{
    if (share_road(rare, earlier, cloak)) return true;
    if (!rare->has_metres) return false;
    const double driven_m = rare->options.speed_m_s * (double)(now - earlier->t) * 1e-6;
    return 2.0 * farthest_m(rare, &earlier->box, box) <= driven_m;
}

// --- Judging ------------------------------------------------------------------------------------

/** Different users that make a request, as far as they are counted. */
typedef struct user_count {
    uint64_t users[SC_RARE_USERS_MAX];
    uint32_t count;
    uint32_t enough;
} user_count;

static void count_user(user_count *counted, uint64_t user)
{
    for (uint32_t i = 0; i < counted->count; i++) {
        if (counted->users[i] == user) return;
    }
    if (counted->count < counted->enough) counted->users[counted->count++] = user;
}

static void count_chain(const sc__rare_requests *rare, uint64_t key, const sc__rare_cloak *cloak,
                        const cloak_box *box, sc_time now, user_count *counted)
{
    uint64_t next = rare->heads[key & (rare->recent_size - 1)];
    for (unsigned step = 0; step < STEPS_MAX && next > rare->recent_first; step++) {
        const recent_request *recent = &rare->recent[(next - 1) & (rare->recent_size - 1)];
        next = recent->older;
        if (recent->key != key || recent->cloak < rare->cloak_first) continue;
        const recent_cloak *earlier = &rare->cloaks[recent->cloak & (rare->cloak_size - 1)];
        if (can_reach(rare, earlier, cloak, box, now)) count_user(counted, recent->user);
        if (counted->count == counted->enough) return;
    }
}

/** Whether enough users make this request, here and now or a little earlier nearby. */
static bool is_common(const sc__rare_requests *rare, const sc__rare_cloak *cloak, size_t member,
                      uint64_t form, const cloak_box *box, sc_time now)
{
    user_count counted;
    counted.count = 0;
    counted.enough = rare->options.users;
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (sc_request_equal(&cloak->requests[i], &cloak->requests[member])) {
            count_user(&counted, cloak->users[i]);
        }
    }
    // Without distances all are at one place.
    const int around = rare->has_metres ? 1 : 0;
    for (int up = -around; up <= around && counted.count < counted.enough; up++) {
        for (int right = -around; right <= around && counted.count < counted.enough; right++) {
            count_chain(rare, key_at(rare, form, box, right, up), cloak, box, now, &counted);
        }
    }
    const bool is_enough = counted.count == counted.enough;
    explicit_bzero(counted.users, counted.count * sizeof *counted.users);
    return is_enough;
}

/** Whether a member makes this request for the first time. */
static bool is_first(const sc__rare_requests *rare, const sc__rare_cloak *cloak, size_t member,
                     uint64_t form, sc_time now)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (sc_request_equal(&cloak->requests[i], &cloak->requests[member]) &&
            !has_sent(rare, cloak->users[i], form, now)) {
            return true;
        }
    }
    return false;
}

size_t sc__rare_requests_judge(sc__rare_requests *rare, const sc__rare_cloak *cloak, sc_time now,
                               bool *is_rare)
{
    (void)sc__rare_requests_pass_time(rare, now);
    const cloak_box box = box_of(rare, cloak->segments, cloak->segment_count);
    size_t count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        size_t same = 0;
        while (!sc_request_equal(&cloak->requests[same], &cloak->requests[i])) {
            same++;
        }
        if (same < i) {
            is_rare[i] = is_rare[same];
        } else {
            const uint64_t form = form_of(rare, &cloak->requests[i]);
            is_rare[i] =
                !is_first(rare, cloak, i, form, now) && !is_common(rare, cloak, i, form, &box, now);
        }
        count += is_rare[i];
    }
    return count;
}

// --- What has left ------------------------------------------------------------------------------

static void remember_cloak(sc__rare_requests *rare, const sc__rare_cloak *cloak,
                           const cloak_box *box, sc_time now)
{
    recent_cloak *entry = &rare->cloaks[rare->cloak_next & (rare->cloak_size - 1)];
    *entry = (recent_cloak){.t = now,
                            .box = *box,
                            .first_segment = rare->segment_next,
                            .segment_count = cloak->segment_count};
    // One that is larger than the ring shares no road with any.
    if (cloak->segment_count > rare->segment_size) entry->segment_count = 0;
    for (size_t i = 0; i < entry->segment_count; i++) {
        rare->segments[rare->segment_next++ & (rare->segment_size - 1)] = cloak->segments[i];
    }
    rare->cloak_next++;
    if (rare->cloak_next - rare->cloak_first > rare->cloak_size) rare->cloak_first++;
}

static void remember_recent(sc__rare_requests *rare, uint64_t key, uint64_t user)
{
    uint64_t *head = &rare->heads[key & (rare->recent_size - 1)];
    rare->recent[rare->recent_next & (rare->recent_size - 1)] =
        (recent_request){user, key, rare->cloak_next - 1, *head};
    *head = ++rare->recent_next;
    if (rare->recent_next - rare->recent_first > rare->recent_size) rare->recent_first++;
}

void sc__rare_requests_left(sc__rare_requests *rare, const sc__rare_cloak *cloak,
                            const bool *is_rare, sc_time now)
{
    (void)sc__rare_requests_pass_time(rare, now);
    const cloak_box box = box_of(rare, cloak->segments, cloak->segment_count);
    remember_cloak(rare, cloak, &box, now);
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (is_rare && is_rare[i]) continue;
        const uint64_t form = form_of(rare, &cloak->requests[i]);
        remember_sent(rare, cloak->users[i], form, now);
        remember_recent(rare, key_at(rare, form, &box, 0, 0), cloak->users[i]);
    }
}

// --- Forgetting ---------------------------------------------------------------------------------

/** Cloaks whose minute is over, with what was made in them and their segments. */
static void forget_cloaks(sc__rare_requests *rare, sc_time now)
{
    while (rare->cloak_first < rare->cloak_next) {
        recent_cloak *cloak = &rare->cloaks[rare->cloak_first & (rare->cloak_size - 1)];
        if (now - cloak->t <= rare->options.window_us) break;
        if (rare->segment_next - cloak->first_segment <= rare->segment_size) {
            for (size_t i = 0; i < cloak->segment_count; i++) {
                rare->segments[(cloak->first_segment + i) & (rare->segment_size - 1)] = 0;
            }
        }
        explicit_bzero(cloak, sizeof *cloak);
        rare->cloak_first++;
    }
    while (rare->recent_first < rare->recent_next) {
        recent_request *recent = &rare->recent[rare->recent_first & (rare->recent_size - 1)];
        if (recent->cloak >= rare->cloak_first) break;
        explicit_bzero(recent, sizeof *recent);
        rare->recent_first++;
    }
}

static void sweep_sent(const sc__rare_requests *rare, sc_time now)
{
    sc_rare_memory *memory = rare->memory;
    const size_t sets = (memory->set_count + SWEEPS - 1) / SWEEPS;
    for (size_t i = 0; i < sets; i++) {
        sent_request *set = &memory->sent[memory->swept * SET_SIZE];
        memory->swept = (memory->swept + 1) & (memory->set_count - 1);
        for (size_t j = 0; j < SET_SIZE; j++) {
            if (!is_over(rare, &set[j], now)) continue;
            explicit_bzero(&set[j], sizeof set[j]);
            memory->sent_count--;
        }
    }
}

sc_time sc__rare_requests_pass_time(sc__rare_requests *rare, sc_time now)
{
    forget_cloaks(rare, now);
    sc_rare_memory *memory = rare->memory;
    sc_time wake = SC_TIME_NEVER;
    pthread_mutex_lock(&memory->lock);
    if (memory->sent_count > 0) {
        if (now >= memory->sweep_at) {
            sweep_sent(rare, now);
            memory->sweep_at = now + sweep_us;
        }
        if (memory->sent_count > 0) wake = memory->sweep_at;
    }
    pthread_mutex_unlock(&memory->lock);
    return wake;
}
