// The books of a run. See books.h.
#include "sim/counts.h"

#include "base/alloc.h"
#include "base/sort.h"

sc_err sc_books_init(sc_books *books, sc_run_window window)
{
    books->window = window;
    sc_err err = sc_tally_init(&books->wait_us);
    if (!err) err = sc_tally_init(&books->users);
    if (!err) err = sc_tally_init(&books->segments);
    if (!err) err = sc_tally_init(&books->border_nodes);
    if (!err) err = sc_tally_init(&books->stars);
    return err;
}

void sc_books_fini(sc_books *books)
{
    sc_waits_fini(&books->open);
    sc_tally_fini(&books->wait_us);
    sc_tally_fini(&books->users);
    sc_tally_fini(&books->segments);
    sc_tally_fini(&books->border_nodes);
    sc_tally_fini(&books->stars);
    sc_free(books->user_room);
    *books = (sc_books){0};
}

static bool counts(const sc_books *books, sc_time t)
{
    return sc_run_window_has(books->window, t);
}

sc_err sc_books_ask(sc_books *books, const sc_query_id *id, sc_wait wait)
{
    const sc_err err = sc_waits_put(&books->open, id, wait);
    if (err) return err;
    if (!books->has_begun) books->first_asked = books->last_ended = wait.since;
    books->has_begun = true;
    books->asked += counts(books, wait.since);
    return SC_OK;
}

/** How many different users a cloak hides. There is room for all its members. */
static size_t count_users(uint64_t *room, const sc_cloak *cloak)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        room[i] = cloak->members[i].query.user;
    }
    return sc_sort_count_different(room, cloak->member_count);
}

sc_err sc_books_cloak(sc_books *books, const sc_cloak *cloak, sc_time t)
{
    if (!counts(books, t)) return SC_OK;
    if (cloak->member_count > books->user_capacity) {
        uint64_t *room = sc_realloc_array(books->user_room, cloak->member_count, sizeof *room);
        if (!room) return SC_ENOMEM;
        books->user_room = room;
        books->user_capacity = cloak->member_count;
    }
    sc_tally_add(&books->users, count_users(books->user_room, cloak));
    sc_tally_add(&books->segments, cloak->segment_count);
    sc_tally_add(&books->border_nodes, cloak->border_node_count);
    sc_tally_add(&books->stars, cloak->star_count);
    return SC_OK;
}

sc_err sc_books_end(sc_books *books, const sc_query_id *id, sc_time t, bool is_cloaked,
                    sc_wait *wait)
{
    if (!sc_waits_take(&books->open, id, wait) || t < wait->since) return SC_EBROKEN;
    if (is_cloaked && counts(books, wait->since)) {
        sc_tally_add(&books->wait_us, (uint64_t)(t - wait->since));
    }
    books->last_ended = t;
    return SC_OK;
}

void sc_books_report(const sc_books *books, sc_run_report *report)
{
    report->queries = books->asked;
    report->cloaked = books->wait_us.count;
    report->cloaks = books->segments.count;
    report->wait_s = sc_tally_summary(&books->wait_us, 1e-6);
    report->users = sc_tally_summary(&books->users, 1);
    report->segments = sc_tally_summary(&books->segments, 1);
    report->border_nodes = sc_tally_summary(&books->border_nodes, 1);
    report->stars = sc_tally_summary(&books->stars, 1);
    report->virtual_s = (double)(books->last_ended - books->first_asked) * 1e-6;
}
