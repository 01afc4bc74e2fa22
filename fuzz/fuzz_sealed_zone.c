// Door: sealed zones, which travellers send with their queries, and the request for one.
//
// The first byte says what the rest is: 't' the text, which no key has sealed; 's' what is in the
// box, which the fuzzer seals with the right key, since no mutation finds that; 'm' the same behind
// the user and the checksum of the map, which are mended: a radius and segments; 'p' the body of
// POST /v1/zone. What opens was sealed for that user and that map, and has roads of the map in
// order. A refusal is one printable line.
#include "door.h"
#include "problem.h"
#include "town.h"

#include "api/query_json.h"
#include "api/sealed_zones.h"
#include "api/settings.h"
#include "server/token.h"

#include <sodium.h>
#include <unistd.h>

enum {
    USER_SIZE = 16,
    HEAD_SIZE = USER_SIZE + 8 + 4,
    FOR_SEALING = 1,  // as sealed_zones.c numbers its keys
    FOR_USERS = 2,
};

typedef struct zone_door {
    sc_map *town;
    sc_sealed_zones *sealed;
    uint8_t sealing[crypto_secretbox_KEYBYTES];
    uint8_t user[USER_SIZE];  ///< ann, hashed
    sc_token ann;
    sc_token bob;
    sc_policy policy;
} zone_door;

// --- What there is once ------------------------------------------------------------

/** A file with one key, which is always the same. */
static void write_keys(char *path, size_t room)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, room, "%s/starcloak-fuzz-XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    char key[65];
    memset(key, '7', sizeof key);
    key[64] = '\n';
    if (fd < 0 || write(fd, key, sizeof key) != (ssize_t)sizeof key) abort();
    close(fd);
}

static const zone_door *open_door(void)
{
    static zone_door door;
    if (door.town) return &door;
    char path[512];
    uint8_t users[crypto_generichash_KEYBYTES];
    sc_token_keys *keys = NULL;
    sc_settings *settings = NULL;
    door.town = town_build();
    door.ann = (sc_token){.user = "ann", .user_size = 3};
    door.bob = (sc_token){.user = "bob", .user_size = 3};
    write_keys(path, sizeof path);
    if (sc_sealed_zones_new(door.town, path, 5, &door.sealed, NULL) ||
        sc_token_keys_read(path, &keys, NULL) || sc_settings_new(&settings)) {
        abort();
    }
    unlink(path);
    door.policy = sc_settings_policy(settings);
    sc_settings_free(settings);
    sc_token_keys_derive(keys, 0, "sc_zones", FOR_SEALING, door.sealing, sizeof door.sealing);
    sc_token_keys_derive(keys, 0, "sc_zones", FOR_USERS, users, sizeof users);
    sc_token_keys_free(keys);
    crypto_generichash(door.user, USER_SIZE, (const uint8_t *)"ann", 3, users, sizeof users);
    return &door;
}

// --- Texts -------------------------------------------------------------------------

/** The text of a box. Release with free(). */
static char *seal(const zone_door *door, const uint8_t *box, size_t size)
{
    enum { PREFIX = 5, NONCE = crypto_secretbox_NONCEBYTES };
    const size_t sealed_size = NONCE + crypto_secretbox_MACBYTES + size;
    const size_t room =
        sodium_base64_encoded_len(sealed_size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    uint8_t *bytes = calloc(1, sealed_size);
    char *text = malloc(PREFIX + room);
    if (!bytes || !text) abort();
    crypto_secretbox_easy(bytes + NONCE, box, size, bytes, door->sealing);
    memcpy(text, "scz1_", PREFIX);
    sodium_bin2base64(text + PREFIX, room, bytes, sealed_size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    free(bytes);
    return text;
}

/** Whether it opens for that user; a refusal is one that a client can be given. */
static bool opens(const zone_door *door, const char *text, size_t size, const sc_token *token,
                  sc_opened_zone *out)
{
    sc_problem problem = {.detail = ""};
    if (sc_sealed_zones_open(door->sealed, text, size, token, out, &problem)) return true;
    DOOR_PROMISE(problem.kind == SC_PROBLEM_ZONE, "what is no zone is refused as such");
    DOOR_PROMISE(!out->segments && out->count == 0, "a refusal leaves nothing behind");
    door_check_problem(&problem);
    return false;
}

static void try_text(const zone_door *door, const uint8_t *data, size_t size)
{
    sc_opened_zone zone = {0};
    DOOR_PROMISE(!opens(door, (const char *)data, size, &door->ann, &zone),
                 "nothing opens that was not sealed");
}

static uint64_t number_at(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/** Whether a box says something that a zone of the town can be. */
static bool is_zone(const zone_door *door, const uint8_t *box, size_t size)
{
    const uint32_t roads = sc_map_segment_count(door->town);
    if (size < HEAD_SIZE + 4 || (size - HEAD_SIZE) % 4 != 0) return false;
    if (memcmp(box, door->user, USER_SIZE) != 0) return false;
    if (number_at(box + USER_SIZE, 8) != sc_map_checksum(door->town)) return false;
    if (number_at(box + USER_SIZE + 8, 4) > sc_map_star_count(door->town)) return false;
    uint64_t least = 0;
    for (size_t i = HEAD_SIZE; i < size; i += 4) {
        const uint64_t segment = number_at(box + i, 4);
        if (segment < least || segment >= roads) return false;
        least = segment + 1;
    }
    return true;
}

static void try_box(const zone_door *door, const uint8_t *box, size_t size)
{
    char *text = seal(door, box, size);
    const size_t text_size = strlen(text);
    sc_opened_zone zone = {0};
    const bool is_open = opens(door, text, text_size, &door->ann, &zone);
    DOOR_PROMISE(is_open == is_zone(door, box, size), "what opens is a zone of this user and map");
    if (is_open) {
        DOOR_PROMISE(zone.count == (size - HEAD_SIZE) / 4, "all of its roads are there");
        for (size_t i = 0; i < zone.count; i++) {
            DOOR_PROMISE(zone.segments[i] == number_at(box + HEAD_SIZE + 4 * i, 4),
                         "they are those that were sealed");
            DOOR_PROMISE(sc_opened_zone_has(&zone, zone.segments[i]), "a zone has its roads");
        }
        sc_opened_zone none = {0};
        DOOR_PROMISE(!opens(door, text, text_size, &door->bob, &none),
                     "a zone is of no use to another user");
        text[text_size / 2] = text[text_size / 2] == 'A' ? 'B' : 'A';
        DOOR_PROMISE(!opens(door, text, text_size, &door->ann, &none),
                     "a zone with another letter was not sealed");
    }
    sc_opened_zone_fini(&zone);
    free(text);
}

static void try_mended(const zone_door *door, const uint8_t *data, size_t size)
{
    enum { MENDED = USER_SIZE + 8 };
    uint8_t *box = malloc(MENDED + size);
    if (!box) abort();
    memcpy(box, door->user, USER_SIZE);
    for (unsigned i = 0; i < 8; i++) {
        box[USER_SIZE + i] = (uint8_t)(sc_map_checksum(door->town) >> (8 * i));
    }
    if (size > 0) memcpy(box + MENDED, data, size);
    try_box(door, box, MENDED + size);
    free(box);
}

// --- The request for one --------------------------------------------------------------

static void try_body(const zone_door *door, const uint8_t *data, size_t size)
{
    const char *body = (const char *)data;
    const sc_query_format format = {.policy = &door->policy, .is_geographic = true};
    sc_query_body place;
    sc_problem problem = {.detail = ""};
    if (!sc_zone_body_read(body, size, &format, &place, &problem)) {
        door_check_problem(&problem);
        return;
    }
    DOOR_PROMISE(isfinite(place.x) && isfinite(place.y) && isfinite(place.offset_m),
                 "places are numbers");
    DOOR_PROMISE(place.is_on_edge || (fabs(place.x) <= 180.0 && fabs(place.y) <= 90.0),
                 "degrees are on the globe");
    json_t *json = json_loadb(body, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    DOOR_PROMISE(json && json_object_size(json) == 1, "what is accepted is JSON, a position alone");
    json_decref(json);
    sc_snap where = {0};
    if (!sc__query_find_road(door->town, &door->policy, &place, &where, &problem)) {
        door_check_problem(&problem);
        return;
    }
    DOOR_PROMISE(where.edge < sc_map_edge_count(door->town) && where.offset_m >= 0 &&
                     where.offset_m <= sc_map_edge_length_m(door->town, where.edge),
                 "what is found is on a road");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    const zone_door *door = open_door();
    uint8_t *copy = door_copy(data + 1, size - 1);
    switch (data[0]) {
    case 't':
        try_text(door, copy, size - 1);
        break;
    case 's':
        try_box(door, copy, size - 1);
        break;
    case 'm':
        try_mended(door, copy, size - 1);
        break;
    case 'p':
        try_body(door, copy, size - 1);
        break;
    default:
        break;
    }
    free(copy);
    return 0;
}
