// The demo's events in words. See demo_text.h.
#include "demo/demo_text.h"

#include "base/json_write.h"

/** Of seconds: a millisecond is finer than anybody can see. */
enum { SECOND_DECIMALS = 3 };

static bool put_whole(sc_bytes *out, const char *name, uint64_t value)
{
    return sc_json_append_text(out, name) && sc_json_append_whole(out, value);
}

static bool put_seconds(sc_bytes *out, const char *name, double seconds)
{
    return sc_json_append_text(out, name) && sc_json_append_fixed(out, seconds, SECOND_DECIMALS);
}

static bool put_string(sc_bytes *out, const char *name, const char *text)
{
    return sc_json_append_text(out, name) && sc_json_append_string(out, text);
}

bool sc__demo_text_hello(const sc__hello *hello, sc_bytes *out)
{
    return put_seconds(out, "event: hello\ndata: {\"t\":", hello->t_s) &&
           put_whole(out, ",\"travellers\":", hello->travellers) &&
           put_seconds(out, ",\"every_s\":", hello->every_s) &&
           put_string(out, ",\"engine\":", hello->engine) && sc_json_append_text(out, "}\n\n");
}

// --- Queries -------------------------------------------------------------------------------------

/** All but the closing bracket. */
static bool put_waiting(sc_bytes *out, const sc__waiting *waiting)
{
    const sc_profile *profile = &waiting->profile;
    return put_whole(out, "{\"query\":", waiting->number) &&
           put_whole(out, ",\"who\":", waiting->who) &&
           put_whole(out, ",\"segment\":", waiting->segment) &&
           put_whole(out, ",\"k\":", profile->k) && put_whole(out, ",\"l\":", profile->l) &&
           put_whole(out, ",\"max_hops\":", profile->max_hops) &&
           put_seconds(out, ",\"max_wait_s\":", (double)profile->max_wait_us * 1e-6);
}

bool sc__demo_text_pending(const sc__waiting *waiting, size_t count, int64_t now_us, sc_bytes *out)
{
    bool fits = sc_json_append_text(out, "event: pending\ndata: {\"queries\":[");
    for (size_t i = 0; fits && i < count; i++) {
        const double waited_s = (double)(now_us - waiting[i].asked_us) * 1e-6;
        fits = (i == 0 || sc_json_append_text(out, ",")) && put_waiting(out, &waiting[i]) &&
               put_seconds(out, ",\"waited_s\":", waited_s) && sc_json_append_text(out, "}");
    }
    return fits && sc_json_append_text(out, "]}\n\n");
}

bool sc__demo_text_asked(const sc__waiting *waiting, sc_bytes *out)
{
    return sc_json_append_text(out, "event: asked\ndata: ") && put_waiting(out, waiting) &&
           sc_json_append_text(out, "}\n\n");
}

// To somebody who looks on, a query that could not even be sent is as lost as any.
static const char *outcome_of(sc_load_end end)
{
    return sc_load_end_name(end == SC_LOAD_UNSENT ? SC_LOAD_LOST : end);
}

bool sc__demo_text_ended(const sc_load_ending *ending, sc_bytes *out)
{
    const bool is_told = ending->end == SC_LOAD_ANSWERED || ending->end == SC_LOAD_DROPPED;
    return put_whole(out, "event: ended\ndata: {\"query\":", ending->number) &&
           put_string(out, ",\"outcome\":", outcome_of(ending->end)) &&
           (*ending->word == '\0' || put_string(out, ",\"reason\":", ending->word)) &&
           (*ending->cloak == '\0' || put_string(out, ",\"cloak\":", ending->cloak)) &&
           (!is_told || put_seconds(out, ",\"wait_s\":", ending->wait_s)) &&
           sc_json_append_text(out, "}\n\n");
}

// --- Positions -----------------------------------------------------------------------------------

bool sc__demo_text_positions(double t_s, const int32_t *at, uint32_t travellers, sc_bytes *out)
{
    return put_seconds(out, "event: positions\ndata: {\"t\":", t_s) &&
           sc_json_append_text(out, ",\"at\":") &&
           sc_json_append_base64(out, at, (size_t)travellers * 2 * sizeof *at) &&
           sc_json_append_text(out, "}\n\n");
}
