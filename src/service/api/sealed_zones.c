// Zones as sealed texts. See sealed_zones.h.
//
// Three keys are derived from each of the file: one draws the zones, one seals, one hashes users.
// So a text tells nothing of how zones are drawn, and a hash nothing of who.
#include "api/sealed_zones.h"

#include <starcloak/zones.h>

#include "api/json_request.h"
#include "api/query_json.h"
#include "api/served_map.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "server/token.h"

#include <sodium.h>
#include <string.h>

static const char prefix[] = "scz1_";

enum {
    PREFIX_SIZE = sizeof prefix - 1,
    USER_SIZE = 16,
    HEAD_SIZE = USER_SIZE + 8 + 4,
    OUTSIDE_SIZE = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES,
    /** More roads than any zone has: a text that says more is refused before anything is done. */
    ROADS_MAX = 16 * SC_ZONE_ROADS_MAX,
};

typedef struct zone_keys {
    uint8_t sealing[crypto_secretbox_KEYBYTES];
    uint8_t users[crypto_generichash_KEYBYTES];
} zone_keys;

struct sc_sealed_zones {
    const sc_map *map;
    sc_zones *zones;
    size_t key_count;
    zone_keys keys[SC_TOKEN_KEYS_MAX];
};

// --- Life ---------------------------------------------------------------------------------------

/** What the derived keys are for. */
enum { FOR_SEALING = 1, FOR_USERS = 2, FOR_DRAWING = 3 };

static void derive(const sc_token_keys *keys, size_t key, uint64_t part, uint8_t *out, size_t size)
{
    sc_token_keys_derive(keys, key, "sc_zones", part, out, size);
}

static sc_err draw(sc_sealed_zones *sealed, const sc_token_keys *keys, uint32_t roads)
{
    uint8_t drawing[SC_ZONE_KEY_SIZE];
    sealed->key_count = sc_token_keys_count(keys);
    for (size_t i = 0; i < sealed->key_count; i++) {
        zone_keys *own = &sealed->keys[i];
        derive(keys, i, FOR_SEALING, own->sealing, sizeof own->sealing);
        derive(keys, i, FOR_USERS, own->users, sizeof own->users);
    }
    derive(keys, 0, FOR_DRAWING, drawing, sizeof drawing);
    const sc_err err = sc_zones_new(sealed->map, roads, drawing, &sealed->zones);
    sodium_memzero(drawing, sizeof drawing);
    return err;
}

sc_err sc_sealed_zones_new(const sc_map *map, const char *path, uint32_t roads,
                           sc_sealed_zones **out, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_err err = sc_token_keys_read(path, &keys, diag);
    if (err) return err;
    sc_sealed_zones *sealed = sc_calloc(1, sizeof *sealed);
    if (sealed) {
        sealed->map = map;
        err = draw(sealed, keys, roads);
    }
    sc_token_keys_free(keys);
    if (!sealed) return sc_fail_memory(diag, "drawing zones");
    if (err) {
        sc_sealed_zones_free(sealed);
        return sc_fail(diag, err, "zone-key: zones cannot be drawn: %s", sc_err_text(err));
    }
    *out = sealed;
    return SC_OK;
}

void sc_sealed_zones_free(sc_sealed_zones *sealed)
{
    if (!sealed) return;
    sc_zones_free(sealed->zones);
    sodium_memzero(sealed, sizeof *sealed);
    sc_free(sealed);
}

static void hash_user(const zone_keys *keys, const sc_token *token, uint8_t out[USER_SIZE])
{
    crypto_generichash(out, USER_SIZE, (const uint8_t *)token->user, token->user_size, keys->users,
                       sizeof keys->users);
}

// --- Numbers ------------------------------------------------------------------------------------

static void put_number(uint8_t *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get_number(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

// --- Opening ------------------------------------------------------------------------------------

void sc_opened_zone_fini(sc_opened_zone *zone)
{
    sc_free_wiped(zone->segments, zone->count, sizeof *zone->segments);
    *zone = (sc_opened_zone){0};
}

bool sc_opened_zone_has(const sc_opened_zone *zone, sc_seg_id segment)
{
    for (size_t i = 0; i < zone->count; i++) {
        if (zone->segments[i] == segment) return true;
    }
    return false;
}

static bool refuse(sc_problem *problem, const char *why)
{
    return sc_problem_set(problem, SC_PROBLEM_ZONE, "/zone", "%s", why);
}

static const char no_zone[] = "this is not a zone; POST /v1/zone makes one";

/** Whether all roads are there, ascending, and the radius is one of this map. What we sealed is so;
 * it is looked at since engines take it as it is. */
static bool is_of_map(const sc_map *map, const sc_opened_zone *zone)
{
    for (size_t i = 0; i < zone->count; i++) {
        if (zone->segments[i] >= sc_map_segment_count(map)) return false;
        if (i > 0 && zone->segments[i] <= zone->segments[i - 1]) return false;
    }
    return zone->radius <= sc_map_star_count(map);
}

/** Read what was in the box. */
static bool read_box(const sc_sealed_zones *sealed, const zone_keys *keys, const uint8_t *box,
                     size_t size, const sc_token *token, sc_opened_zone *out, sc_problem *problem)
{
    uint8_t user[USER_SIZE];
    hash_user(keys, token, user);
    if (sodium_memcmp(user, box, USER_SIZE) != 0) {
        return refuse(problem, "the zone is of another user; ask for your own by POST /v1/zone");
    }
    if (get_number(box + USER_SIZE, 8) != sc_map_checksum(sealed->map)) {
        return refuse(problem, "the zone was drawn on another map than the service has now; ask "
                               "for a new one by POST /v1/zone");
    }
    const size_t count = (size - HEAD_SIZE) / 4;
    sc_seg_id *segments = sc_malloc_array(count, sizeof *segments);
    if (!segments) {
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry in a second");
        problem->retry_after_s = 1;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        segments[i] = (sc_seg_id)get_number(box + HEAD_SIZE + 4 * i, 4);
    }
    sc_opened_zone zone = {.segments = segments,
                           .count = count,
                           .radius = (uint32_t)get_number(box + USER_SIZE + 8, 4)};
    if (!is_of_map(sealed->map, &zone)) {
        sc_opened_zone_fini(&zone);
        return refuse(problem, no_zone);
    }
    *out = zone;
    return true;
}

/** Open what the text says, with any of the keys. */
static bool open_bytes(const sc_sealed_zones *sealed, uint8_t *bytes, size_t size, uint8_t *box,
                       const sc_token *token, sc_opened_zone *out, sc_problem *problem)
{
    if (size <= OUTSIDE_SIZE + HEAD_SIZE || (size - OUTSIDE_SIZE - HEAD_SIZE) % 4 != 0) {
        return refuse(problem, no_zone);
    }
    for (size_t i = 0; i < sealed->key_count; i++) {
        if (crypto_secretbox_open_easy(box, bytes + crypto_secretbox_NONCEBYTES,
                                       size - crypto_secretbox_NONCEBYTES, bytes,
                                       sealed->keys[i].sealing) == 0) {
            return read_box(sealed, &sealed->keys[i], box, size - OUTSIDE_SIZE, token, out,
                            problem);
        }
    }
    return refuse(problem, "the zone was not sealed by this service, or its key was replaced; ask "
                           "for a new one by POST /v1/zone");
}

bool sc_sealed_zones_open(const sc_sealed_zones *sealed, const char *text, size_t size,
                          const sc_token *token, sc_opened_zone *out, sc_problem *problem)
{
    if (!sealed) return refuse(problem, "this service has no zones; leave the member out");
    const size_t most = OUTSIDE_SIZE + HEAD_SIZE + 4 * (size_t)ROADS_MAX;
    if (size <= PREFIX_SIZE || memcmp(text, prefix, PREFIX_SIZE) != 0 || size / 4 * 3 > most) {
        return refuse(problem, no_zone);
    }
    // One block: the bytes that were sealed, then what was in them.
    uint8_t *bytes = sc_malloc(2 * size);
    if (!bytes) {
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry in a second");
        problem->retry_after_s = 1;
        return false;
    }
    size_t got = 0;
    const bool is_text =
        sodium_base642bin(bytes, size, text + PREFIX_SIZE, size - PREFIX_SIZE, NULL, &got, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0;
    const bool is_open = is_text ? open_bytes(sealed, bytes, got, bytes + size, token, out, problem)
                                 : refuse(problem, no_zone);
    sc_free_wiped(bytes, 2, size);
    return is_open;
}

// --- Sealing ------------------------------------------------------------------------------------

/** The text of a zone, to be wiped and freed; NULL if memory is out. */
static char *seal(const sc_sealed_zones *sealed, const sc_zone *zone, const sc_token *token)
{
    const zone_keys *keys = &sealed->keys[0];
    const size_t box_size = HEAD_SIZE + 4 * zone->count;
    const size_t size = OUTSIDE_SIZE + box_size;
    const size_t text_size =
        sodium_base64_encoded_len(size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    uint8_t *box = sc_malloc(box_size + size);
    char *text = sc_malloc(PREFIX_SIZE + text_size);
    if (box && text) {
        uint8_t *bytes = box + box_size;
        hash_user(keys, token, box);
        put_number(box + USER_SIZE, sc_map_checksum(sealed->map), 8);
        put_number(box + USER_SIZE + 8, zone->radius, 4);
        for (size_t i = 0; i < zone->count; i++) {
            put_number(box + HEAD_SIZE + 4 * i, zone->segments[i], 4);
        }
        randombytes_buf(bytes, crypto_secretbox_NONCEBYTES);
        crypto_secretbox_easy(bytes + crypto_secretbox_NONCEBYTES, box, box_size, bytes,
                              keys->sealing);
        memcpy(text, prefix, PREFIX_SIZE);
        sodium_bin2base64(text + PREFIX_SIZE, text_size, bytes, size,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    } else {
        sc_free(text);
        text = NULL;
    }
    sc_free_wiped(box, box_size + size, 1);
    return text;
}

// --- The route ----------------------------------------------------------------------------------

static bool refuse_memory(sc_problem *problem)
{
    sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry in a second");
    problem->retry_after_s = 1;
    return false;
}

/** The zone of a position; it is empty if there is none. */
static bool find_zone(const sc_served_map *served, const sc_access_rules *terms,
                      const sc_query_body *body, sc_zone *out, sc_problem *problem)
{
    sc_snap where = {0};
    const bool is_found = sc__query_find_road(served->map, &terms->policy, body, &where, problem);
    if (is_found) *out = sc_zones_of(served->sealed_zones->zones, where.segment);
    explicit_bzero(&where, sizeof where);
    if (!is_found) return false;
    if (out->count == 0) {
        return sc_problem_set(problem, SC_PROBLEM_NO_ZONE, "/position",
                              "too few roads hang together there for a zone");
    }
    if (2 * out->radius > terms->policy.most.max_hops) {
        return sc_problem_set(problem, SC_PROBLEM_NO_ZONE, "/position",
                              "the zone there would need max_hops of %u; this service accepts %u "
                              "at most",
                              2 * out->radius, terms->policy.most.max_hops);
    }
    return true;
}

static bool write_zone(const sc_sealed_zones *sealed, const sc_zone *zone, const sc_token *token,
                       sc_bytes *out, sc_problem *problem)
{
    char *text = seal(sealed, zone, token);
    if (!text) return refuse_memory(problem);
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "zone", text);
    sc_json_put_count(&json, "roads", zone->count);
    sc_json_put_count(&json, "max_hops", 2 * (uint64_t)zone->radius);
    sc_json_close_object(&json);
    sc_free_wiped(text, strlen(text), 1);
    return !json.has_failed || refuse_memory(problem);
}

static bool answer(sc_service_internal *service, const sc_access_rules *terms,
                   sc_http_request *request, sc_token *token, sc_query_body *body, sc_bytes *out,
                   sc_problem *problem)
{
    const sc_served_map *served = sc_served_now(service);
    if (!served->sealed_zones) {
        return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                              "this service has no zones (setting 'zone-key')");
    }
    if (!sc_json_request_check_type(request, problem)) return false;
    if (!sc_access_rules_identify(terms, request, token, problem)) return false;
    if (!sc__query_is_within_rate(service->query_route, terms, token, sc_clock_us(), problem)) {
        return false;
    }
    size_t size = 0;
    const char *text = sc_http_request_body(request, &size);
    const sc_query_format format = {.policy = &terms->policy,
                                    .is_geographic = served->is_geographic};
    sc_zone zone = {0};
    return sc_zone_body_read(text, size, &format, body, problem) &&
           find_zone(served, terms, body, &zone, problem) &&
           write_zone(served->sealed_zones, &zone, token, out, problem);
}

void sc_sealed_zones_post(sc_service_internal *service, sc_http_request *request)
{
    sc_problem problem;
    sc_token token;
    sc_query_body body;
    sc_bytes out = {0};
    sc_access_rules *terms = sc_credentials_hold(service->credentials);
    const bool is_made = answer(service, terms, request, &token, &body, &out, &problem);
    sc_access_rules_release(terms);
    explicit_bzero(&token, sizeof token);
    explicit_bzero(&body, sizeof body);
    sc_http_request_forget_body(request);
    if (is_made) {
        sc_http_reply(request, 200, "application/json", out.data, out.size, NULL, 0);
    } else {
        sc_refusals_add(service, problem.kind);
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_wipe(&out);
    sc_bytes_fini(&out);
}
