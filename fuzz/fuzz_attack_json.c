// Door: the words of an attack, the body of POST /v1/attacks.
//
// The input is the body. What is accepted can be submitted to the attacker as it is, is JSON for
// jansson too, and reads back as the same when it is written again; what is refused is refused in
// one printable line that names a field by its pointer, and is JSON again when it is sent.
#include "door.h"
#include "problem.h"

#include "demo/attack_json.h"
#include "demo/attack_on_demand_internal.h"
#include "town.h"

#include <jansson.h>

// The same attack in other words: jansson's, and segments from the last to the first.
static char *write_again(const sc_attack_request *attack)
{
    json_t *body = json_object();
    json_t *askers = json_array();
    for (size_t i = 0; i < attack->member_count; i++) {
        const sc_needs *needs = &attack->members[i];
        json_t *asker = json_pack("{s:I,s:I,s:f}", "max_hops", (json_int_t)needs->max_hops, "l",
                                  (json_int_t)needs->l, "k", (double)needs->k);
        if (attack->places) json_object_set_new(asker, "segment", json_integer(attack->places[i]));
        json_array_append_new(askers, asker);
    }
    json_object_set_new(body, attack->places ? "queries" : "members", askers);
    if (attack->segments) {
        json_t *segments = json_array();
        for (size_t i = attack->segment_count; i > 0; i--) {
            json_array_append_new(segments, json_integer(attack->segments[i - 1]));
        }
        json_object_set_new(body, "segments", segments);
    }
    json_object_set_new(body, "method", json_string(sc_variant_name(attack->method)));
    char *text = json_dumps(body, 0);
    json_decref(body);
    if (!text) abort();
    return text;
}

static bool is_same_list(const sc_seg_id *a, const sc_seg_id *b, size_t count)
{
    return !a == !b && (!a || memcmp(a, b, count * sizeof *a) == 0);
}

static void check_same(const sc_attack_request *a, const sc_attack_request *b)
{
    DOOR_PROMISE(a->method == b->method, "a method stays");
    DOOR_PROMISE(a->segment_count == b->segment_count && a->member_count == b->member_count,
                 "as many stay");
    DOOR_PROMISE(is_same_list(a->segments, b->segments, a->segment_count), "a cloak stays");
    DOOR_PROMISE(is_same_list(a->places, b->places, a->member_count), "places stay");
    DOOR_PROMISE(memcmp(a->members, b->members, a->member_count * sizeof *a->members) == 0,
                 "needs stay");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *map;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!map) map = town_build();
    const uint32_t segment_count = sc_map_segment_count(map);
    char *body = (char *)door_copy(data, size);
    sc_problem problem = {.detail = ""};
    sc_attack_field field;
    sc_attack_request *attack =
        sc_attack_read(body, size, segment_count, SC_VARIANT_XSTAR, &field, &problem);
    if (!attack) {
        door_check_problem(&problem);
    } else {
        DOOR_PROMISE(sc__attack_check(map, attack, NULL) == SC_OK,
                     "what is accepted can be submitted");
        json_t *json =
            json_loadb(body, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
        DOOR_PROMISE(json, "what is accepted is JSON");
        json_decref(json);
        char *text = write_again(attack);
        sc_attack_request *again =
            sc_attack_read(text, strlen(text), segment_count, SC_VARIANT_BASIC, &field, &problem);
        DOOR_PROMISE(again, "what is accepted is accepted in other words");
        check_same(attack, again);
        sc_attack_request_free(again);
        sc_attack_request_free(attack);
        free(text);
    }
    free(body);
    return 0;
}
