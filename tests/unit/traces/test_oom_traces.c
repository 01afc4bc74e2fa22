// Every allocation of reading traces fails once, in turn: it says so and leaks nothing (the address
// sanitizer looks).
#include "traces/traces.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/trace_texts.h"

#include <stdio.h>

enum { TRAVELLERS = 60, ROUNDS = 20, LINE_SIZE = 128 };  // enough that every growing array grows

/** Read it again and again, each time with a little more memory, until it is enough. */
static void read_with_ever_more(const char *path, size_t track_count, unsigned long least)
{
    const sc_traces_options options = sc_traces_options_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_traces *traces = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_traces_read(path, &options, &traces, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            check_traces(traces, track_count);
            sc_traces_free(traces);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(traces);
        failures++;
    }
    assert_true(failures >= least);
}

// The latest comes first, so that all must be sorted; ids are used twice, so that names are made.
static char *make_brinkhoff(void)
{
    char *text = test_take((size_t)TRAVELLERS * ROUNDS, LINE_SIZE);
    size_t size = 0;
    for (int t = ROUNDS; t > 0; t--) {
        for (int i = 0; i < TRAVELLERS; i++) {
            size += (size_t)snprintf(text + size, LINE_SIZE, "%s %d 1 0 %d %d %d\n",
                                     t == ROUNDS / 10 ? "newpoint" : "point", i, t, t, i);
        }
    }
    return text;
}

static char *make_fcd(void)
{
    char *text = test_take((size_t)TRAVELLERS * ROUNDS + 2, LINE_SIZE);
    size_t size = (size_t)snprintf(text, LINE_SIZE, "<fcd-export>");
    for (int t = 0; t < ROUNDS; t++) {
        size += (size_t)snprintf(text + size, LINE_SIZE, "<timestep time='%d'>", t);
        for (int i = 0; i < TRAVELLERS; i++) {
            size += (size_t)snprintf(text + size, LINE_SIZE, "<%s id='%d' x='%d' y='%d'/>",
                                     i % 2 ? "person" : "vehicle", i / 2, t, i);
        }
        size += (size_t)snprintf(text + size, LINE_SIZE, "</timestep>\n");
    }
    snprintf(text + size, LINE_SIZE, "</fcd-export>");
    return text;
}

static char *make_csv(void)
{
    char *text = test_take((size_t)TRAVELLERS * ROUNDS + 2, LINE_SIZE);
    size_t size = (size_t)snprintf(text, LINE_SIZE, "id,t,lon,lat\n");
    for (int i = 0; i < TRAVELLERS * ROUNDS; i++) {
        size += (size_t)snprintf(text + size, LINE_SIZE,
                                 "\"no. \"\"%d\"\"\",1970-01-01T00:00:%02dZ,%d,%d\n",
                                 i % TRAVELLERS, i / TRAVELLERS, i, i);
    }
    return text;
}

static void test_a_file_of_each_format(void **state)
{
    (void)state;
    const place p = place_new();
    char *brinkhoff = make_brinkhoff();
    char *fcd = make_fcd();
    char *csv = make_csv();
    // Travellers, their keys, names and tracks, the fixes of each, the order, the block.
    read_with_ever_more(place_write_text(&p, "b.dat", brinkhoff), (size_t)2 * TRAVELLERS, 200);
    read_with_ever_more(place_write_text(&p, "f.xml", fcd), TRAVELLERS, 100);
    read_with_ever_more(place_write_text(&p, "c.csv", csv), TRAVELLERS, 100);
    free(brinkhoff);
    free(fcd);
    free(csv);
    place_free(&p);
}

static void test_a_folder_with_packed_files(void **state)
{
    (void)state;
    read_with_ever_more(SC_TEST_DATA "/traces/cabs", 2, 15);
    const place p = place_new();
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "new_%d.txt", i);
        place_write_text(&p, name, "1 2 0 3\n4 5 1 2\n");
    }
    read_with_ever_more(p.path, 40, 90);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_of_each_format),
    cmocka_unit_test(test_a_folder_with_packed_files),
};
SC_SUITE(tests)
