// Traces as texts. See trace_texts.h.
#include "support/trace_texts.h"

#include "support/check.h"

sc_err parse_traces(const char *name, const char *bytes, size_t size,
                    const sc_traces_options *options, sc_traces **out, sc_diag *diag)
{
    char *copy = test_take(size, 1);
    if (size > 0) memcpy(copy, bytes, size);
    const sc_err err = sc_traces_parse(copy, size, name, options, out, diag);
    free(copy);
    return err;
}

sc_traces *good_traces(const char *name, const char *text)
{
    const sc_traces_options options = sc_traces_options_default();
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(parse_traces(name, text, strlen(text), &options, &traces, &diag), &diag);
    return traces;
}

void check_traces_refused(const char *name, const char *text, sc_trace_format format, sc_err wanted,
                          const char *message)
{
    sc_traces_options options = sc_traces_options_default();
    options.format = format;
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    const sc_err err = parse_traces(name, text, strlen(text), &options, &traces, &diag);
    assert_string_equal(diag.message, message);
    assert_int_equal(err, wanted);
    assert_null(traces);
}

void check_track(const sc_traces *traces, size_t i, const char *name, const sc_fix *fixes,
                 size_t count)
{
    size_t track_count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &track_count);
    assert_true(i < track_count);
    assert_string_equal(tracks[i].name, name);
    assert_int_equal(tracks[i].count, count);
    for (size_t f = 0; f < count; f++) {
        CHECK_SAME(tracks[i].fixes[f].t_s, fixes[f].t_s);
        CHECK_SAME(tracks[i].fixes[f].x, fixes[f].x);
        CHECK_SAME(tracks[i].fixes[f].y, fixes[f].y);
    }
}

void check_traces(const sc_traces *traces, size_t track_count)
{
    size_t count = 0;
    size_t fix_count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    const sc_traces_summary summary = sc_traces_summary_of(traces);
    bool begins = false;
    bool ends = false;
    assert_int_equal(count, track_count);
    for (size_t i = 0; i < count; i++) {
        const sc_track *track = &tracks[i];
        if (i > 0) assert_true(strcmp(tracks[i - 1].name, track->name) < 0);
        assert_true(track->count >= 1);
        for (size_t f = 1; f < track->count; f++) {
            assert_true(track->fixes[f - 1].t_s < track->fixes[f].t_s);
        }
        const double first = track->fixes[0].t_s;
        const double last = track->fixes[track->count - 1].t_s;
        assert_true(first >= summary.first_s && last <= summary.last_s);
        begins = begins || first == summary.first_s;
        ends = ends || last == summary.last_s;
        fix_count += track->count;
    }
    assert_true(begins && ends);
    assert_int_equal(summary.track_count, count);
    assert_int_equal(summary.fix_count, fix_count);
}

void check_same_traces(const sc_traces *a, const sc_traces *b)
{
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(b, &count);
    check_traces(a, count);
    for (size_t i = 0; i < count; i++) {
        check_track(a, i, tracks[i].name, tracks[i].fixes, tracks[i].count);
    }
}
