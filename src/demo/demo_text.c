// The demo's events in words. See demo_text.h.
#include "demo/demo_text.h"

#include "base/json_write.h"

/** Of seconds: a millisecond is finer than anybody can see. */
enum { SECOND_DECIMALS = 3 };

/** An event's name, and where its data begins. */
static sc_json_writer begin_event(sc_bytes *out, const char *event)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: ");
    sc_json_put_text(&json, event);
    sc_json_put_text(&json, "\ndata: ");
    sc_json_open_object(&json, NULL);
    return json;
}

static bool end_event(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_put_text(json, "\n\n");
    return !json->has_failed;
}

static void put_seconds(sc_json_writer *json, const char *name, double seconds)
{
    sc_json_put_fixed(json, name, seconds, SECOND_DECIMALS);
}

bool sc__demo_text_hello(const sc__hello *hello, sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "hello");
    put_seconds(&json, "t", hello->t_s);
    sc_json_put_count(&json, "travellers", hello->travellers);
    put_seconds(&json, "every_s", hello->every_s);
    sc_json_put_string(&json, "engine", hello->engine);
    return end_event(&json);
}

// --- Queries -------------------------------------------------------------------------------------

static void put_waiting(sc_json_writer *json, const sc__waiting *waiting)
{
    const sc_profile *profile = &waiting->profile;
    sc_json_put_count(json, "query", waiting->number);
    sc_json_put_count(json, "who", waiting->who);
    sc_json_put_count(json, "segment", waiting->segment);
    sc_json_put_count(json, "k", profile->k);
    sc_json_put_count(json, "l", profile->l);
    sc_json_put_count(json, "max_hops", profile->max_hops);
    put_seconds(json, "max_wait_s", (double)profile->max_wait_us * 1e-6);
}

bool sc__demo_text_pending(const sc__waiting *waiting, size_t count, int64_t now_us, sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "pending");
    sc_json_open_array(&json, "queries");
    for (size_t i = 0; i < count; i++) {
        sc_json_open_object(&json, NULL);
        put_waiting(&json, &waiting[i]);
        put_seconds(&json, "waited_s", (double)(now_us - waiting[i].asked_us) * 1e-6);
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    return end_event(&json);
}

bool sc__demo_text_asked(const sc__waiting *waiting, sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "asked");
    put_waiting(&json, waiting);
    return end_event(&json);
}

// To an onlooker, a query that could not even be sent is as lost as any.
static const char *outcome_of(sc_load_end end)
{
    return sc_load_end_name(end == SC_LOAD_UNSENT ? SC_LOAD_LOST : end);
}

bool sc__demo_text_ended(const sc_load_ending *ending, sc_bytes *out)
{
    const bool is_told = ending->end == SC_LOAD_ANSWERED || ending->end == SC_LOAD_DROPPED;
    sc_json_writer json = begin_event(out, "ended");
    sc_json_put_count(&json, "query", ending->number);
    sc_json_put_string(&json, "outcome", outcome_of(ending->end));
    if (*ending->word) sc_json_put_string(&json, "reason", ending->word);
    if (*ending->cloak) sc_json_put_string(&json, "cloak", ending->cloak);
    if (is_told) put_seconds(&json, "wait_s", ending->wait_s);
    return end_event(&json);
}

// --- Positions -----------------------------------------------------------------------------------

bool sc__demo_text_positions(double t_s, const int32_t *at, uint32_t travellers, sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "positions");
    put_seconds(&json, "t", t_s);
    sc_json_put_base64(&json, "at", at, (size_t)travellers * 2 * sizeof *at);
    return end_event(&json);
}
