// Gathering fixes by traveller. See track_builder.h.
#include "traces/track_builder.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/utf8.h"

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
    sc_names_fini(&tracks->names);
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
        if (c < 0x20 || c == 0x7f) return "holds a control character";
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
    if (sc_names_put(&tracks->names, key, (uint32_t)number, out)) return fail_memory(tracks);
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
    const uint32_t known = sc_names_find(&tracks->names, key);
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
