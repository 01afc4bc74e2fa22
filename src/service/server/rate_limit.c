// Limits on how often a name may ask, in a table that never grows.
//
// A bucket is one moment: when it will be full again. Taking one puts that off by the time that one
// takes to come in; what lies ahead of now is owed. A bucket whose moment has passed is full, and
// so is one that was never there: a cleared bucket cannot be distinguished.
//
// The table is made of sets of a few buckets, and a name belongs to one set. If it has no bucket
// there, it gets the one that owes least, and takes that one's debt over. So (with one rate for
// all in a table):
//
//  1. No name ever gets more than its limit. A name that lost its bucket was the one that owed
//     least, m say; all of the set owe m or more from then on (debts shrink with time, all equally
//     fast), and so does the bucket that it gets when it comes back. So a client cannot have its
//     debt forgotten by sending thousands of other names.
//  2. A flood of new names puts its debts on top of the least ones. As long as it is slower than
//     all buckets together fill, there are buckets that owe next to nothing, and new names are
//     admitted. A name keeps its bucket, unless it owes least and so loses least by that.
//  3. A refused name owes nothing for it: asking in vain keeps no name out.
//
// Names are keyed by the caller, so clients cannot choose names that meet in one set.
#include "server/rate_limit.h"

#include "base/alloc.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>

/** Buckets of a set: 256 bytes, and few sets that are crowded while the table has room. */
enum { SET_SIZE = 16 };

/** Threads that ask for different names should seldom meet. */
enum { SHARDS = 64 };

/** A few thousand years: no limit needs more, and sums of a few stay within 64 bits. */
#define LONGEST_US 1e17

typedef struct bucket {
    uint64_t who;
    int64_t full_us;  ///< when it is full (again); 0 if it was never used
} bucket;

/** Locks are apart by a cache line, so that taking one does not slow down its neighbours. */
typedef union shard {
    struct {
        pthread_mutex_t lock;
        size_t used;  ///< buckets that were used since they were last cleared
    };
    char line[64];
} shard;

struct sc_rate_limit {
    shard shards[SHARDS];  ///< set i is under the lock of shard i % SHARDS
    size_t set_size;
    size_t set_count;  ///< a power of two
    bucket *buckets;   ///< set i has [i * set_size, (i + 1) * set_size)
};

sc_err sc_rate_limit_new(size_t capacity, sc_rate_limit **out)
{
    size_t rounded = 1;
    while (rounded < capacity && rounded <= SIZE_MAX / 2) {
        rounded *= 2;
    }
    sc_rate_limit *limit = sc_calloc(1, sizeof *limit);
    // Cleared pages are given by the system when they are first used.
    bucket *buckets = sc_calloc(rounded, sizeof *buckets);
    if (!limit || !buckets) {
        sc_free(limit);
        sc_free(buckets);
        return SC_ENOMEM;
    }
    limit->set_size = rounded < SET_SIZE ? rounded : SET_SIZE;
    limit->set_count = rounded / limit->set_size;
    limit->buckets = buckets;
    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_init(&limit->shards[i].lock, NULL);
    }
    *out = limit;
    return SC_OK;
}

void sc_rate_limit_free(sc_rate_limit *limit)
{
    if (!limit) return;
    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_destroy(&limit->shards[i].lock);
    }
    sc_free(limit->buckets);
    sc_free(limit);
}

/** Which set; all bits of a name count, should its caller's key have spared some. */
static size_t set_of(const sc_rate_limit *limit, uint64_t who)
{
    who ^= who >> 32;
    who *= 0x9e3779b97f4a7c15U;
    return (size_t)(who >> 32) & (limit->set_count - 1);
}

/** The bucket of `who`; or else the one that owes least, which is handed over with its debt. One
 * that is unused bears no name, also for a name whose number is that of none. */
static bucket *find(bucket *set, size_t size, uint64_t who)
{
    bucket *least = set;
    for (size_t i = 0; i < size; i++) {
        if (set[i].who == who && set[i].full_us != 0) return &set[i];
        if (set[i].full_us < least->full_us) least = &set[i];
    }
    return least;
}

/** Let `who` have a bucket that is full (again) at `full_us`. */
static void put(shard *of, bucket *b, uint64_t who, int64_t full_us)
{
    of->used += b->full_us == 0;
    *b = (bucket){.who = who, .full_us = full_us};
}

static unsigned seconds_of(int64_t us)
{
    const int64_t s = us / 1000000 + (us % 1000000 > 0);
    return s < 1 ? 1 : s > INT_MAX ? INT_MAX : (unsigned)s;
}

/** How long a bucket takes to fill by so much. */
static int64_t time_of(double amount, double rate_per_s)
{
    return (int64_t)fmin(fmax(1e6 * amount / rate_per_s, 1), LONGEST_US);
}

/** How long an empty one takes to be full: `burst` of them are in it, however fast it fills. */
static int64_t time_of_all(double burst, double rate_per_s)
{
    const double one_by_one = (double)time_of(1, rate_per_s) * burst;
    return (int64_t)fmin(fmax(one_by_one, 1e6 * burst / rate_per_s), LONGEST_US);
}

unsigned sc_rate_limit_take(sc_rate_limit *limit, uint64_t who, double rate_per_s, double burst,
                            int64_t now_us)
{
    return sc_rate_limit_take_amount(limit, who, 1, rate_per_s, fmax(burst, 1), now_us);
}

unsigned sc_rate_limit_take_amount(sc_rate_limit *limit, uint64_t who, double amount,
                                   double rate_per_s, double burst, int64_t now_us)
{
    if (!(rate_per_s > 0) || !(amount > 0)) return 0;
    const int64_t all_us = time_of_all(burst, rate_per_s);
    const int64_t amount_us = time_of(fmin(amount, burst), rate_per_s);

    const size_t set = set_of(limit, who);
    shard *of = &limit->shards[set % SHARDS];
    unsigned wait_s = 0;
    pthread_mutex_lock(&of->lock);
    bucket *b = find(limit->buckets + set * limit->set_size, limit->set_size, who);
    int64_t full_us = b->full_us > now_us ? b->full_us : now_us;
    // None is emptier than empty, though it was when limits were tighter, before a reload.
    if (full_us - now_us > all_us) full_us = now_us + all_us;
    const int64_t missing_us = full_us + amount_us - all_us - now_us;
    if (missing_us <= 0) {
        put(of, b, who, full_us + amount_us);
    } else {
        wait_s = seconds_of(missing_us);
    }
    pthread_mutex_unlock(&of->lock);
    return wait_s;
}

void sc_rate_limit_charge(sc_rate_limit *limit, uint64_t who, double amount, double rate_per_s,
                          double burst, int64_t now_us)
{
    if (!(rate_per_s > 0) || amount == 0 || isnan(amount)) return;
    const int64_t amount_us = time_of(fabs(amount), rate_per_s);
    const int64_t empty_us = now_us + time_of_all(burst, rate_per_s);

    const size_t set = set_of(limit, who);
    shard *of = &limit->shards[set % SHARDS];
    pthread_mutex_lock(&of->lock);
    bucket *b = find(limit->buckets + set * limit->set_size, limit->set_size, who);
    const int64_t full_us = b->full_us > now_us ? b->full_us : now_us;
    if (amount > 0) {
        const int64_t later_us = full_us + amount_us < empty_us ? full_us + amount_us : empty_us;
        put(of, b, who, later_us > full_us ? later_us : full_us);
    } else if (b->who == who && b->full_us != 0) {
        // Of a name that has lost its bucket, what is given back is lost: the bucket is another's.
        b->full_us = full_us - amount_us > now_us ? full_us - amount_us : now_us;
    }
    pthread_mutex_unlock(&of->lock);
}

/** Clear the buckets of a set that are full again; returns how many. */
static size_t clear_full(bucket *set, size_t size, int64_t now_us)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if (set[i].full_us == 0 || set[i].full_us > now_us) continue;
        set[i] = (bucket){0};
        count++;
    }
    return count;
}

void sc_rate_limit_forget(sc_rate_limit *limit, int64_t now_us)
{
    for (size_t s = 0; s < SHARDS; s++) {
        shard *of = &limit->shards[s];
        pthread_mutex_lock(&of->lock);
        // Where none is in use nothing is looked at: pages that were never used stay so.
        for (size_t set = s; set < limit->set_count && of->used > 0; set += SHARDS) {
            of->used -= clear_full(limit->buckets + set * limit->set_size, limit->set_size, now_us);
        }
        pthread_mutex_unlock(&of->lock);
    }
}
