// When a feed loads again: the thread behind it. See feed_internal.h.
//
// The thread sleeps until the database says something, until `next_ms`, or until the feed is
// closed. Then:
//
//   - A notification makes it load soon, but not at once: many come in a burst, and one load is
//     enough for all of them. Those that come during a load cause one more after it. However
//     many come, at least half of the time is left to other things.
//   - Without one, it loads when the last load is old enough (options.refresh_s).
//   - Whatever fails is tried again after 1, 2, 4, ... 60 seconds, by notification also sooner;
//     until then the last set stays. A connection that is new has missed notifications, so it
//     always begins with a load.
//
// Used by: feed.c.
#include "feed/feed_internal.h"

#include "base/diag.h"
#include "base/thread.h"

/** Long enough for the notifications of one change to come together; nobody notices it. */
#define CALM_MS 100

#define FIRST_PAUSE_MS 1000
#define LONGEST_PAUSE_MS 60000

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** A load has succeeded that began at `begun_ms`. */
static void plan_after_load(sc_object_feed *feed, int64_t begun_ms)
{
    // More than a few centuries would not fit, and is never.
    const double longest_s = 1e10;
    const double refresh_s = feed->options.refresh_s;
    const int64_t now_ms = sc__link_clock_ms();
    feed->next_ms = refresh_s > 0.0 && refresh_s < longest_s
                        ? now_ms + later_of((int64_t)(refresh_s * 1000.0), 1)
                        : SC_LINK_NEVER;
    feed->pause_ms = FIRST_PAUSE_MS;
    feed->rested_ms = now_ms + (now_ms - begun_ms);
}

static void plan_after_failure(sc_object_feed *feed, int64_t begun_ms)
{
    const int64_t now_ms = sc__link_clock_ms();
    feed->next_ms = now_ms + feed->pause_ms;
    feed->pause_ms *= 2;
    if (feed->pause_ms > LONGEST_PAUSE_MS) feed->pause_ms = LONGEST_PAUSE_MS;
    feed->rested_ms = now_ms + (now_ms - begun_ms);
}

static void plan_after_notification(sc_object_feed *feed)
{
    const int64_t soon_ms = later_of(sc__link_clock_ms() + CALM_MS, feed->rested_ms);
    if (soon_ms < feed->next_ms) feed->next_ms = soon_ms;
}

/** Load, if it is time; then see whether there are notifications. */
static sc_err look(sc_object_feed *feed, int64_t now_ms, sc_diag *diag)
{
    if (now_ms >= feed->next_ms) {
        const sc_err err = sc__feed_renew(feed, diag);
        if (err) return err;
        plan_after_load(feed, now_ms);
        if (feed->options.changed) feed->options.changed(feed->options.data);
    }
    if (!feed->link.connection) return SC_OK;
    bool notified = false;
    const sc_err err = sc__link_listen(&feed->link, &notified, diag);
    if (!err && notified) plan_after_notification(feed);
    return err;
}

static void *watch(void *argument)
{
    sc_object_feed *feed = argument;
    while (!sc__link_is_ending(&feed->link)) {
        sc_diag diag = {.message = ""};
        const int64_t now_ms = sc__link_clock_ms();
        const sc_err err = look(feed, now_ms, &diag);
        if (err && !sc__link_is_ending(&feed->link)) {
            sc__feed_note_failure(feed, &diag);
            plan_after_failure(feed, now_ms);
            if (feed->options.changed) feed->options.changed(feed->options.data);
        }
        sc__link_wait(&feed->link, feed->next_ms);
    }
    return NULL;
}

sc_err sc__feed_watch(sc_object_feed *feed, sc_diag *diag)
{
    // The first load was made by whoever opened the feed.
    plan_after_load(feed, sc__link_clock_ms());

    feed->has_thread = sc_thread_start(&feed->thread, watch, feed) == SC_OK;
    if (!feed->has_thread) {
        return sc_fail(diag, SC_EIO, "no thread can be started to watch the database");
    }
    return SC_OK;
}
