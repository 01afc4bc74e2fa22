// Door: a reply of the service, as `starcloak load` reads and checks it.
//
// The first byte says in what pieces the reply comes: 0 all at once, else a few bytes at a time. It
// is read a second time at once, and that must make no difference. What is whole is checked as the
// reply to a query: the check is one of the ends, and its words can be shown on a terminal. As
// text the input is read as a page of metrics as well.
#include "door.h"

#include "demo/loadgen/http_response.h"
#include "demo/loadgen/load_counts.h"
#include "demo/loadgen/reply_checks.h"

/** How a reading came out. */
typedef struct reading {
    sc_err err;
    size_t used;
    sc_diag diag;
    sc_response response;
} reading;

static reading read_pieces(const uint8_t *bytes, size_t size, size_t piece)
{
    reading r = {.err = SC_OK, .diag = {""}};
    while (r.used < size && !r.err && !sc_response_is_whole(&r.response)) {
        const size_t left = size - r.used;
        const size_t next = piece < left ? piece : left;
        // Memory of exactly that size: a byte too many is seen.
        uint8_t *copy = door_copy(bytes + r.used, next);
        size_t used = 0;
        r.err = sc_response_feed(&r.response, (const char *)copy, next, &used, &r.diag);
        free(copy);
        DOOR_PROMISE(r.err || used <= next, "no more is used than there is");
        DOOR_PROMISE(r.err || used == next || sc_response_is_whole(&r.response),
                     "only behind a whole reply is something left");
        if (!r.err) r.used += used;
    }
    return r;
}

static void check_refusal(const reading *r)
{
    DOOR_PROMISE(r->err == SC_EPARSE || r->err == SC_ELIMIT, "a refusal has a reason");
    DOOR_PROMISE(r->diag.message[0] != '\0', "and tells it");
    for (const char *c = r->diag.message; *c; c++) {
        DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "in words that a terminal can be given");
    }
}

static void check_same(const reading *a, const reading *b)
{
    DOOR_PROMISE(a->err == b->err, "pieces make no difference to a refusal");
    if (a->err) return;
    DOOR_PROMISE(a->used == b->used, "nor to where a reply ends");
    DOOR_PROMISE(a->response.stage == b->response.stage, "nor to how far it is");
    DOOR_PROMISE(a->response.status == b->response.status, "nor to its status");
    DOOR_PROMISE(a->response.body_size == b->response.body_size &&
                     (a->response.body_size == 0 ||
                      memcmp(a->response.body, b->response.body, a->response.body_size) == 0),
                 "nor to its body");
}

static void check_reply(const sc_response *response)
{
    static sc_reply_check check;
    static sc_reply_check quick;
    const sc_profile needs = {.k = 5, .l = 3, .max_hops = 4, .max_wait_us = 10000000};
    const sc_reply_wanted wanted = {&needs, 8, SC_METRIC_DISTANCE};
    DOOR_PROMISE(!sc_reply_check_read(response, &wanted, &check), "what is whole can be checked");
    DOOR_PROMISE(!sc_reply_check_read_quickly(response, &wanted, &quick),
                 "and at a known_form as well");
    DOOR_PROMISE(quick.end == check.end || quick.end == SC_LOAD_ANSWERED,
                 "which differs only where objects are not looked at");
    DOOR_PROMISE(check.end == SC_LOAD_ANSWERED || check.end == SC_LOAD_DROPPED ||
                     check.end == SC_LOAD_FAILED || check.end == SC_LOAD_REFUSED ||
                     (check.end == SC_LOAD_LOST && check.is_violated),
                 "a check is an end that a reply can bring");
    for (const char *c = check.word; *c; c++) {
        DOOR_PROMISE(*c > 0x20 && *c < 0x7f, "its word could steer no terminal");
    }
    if (check.end != SC_LOAD_ANSWERED || check.is_violated) return;
    DOOR_PROMISE(check.users >= needs.k && check.segments >= needs.l, "promises are kept");
    DOOR_PROMISE(check.wait_s >= 0 && check.wait_s <= 10.001, "and in time");
    DOOR_PROMISE(check.object_count <= 8, "no more than asked for");
    for (size_t i = 1; i < check.object_count; i++) {
        DOOR_PROMISE(check.distances_m[i - 1] <= check.distances_m[i], "nearest first");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > DOOR_MAX_SIZE) return 0;
    reading whole = read_pieces(data + 1, size - 1, SIZE_MAX);
    if (data[0] > 0) {
        reading pieces = read_pieces(data + 1, size - 1, data[0]);
        check_same(&whole, &pieces);
        sc_response_clear(&pieces.response);
    }
    if (whole.err) {
        check_refusal(&whole);
    } else if (sc_response_is_whole(&whole.response)) {
        DOOR_PROMISE(whole.response.body_size <= SC_RESPONSE_BODY_MAX, "a body is bounded");
        check_reply(&whole.response);
    }
    sc_response_clear(&whole.response);
    uint8_t *text = door_copy(data + 1, size - 1);
    (void)sc_service_counts_of((const char *)text, size - 1);
    free(text);
    return 0;
}
