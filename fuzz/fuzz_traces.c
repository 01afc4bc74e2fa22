// Door: traces, in the four formats.
//
// The input is the file. It is read as what it looks like, and as each of the formats. What is
// accepted is written as CSV and read again, and must be the same tracks. What is refused is
// refused without a byte of what stands in the file: that might be somebody's name or place.
#include "door.h"

#include "base/utf8.h"
#include "traces/traces.h"

static void check_name(const char *name)
{
    DOOR_PROMISE(name[0] != '\0' && sc_is_utf8(name), "a name is some text");
    for (const char *c = name; *c; c++) {
        DOOR_PROMISE((unsigned char)*c >= 0x20 && *c != 0x7f, "which a terminal can be given");
    }
}

static void check_tracks(const sc_traces *traces)
{
    size_t count = 0;
    size_t fix_count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    const sc_traces_summary summary = sc_traces_summary_of(traces);
    DOOR_PROMISE(count >= 1, "traces are of somebody");
    for (size_t i = 0; i < count; i++) {
        const sc_track *track = &tracks[i];
        check_name(track->name);
        DOOR_PROMISE(i == 0 || strcmp(tracks[i - 1].name, track->name) < 0,
                     "tracks are in order, and no two have one name");
        DOOR_PROMISE(track->count >= 1, "a track has a fix");
        for (size_t f = 0; f < track->count; f++) {
            const sc_fix *fix = &track->fixes[f];
            DOOR_PROMISE(isfinite(fix->t_s) && isfinite(fix->x) && isfinite(fix->y),
                         "a fix is made of numbers");
            DOOR_PROMISE(f == 0 || track->fixes[f - 1].t_s < fix->t_s, "time moves on");
            DOOR_PROMISE(fix->t_s >= summary.first_s && fix->t_s <= summary.last_s,
                         "and all of it is told");
        }
        fix_count += track->count;
    }
    DOOR_PROMISE(summary.track_count == count && summary.fix_count == fix_count, "counts add up");
    DOOR_PROMISE(summary.file_count == 1 && summary.other_file_count == 0, "one file was read");
    DOOR_PROMISE(sc_trace_format_name(summary.format) && summary.format != SC_TRACE_ANY,
                 "its format is told");
}

static void check_equal(const sc_traces *a, const sc_traces *b)
{
    size_t count = 0;
    size_t count_b = 0;
    const sc_track *tracks = sc_traces_tracks(a, &count);
    const sc_track *tracks_b = sc_traces_tracks(b, &count_b);
    DOOR_PROMISE(count == count_b, "a track is a track");
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(strcmp(tracks[i].name, tracks_b[i].name) == 0, "it keeps its name");
        DOOR_PROMISE(tracks[i].count == tracks_b[i].count, "it keeps its fixes");
        for (size_t f = 0; f < tracks[i].count; f++) {
            const sc_fix *fix = &tracks[i].fixes[f];
            const sc_fix *fix_b = &tracks_b[i].fixes[f];
            DOOR_PROMISE(fix->t_s == fix_b->t_s && fix->x == fix_b->x && fix->y == fix_b->y,
                         "what is written reads back equal");
        }
    }
}

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_and_read(const sc_traces *traces)
{
    char *text = NULL;
    size_t size = 0;
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs("id,t,x,y\n", out);
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < tracks[i].count; f++) {
            const sc_fix *fix = &tracks[i].fixes[f];
            write_quoted(out, tracks[i].name);
            fprintf(out, ",%.17g,%.17g,%.17g\n", fix->t_s, fix->x, fix->y);
        }
    }
    fclose(out);

    const sc_traces_options options = sc_traces_options_default();
    sc_traces *again = NULL;
    sc_diag diag = {""};
    if (sc_traces_parse(text, size, "again", &options, &again, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        DOOR_PROMISE(false, "what is written can be read");
    }
    check_equal(traces, again);
    sc_traces_free(again);
    free(text);
}

// The name, a line, and words of ours.
static void check_refusal(sc_err err, const sc_diag *diag, const sc_input *input)
{
    door_refused(err, diag, input, 1);
    DOOR_PROMISE(strlen(diag->message) < 250, "a refusal is short");
    for (const char *c = diag->message; *c; c++) {
        DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "a refusal repeats nothing");
    }
}

static sc_traces *read_as(const sc_input *input, sc_trace_format format)
{
    sc_traces_options options = sc_traces_options_default();
    options.format = format;
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_traces_parse((const char *)input->data, input->size, input->name,
                                       &options, &traces, &diag);
    if (err) {
        DOOR_PROMISE(!traces, "a refusal leaves nothing behind");
        check_refusal(err, &diag, input);
        return NULL;
    }
    check_tracks(traces);
    return traces;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {.name = "new_a.txt", .data = copy, .size = size};
    sc_traces *found = read_as(&input, SC_TRACE_ANY);
    if (found) write_and_read(found);
    for (sc_trace_format format = SC_TRACE_ANY + 1; format < SC_TRACE_FORMAT_COUNT; format++) {
        sc_traces *traces = read_as(&input, format);
        if (found && sc_traces_summary_of(found).format == format) {
            DOOR_PROMISE(traces, "what is read as any is read as what it is");
            check_equal(found, traces);
        }
        sc_traces_free(traces);
    }
    sc_traces_free(found);
    free(copy);
    return 0;
}
