// Gathering fixes by traveller.
#include "traces/trace_readers.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One less than the ids of 32 bits that others give to tracks and fixes. */
static const size_t MOST = UINT32_MAX - 1;

#define NO_TRACK UINT32_MAX

static const char *key_of(const void *owner, uint32_t traveller)
{
    const sc__tracks *tracks = owner;
    return tracks->texts + tracks->travellers[traveller].key;
}

void sc__tracks_init(sc__tracks *tracks, sc_diag *diag)
{
    *tracks =
        (sc__tracks){.diag = diag, .most = MOST, .names = {.text_of = key_of, .owner = tracks}};
}

void sc__tracks_fini(sc__tracks *tracks)
{
    for (size_t i = 0; i < tracks->track_count; i++) {
        sc_free(tracks->tracks[i].fixes);
    }
    sc_free(tracks->tracks);
    sc_free(tracks->travellers);
    sc_free(tracks->texts);
    sc_string_index_fini(&tracks->names);
    sc__tracks_init(tracks, tracks->diag);
}

const char *sc__trace_id_problem(sc_slice id)
{
    if (id.size == 0) return "is empty";
    if (id.size > SC__TRACE_MAX_ID) return "is longer than 255 bytes";
    for (size_t i = 0; i < id.size;) {
        const size_t size = sc_utf8_size(id.text + i, id.size - i);
        if (size == 0) return "is not UTF-8";
        const unsigned char c = (unsigned char)id.text[i];
        if (c < 0x20 || c == 0x7f) return "contains a control character";
        i += size;
    }
    return NULL;
}

static sc_err fail_memory(const sc__tracks *tracks)
{
    return sc_fail_memory(tracks->diag, "reading traces");
}

static sc_err fail_limit(const sc__tracks *tracks, const char *what)
{
    return sc_fail(tracks->diag, SC_ELIMIT, "more than %zu %s; read fewer files at once",
                   tracks->most, what);
}

static sc_err add_traveller(sc__tracks *tracks, const char *key, uint32_t *out)
{
    const size_t number = tracks->traveller_count;
    const size_t size = strlen(key) + 1;
    if (number >= tracks->most) return fail_limit(tracks, "travellers");
    if (!sc_grow(&tracks->travellers, number, &tracks->traveller_capacity,
                 sizeof *tracks->travellers) ||
        !sc_reserve(&tracks->texts, tracks->texts_size + size, &tracks->texts_capacity, 1)) {
        return fail_memory(tracks);
    }
    // Names look at the text as soon as they have the number.
    memcpy(tracks->texts + tracks->texts_size, key, size);
    tracks->travellers[number] = (sc__traveller){.key = tracks->texts_size, .track = NO_TRACK};
    if (sc_string_index_put(&tracks->names, key, (uint32_t)number, out)) return fail_memory(tracks);
    tracks->texts_size += size;
    tracks->traveller_count++;
    return SC_OK;
}

sc_err sc__tracks_traveller(sc__tracks *tracks, sc__trace_kind kind, sc_slice id, uint32_t *out)
{
    char key[1 + SC__TRACE_MAX_ID + 1];
    key[0] = (char)kind;
    memcpy(key + 1, id.text, id.size);
    key[1 + id.size] = '\0';
    const uint32_t known = sc_string_index_find(&tracks->names, key);
    if (known == UINT32_MAX) return add_traveller(tracks, key, out);
    *out = known;
    return SC_OK;
}

// There is no track without a fix, so there are never more tracks than fixes.
static sc_err add_first(sc__tracks *tracks, uint32_t traveller, sc_fix fix)
{
    const size_t number = tracks->track_count;
    sc__open_track track = {.traveller = traveller};
    if (!sc_grow(&tracks->tracks, number, &tracks->track_capacity, sizeof *tracks->tracks) ||
        !sc_grow(&track.fixes, 0, &track.capacity, sizeof *track.fixes)) {
        return fail_memory(tracks);
    }
    track.fixes[track.count++] = fix;
    tracks->tracks[tracks->track_count++] = track;
    tracks->travellers[traveller].track = (uint32_t)number;
    tracks->fix_count++;
    return SC_OK;
}

sc_err sc__tracks_add(sc__tracks *tracks, uint32_t traveller, sc_fix fix)
{
    if (tracks->fix_count >= tracks->most) return fail_limit(tracks, "fixes");
    const uint32_t number = tracks->travellers[traveller].track;
    if (number == NO_TRACK) return add_first(tracks, traveller, fix);

    sc__open_track *track = &tracks->tracks[number];
    if (!sc_grow(&track->fixes, track->count, &track->capacity, sizeof *track->fixes)) {
        return fail_memory(tracks);
    }
    track->fixes[track->count++] = fix;
    tracks->fix_count++;
    return SC_OK;
}

void sc__tracks_part(sc__tracks *tracks, uint32_t traveller)
{
    tracks->travellers[traveller].track = NO_TRACK;
}

// === Finishing tracks ===========================================================================
// From gathered fixes to tracks: names that differ, fixes in order, everything in one block.
//
// Most files are in order of time already, so a track is looked through before it is sorted. Some
// are in reverse (the full cabspotting set). Sorting is a merge sort because it must be stable: of
// fixes at one moment the first in the file is kept.
//

// --- Names -------------------------------------------------------------------------------------

typedef struct named {
    const char *name;
    uint32_t track;
} named;

/** A slash and up to ten digits. */
enum { SUFFIX_SIZE = 11 };

// Equal names in the order in which their tracks came.
static int compare_names(const void *a, const void *b)
{
    const named *left = a;
    const named *right = b;
    const int order = strcmp(left->name, right->name);
    return order ? order : (left->track > right->track) - (left->track < right->track);
}

static bool is_taken(const sc__tracks *tracks, const char *name)
{
    char key[1 + SC__TRACE_MAX_ID + SUFFIX_SIZE + 1];
    snprintf(key, sizeof key, "%c%s", SC__TRACE_VEHICLE, name);
    if (sc_string_index_find(&tracks->names, key) != UINT32_MAX) return true;
    key[0] = SC__TRACE_PERSON;
    return sc_string_index_find(&tracks->names, key) != UINT32_MAX;
}

static size_t room_for_more(const named *order, size_t count)
{
    size_t room = 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(order[i - 1].name, order[i].name) != 0) continue;
        room += strlen(order[i].name) + SUFFIX_SIZE + 1;
    }
    return room;
}

// "cab" stays, the next one of that name is "cab/2". No id may be hit that is a traveller's own;
// and what is made from two names differs, since they do, before the last slash.
static void write_more(const sc__tracks *tracks, named *order, size_t count, char *more)
{
    for (size_t i = 0; i < count;) {
        const char *name = order[i++].name;
        unsigned number = 2;
        for (; i < count && strcmp(order[i].name, name) == 0; i++, number++) {
            int size = 0;
            do {
                size = snprintf(more, strlen(name) + SUFFIX_SIZE + 1, "%s/%u", name, number);
            } while (is_taken(tracks, more) && ++number);
            order[i].name = more;
            more += size + 1;
        }
    }
}

static sc_err order_by_name(const sc__tracks *tracks, named *order, char **more)
{
    const size_t count = tracks->track_count;
    for (size_t i = 0; i < count; i++) {
        const sc__traveller *traveller = &tracks->travellers[tracks->tracks[i].traveller];
        order[i] = (named){.name = tracks->texts + traveller->key + 1, .track = (uint32_t)i};
    }
    qsort(order, count, sizeof *order, compare_names);
    const size_t room = room_for_more(order, count);
    if (room == 0) return SC_OK;

    *more = sc_malloc(room);
    if (!*more) return SC_ENOMEM;
    write_more(tracks, order, count, *more);
    qsort(order, count, sizeof *order, compare_names);
    return SC_OK;
}

// --- Fixes -------------------------------------------------------------------------------------

static bool is_in_order(const sc_fix *fixes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (fixes[i - 1].t_s > fixes[i].t_s) return false;
    }
    return true;
}

static void insert_each(sc_fix *fixes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const sc_fix fix = fixes[i];
        size_t at = i;
        for (; at > 0 && fixes[at - 1].t_s > fix.t_s; at--) {
            fixes[at] = fixes[at - 1];
        }
        fixes[at] = fix;
    }
}

// Stable. `scratch` has room for half of them.
static void sort_by_time(sc_fix *fixes, size_t count, sc_fix *scratch)
{
    enum { FEW = 16 };
    if (count <= FEW) {
        insert_each(fixes, count);
        return;
    }
    const size_t half = count / 2;
    sort_by_time(fixes, half, scratch);
    sort_by_time(fixes + half, count - half, scratch);
    if (fixes[half - 1].t_s <= fixes[half].t_s) return;

    memcpy(scratch, fixes, half * sizeof *fixes);
    size_t left = 0;
    size_t right = half;
    for (size_t to = 0; left < half; to++) {
        const bool take_left = right == count || scratch[left].t_s <= fixes[right].t_s;
        fixes[to] = take_left ? scratch[left++] : fixes[right++];
    }
}

static size_t keep_first_of_each_time(sc_fix *fixes, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (fixes[i].t_s != fixes[kept - 1].t_s) fixes[kept++] = fixes[i];
    }
    return kept;
}

static sc_err put_in_order(sc__tracks *tracks)
{
    sc_fix *scratch = NULL;
    size_t capacity = 0;
    sc_err err = SC_OK;
    for (size_t i = 0; i < tracks->track_count && !err; i++) {
        sc__open_track *track = &tracks->tracks[i];
        if (!is_in_order(track->fixes, track->count)) {
            if (sc_reserve(&scratch, track->count / 2, &capacity, sizeof *scratch)) {
                sort_by_time(track->fixes, track->count, scratch);
            } else {
                err = SC_ENOMEM;
            }
        }
        track->count = keep_first_of_each_time(track->fixes, track->count);
    }
    sc_free(scratch);
    return err;
}

// --- All together ------------------------------------------------------------------------------

// Where a track was is freed as soon as it has moved: there is never more than one track twice.
static void move_together(sc__tracks *tracks, const named *order, sc__gathered *out)
{
    sc_fix *next = out->fixes;
    for (size_t i = 0; i < out->track_count; i++) {
        sc__open_track *track = &tracks->tracks[order[i].track];
        memcpy(next, track->fixes, track->count * sizeof *next);
        sc_free(track->fixes);
        track->fixes = NULL;
        out->tracks[i] = (sc_track){.name = order[i].name, .fixes = next, .count = track->count};
        next += track->count;
    }
}

static sc_err finish(sc__tracks *tracks, named *order, sc__gathered *out)
{
    sc_err err = order_by_name(tracks, order, &out->more_texts);
    if (!err) err = put_in_order(tracks);
    if (err) return err;

    out->track_count = tracks->track_count;
    for (size_t i = 0; i < tracks->track_count; i++) {
        out->fix_count += tracks->tracks[i].count;
    }
    out->same_time_count = tracks->fix_count - out->fix_count;
    out->tracks = sc_malloc_array(out->track_count, sizeof *out->tracks);
    out->fixes = sc_malloc_array(out->fix_count, sizeof *out->fixes);
    if (!out->tracks || !out->fixes) return SC_ENOMEM;

    move_together(tracks, order, out);
    // The names stay where they are, and go with their tracks.
    out->texts = tracks->texts;
    tracks->texts = NULL;
    return SC_OK;
}

sc_err sc__tracks_finish(sc__tracks *tracks, sc__gathered *out)
{
    sc__gathered gathered = {0};
    sc_err err = SC_ENOMEM;
    named *order = sc_malloc_array(tracks->track_count, sizeof *order);
    if (order) err = finish(tracks, order, &gathered);
    sc_free(order);
    if (err) {
        sc__gathered_fini(&gathered);
        sc_fail_memory(tracks->diag, "putting traces in order");
    } else {
        *out = gathered;
    }
    sc__tracks_fini(tracks);
    return err;
}

void sc__gathered_fini(sc__gathered *gathered)
{
    sc_free(gathered->tracks);
    sc_free(gathered->fixes);
    sc_free(gathered->texts);
    sc_free(gathered->more_texts);
    *gathered = (sc__gathered){0};
}
