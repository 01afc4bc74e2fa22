// What was accepted lately: two hash sets that take turns. See replay_store.h for the rules.
//
// The newer set takes what comes; the older one is only asked. When the newer one has been taking
// for 2 * window_s, the older one is emptied and takes over. So an identity stays between two and
// four windows, and no entry needs a time of its own.
#include "oblivious/replay_store.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>

/** Of an identity. All zeros is an empty place; a hash that is all zeros is not met in practice. */
typedef struct digest {
    uint64_t words[2];
} digest;

typedef struct digest_set {
    digest *places;
    size_t count;
} digest_set;

struct sc_replay_store {
    size_t capacity;  ///< of both sets together
    size_t mask;  ///< places of a set, less one; at least twice the capacity, so probes are short
    int64_t window_s;
    uint8_t key[SC_REPLAY_KEY_SIZE];
    pthread_mutex_t lock;  ///< for what follows
    int64_t began_s;       ///< when the newer set began
    unsigned newer;
    digest_set sets[2];
};

sc_err sc_replay_store_new(size_t capacity, int64_t window_s, const uint8_t key[SC_REPLAY_KEY_SIZE],
                           sc_replay_store **out)
{
    if (capacity < 1 || capacity > SC_REPLAY_CAPACITY_MAX || window_s < 1 ||
        window_s > INT64_C(1) << 31) {
        return SC_EINVAL;
    }
    sc_replay_store *store = sc_calloc(1, sizeof *store);
    if (!store) return SC_ENOMEM;
    size_t places = 2;
    while (places < 2 * capacity) {
        places *= 2;
    }
    store->capacity = capacity;
    store->mask = places - 1;
    store->window_s = window_s;
    store->began_s = INT64_MIN;
    memcpy(store->key, key, sizeof store->key);
    pthread_mutex_init(&store->lock, NULL);
    store->sets[0].places = sc_calloc(places, sizeof(digest));
    store->sets[1].places = sc_calloc(places, sizeof(digest));
    if (!store->sets[0].places || !store->sets[1].places) {
        sc_replay_store_free(store);
        return SC_ENOMEM;
    }
    *out = store;
    return SC_OK;
}

void sc_replay_store_free(sc_replay_store *store)
{
    if (!store) return;
    pthread_mutex_destroy(&store->lock);
    sc_free(store->sets[0].places);
    sc_free(store->sets[1].places);
    sc_free_wiped(store, 1, sizeof *store);
}

/** The place of `d` in a set, or the empty one where it belongs. */
static digest *find_place(const sc_replay_store *store, const digest_set *set, const digest *d)
{
    size_t at = (size_t)d->words[0] & store->mask;
    // Half of the places at most are taken, so there is an empty one.
    while ((set->places[at].words[0] | set->places[at].words[1]) != 0 &&
           (set->places[at].words[0] != d->words[0] || set->places[at].words[1] != d->words[1])) {
        at = (at + 1) & store->mask;
    }
    return &set->places[at];
}

static bool has(const sc_replay_store *store, const digest_set *set, const digest *d)
{
    const digest *place = find_place(store, set, d);
    return (place->words[0] | place->words[1]) != 0;
}

static void empty(sc_replay_store *store, digest_set *set)
{
    if (set->count > 0) memset(set->places, 0, (store->mask + 1) * sizeof(digest));
    set->count = 0;
}

/** Let the sets take turns, if it is time. A clock that goes backwards only makes them wait. */
static void turn(sc_replay_store *store, int64_t now_s)
{
    const int64_t turn_s = 2 * store->window_s;
    if (store->began_s == INT64_MIN) store->began_s = now_s;
    if (now_s < store->began_s + turn_s) return;
    if (now_s >= store->began_s + 2 * turn_s) empty(store, &store->sets[store->newer]);
    store->newer ^= 1;
    empty(store, &store->sets[store->newer]);
    store->began_s = now_s;
}

static sc_err add(sc_replay_store *store, const digest *d, int64_t now_s)
{
    turn(store, now_s);
    digest_set *newer = &store->sets[store->newer];
    const digest_set *older = &store->sets[store->newer ^ 1];
    if (has(store, newer, d) || has(store, older, d)) return SC_EDUPLICATE;
    if (newer->count + older->count >= store->capacity) return SC_ELIMIT;
    *find_place(store, newer, d) = *d;
    newer->count++;
    return SC_OK;
}

sc_err sc_replay_store_add(sc_replay_store *store, const void *identity, size_t size,
                           int64_t date_s, int64_t now_s)
{
    if (date_s < now_s - store->window_s || date_s > now_s + store->window_s) return SC_ETIME;
    digest d;
    crypto_generichash((uint8_t *)&d, sizeof d, identity, size, store->key, sizeof store->key);
    if ((d.words[0] | d.words[1]) == 0) d.words[0] = 1;
    pthread_mutex_lock(&store->lock);
    const sc_err err = add(store, &d, now_s);
    pthread_mutex_unlock(&store->lock);
    return err;
}

size_t sc_replay_store_count(sc_replay_store *store)
{
    pthread_mutex_lock(&store->lock);
    const size_t count = store->sets[0].count + store->sets[1].count;
    pthread_mutex_unlock(&store->lock);
    return count;
}

// --- The Date field ------------------------------------------------------------------------------

/** Two or four digits at `text`; -1: they are none. */
static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/** Days from 1970 to a day of the Gregorian calendar, of a year from 1970 on. */
static int64_t days_to(int year, int month, int day)
{
    // Years begin in March, so that the day that some of them have more is their last one.
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t m = month <= 2 ? month + 9 : month - 3;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

sc_err sc_http_date_parse(const char *text, size_t size, int64_t *out)
{
    static const char form[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    static const char day_names[] =
        "ThuFriSatSunMonTueWed";  // the 1st of January 1970 was a Thursday
    static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (size != sizeof form - 1) return SC_EPARSE;
    for (size_t i = 0; i < size; i++) {
        const bool is_fixed = strchr(",: GMT", form[i]) && !(i >= 8 && i < 11);
        if (is_fixed && text[i] != form[i]) return SC_EPARSE;
    }
    int month = 0;
    while (month < 12 && memcmp(text + 8, month_names + 3 * (size_t)month, 3) != 0) {
        month++;
    }
    const int day = digits(text + 5, 2);
    const int year = digits(text + 12, 4);
    const int hour = digits(text + 17, 2);
    const int minute = digits(text + 20, 2);
    const int second = digits(text + 23, 2);
    if (month == 12 || day < 1 || year < 1970 || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 60) {  // 60: a leap second
        return SC_EPARSE;
    }
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > month_days[month] + (month == 1 && is_leap ? 1 : 0)) return SC_EPARSE;
    const int64_t days = days_to(year, month + 1, day);
    if (memcmp(text, day_names + 3 * (size_t)(days % 7), 3) != 0) return SC_EPARSE;
    *out = ((days * 24 + hour) * 60 + minute) * 60 + second;
    return SC_OK;
}
