// Forgetting: after it, nothing in the filter tells how far anything is from the position.
#include "drawn_cloak.h"

#include "answer/answer_internal.h"

/** Somewhere on a road, and between two units of the map: no way between nodes is so long. */
#define SOMEWHERE_M 23.4567891

/** What a position left in the filter: each is a double with a fraction. */
typedef struct traces {
    double numbers[4 * DRAWN_MOST];
    size_t count;
} traces;

/** A piece of memory of the filter. */
typedef struct piece {
    const void *memory;
    size_t bytes;
} piece;

enum { PIECES = 7 };

// All that answers are made in, as far as there is room.
static void list_pieces(const sc_filter *f, piece pieces[PIECES])
{
    const sc_inside *inside = &f->inside;
    pieces[0] = (piece){f->reaches, f->result_capacity * sizeof *f->reaches};
    pieces[1] = (piece){f->results, f->result_capacity * sizeof *f->results};
    pieces[2] = (piece){inside->spans, inside->end_room * sizeof *inside->spans};
    pieces[3] = (piece){inside->queue.entries, inside->end_room * sizeof *inside->queue.entries};
    pieces[4] = (piece){f->candidates, f->candidate_capacity * sizeof *f->candidates};
    pieces[5] = (piece){f, sizeof *f};
    pieces[6] = (piece){f->found, f->result_capacity * sizeof *f->found};
}

static double number_at(const piece *p, size_t at)
{
    double number = 0.0;
    memcpy(&number, (const char *)p->memory + at, sizeof number);
    return number;
}

// Remember a number, unless it has no fraction and so may be one of the map's.
static void note(traces *t, double number)
{
    if (!isfinite(number) || number == nearbyint(number)) return;
    assert_true(t->count < sizeof t->numbers / sizeof *t->numbers);
    t->numbers[t->count++] = number;
}

// The distances of an answer, and the ways to the ends of roads.
static void note_answer(traces *t, const sc_filter *f, const sc_near *nears, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        note(t, nears[i].distance_m);
        note(t, nears[i].duration_s);
        note(t, f->reaches[i].cost);
        note(t, f->reaches[i].other);
        note(t, f->found[i].reach.cost);
    }
    for (size_t v = 0; v < f->inside.vertex_count; v++) {
        note(t, f->inside.spans[v].cost.shift);
        note(t, f->inside.spans[v].other.shift);
        note(t, sc__inside_span_reach(f->inside.spans[v]).cost);
    }
}

static size_t count_found(const traces *t, const sc_filter *f)
{
    piece pieces[PIECES];
    list_pieces(f, pieces);
    size_t found = 0;
    for (size_t p = 0; p < PIECES; p++) {
        for (size_t at = 0; at + sizeof(double) <= pieces[p].bytes; at += sizeof(double)) {
            const double number = number_at(&pieces[p], at);
            for (size_t i = 0; i < t->count; i++) {
                found += number == t->numbers[i];
            }
        }
    }
    return found;
}

static sc_err answer(const drawn_cloak *c, sc_filter *filter, const char *road, traces *t)
{
    const sc_near *nears = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    const sc_edge_id edge = drawn_place(c, road, SOMEWHERE_M, &offset_m);
    const sc_err err = sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m},
                                        0, &nears, &count, NULL);
    if (!err && t) note_answer(t, filter, nears, count);
    return err;
}

static void test_no_distance_of_an_answer_is_left(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(20));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    traces t = {.count = 0};
    CHECK_OK(answer(c, filter, "FG", &t), NULL);
    CHECK_OK(answer(c, filter, "GH", &t), NULL);
    assert_true(t.count > 10);
    assert_true(count_found(&t, filter) > 10);
    const size_t vertex_count = filter->inside.vertex_count;
    sc_filter_forget(filter);
    assert_int_equal(count_found(&t, filter), 0);
    // Nor which ends of roads were the nearest.
    for (size_t i = 0; i < vertex_count; i++) {
        assert_int_equal(filter->inside.touched[i], 0);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_a_reply_must_be_taken_in_again(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    for (int i = 0; i < 3; i++) {
        CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0});
        sc_filter_forget(filter);
        assert_int_equal(answer(c, filter, "FG", NULL), SC_EINVAL);
        CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// A small cloak after a large one, which may even be refused: there is less to wipe by then.
static void test_the_next_reply_makes_the_last_answers_forgotten(void **state)
{
    (void)state;
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        drawn_cloak *c = drawn_cloak_new();
        drawn_ask(c, drawn_knn(20));
        drawn_reply(c);
        sc_filter *filter = drawn_filter(c);
        traces t = {.count = 0};
        CHECK_OK(answer(c, filter, "FG", &t), NULL);
        assert_true(count_found(&t, filter) > 0);
        drawn_set_cloak(c, "GK");
        drawn_reply(c);
        c->reply.map_checksum += (unsigned)is_refused;
        assert_int_equal(sc_filter_open(filter, &c->relay, &c->reply, NULL),
                         is_refused ? SC_EMISMATCH : SC_OK);
        assert_int_equal(count_found(&t, filter), 0);
        sc_filter_free(filter);
        drawn_cloak_free(c);
    }
}

static void test_there_may_be_nothing_to_forget(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(1));
    drawn_reply(c);
    const sc_filter_options options = sc_filter_options_default();
    sc_filter *filter = NULL;
    CHECK_OK(sc_filter_new(c->map, &options, &filter, NULL), NULL);
    sc_filter_forget(filter);
    sc_filter_forget(filter);
    CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
    sc_filter_forget(filter);  // without an answer before
    assert_int_equal(answer(c, filter, "FG", NULL), SC_EINVAL);
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_distance_of_an_answer_is_left),
    cmocka_unit_test(test_a_reply_must_be_taken_in_again),
    cmocka_unit_test(test_the_next_reply_makes_the_last_answers_forgotten),
    cmocka_unit_test(test_there_may_be_nothing_to_forget),
};
SC_SUITE(tests)
