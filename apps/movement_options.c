// How travellers move: options, and the travellers they ask for.
#include "movement_options.h"

#include <math.h>

#include "format.h"
#include "values.h"
#include "workload_options.h"

/** As of SC_SECONDS_MAX and unix time: more is a slip of the pen. */
#define TRACE_TIME_MAX 1e12

#define SNAP_MAX_M 1e6

sc_movement_settings sc_movement_settings_default(void)
{
    return (sc_movement_settings){
        .users = SC_USERS_DEFAULT,
        .truck_share = sc_trips_options_default().truck_share,
        .traces = {.read = sc_traces_options_default(), .follow = sc_follow_options_default()},
    };
}

// --- Options -------------------------------------------------------------------

static sc_trace_format format_of(const struct argp_state *state, const char *argument)
{
    const char *words[SC_TRACE_FORMAT_COUNT + 1];
    for (unsigned i = 0; i < SC_TRACE_FORMAT_COUNT; i++) {
        words[i] = sc_trace_format_name((sc_trace_format)i);
    }
    words[SC_TRACE_FORMAT_COUNT] = NULL;
    return (sc_trace_format)sc_value_word(state, "--trace-format", argument, words);
}

/** A number, and a note that its option was given. */
static double trace_number(const struct argp_state *state, sc_trace_settings *traces,
                           const char *option, const char *argument, double min, double max)
{
    traces->first_option = option;
    return sc_value_number(state, option, argument, min, max);
}

bool sc_trace_option(int key, const char *argument, const struct argp_state *state,
                     sc_trace_settings *traces)
{
    sc_follow_options *follow = &traces->follow;
    switch (key) {
    case SC_KEY_TRACES:
        sc_value_file(state, "--traces", argument);
        if (traces->path) {
            sc_usage_error(state, "--traces is given twice; put the files into one folder");
        }
        traces->path = argument;
        return true;
    case SC_KEY_TRACE_FORMAT:
        traces->first_option = "--trace-format";
        traces->read.format = format_of(state, argument);
        return true;
    case SC_KEY_TRACE_FOLD:
        follow->fold_s = trace_number(state, traces, "--trace-fold", argument, 0, SC_SECONDS_MAX);
        if (follow->fold_s > 0 && follow->fold_s < 1) {
            sc_usage_error(
                state, "--trace-fold: a window must be at least 1 second; give 0 for no windows");
        }
        return true;
    case SC_KEY_TRACE_START:
        follow->has_start = true;
        follow->start_s =
            trace_number(state, traces, "--trace-start", argument, -TRACE_TIME_MAX, TRACE_TIME_MAX);
        return true;
    case SC_KEY_TRACE_END:
        follow->end_s =
            trace_number(state, traces, "--trace-end", argument, -TRACE_TIME_MAX, TRACE_TIME_MAX);
        if (follow->has_start && follow->end_s <= follow->start_s) {
            sc_usage_error(state, "--trace-end: it must be after --trace-start");
        }
        return true;
    case SC_KEY_TRACE_GAP:
        follow->max_gap_s =
            trace_number(state, traces, "--trace-gap", argument, 1e-6, SC_SECONDS_MAX);
        return true;
    case SC_KEY_TRACE_SNAP:
        follow->max_snap_m = trace_number(state, traces, "--trace-snap", argument, 0, SNAP_MAX_M);
        return true;
    case SC_KEY_TRACE_STEP:
        traces->read.step_s =
            trace_number(state, traces, "--trace-step", argument, 1e-6, SC_SECONDS_MAX);
        return true;
    default:
        return false;
    }
}

bool sc_movement_option(int key, const char *argument, const struct argp_state *state,
                        sc_movement_settings *settings)
{
    switch (key) {
    case 'n':
        settings->has_users = true;
        settings->users = sc_value_count(state, "--users", argument, 1, SC_TRAVELLERS_MAX);
        return true;
    case SC_KEY_MOVEMENT: {
        const char *const words[] = {"trips", "walk", NULL};
        settings->is_walk = sc_value_word(state, "--movement", argument, words) == 1;
        return true;
    }
    case SC_KEY_TRUCKS:
        settings->has_trucks = true;
        settings->truck_share = sc_value_number(state, "--trucks", argument, 0, 1);
        return true;
    default:
        return sc_trace_option(key, argument, state, &settings->traces);
    }
}

void sc_movement_settings_check(const struct argp_state *state,
                                const sc_movement_settings *settings)
{
    const sc_trace_settings *traces = &settings->traces;
    if (!traces->path && traces->first_option) {
        sc_usage_error(state, "%s is about traces; add --traces PATH", traces->first_option);
    }
    if (traces->path && settings->is_walk) {
        sc_usage_error(state,
                       "--traces and --movement walk cannot be combined; leave one of them out");
    }
    if (settings->has_trucks && (traces->path || settings->is_walk)) {
        sc_usage_error(state, "--trucks is for --movement trips");
    }
}

// --- Travellers -----------------------------------------------------------------

/** Times that no query falls into need not be prepared. With folding every window is used. */
static void end_in_time(sc_follow_options *follow, const sc_traces *traces, double seconds)
{
    if (follow->fold_s > 0) return;
    const double start_s =
        follow->has_start ? follow->start_s : sc_traces_summary_of(traces).first_s;
    follow->end_s = fmin(follow->end_s, start_s + seconds);
}

static sc_err open_traces(sc_crowd *crowd, const sc_map *map, const sc_crowd_wish *wish,
                          const sc_progress *progress, sc_diag *diag)
{
    const sc_movement_settings *settings = wish->settings;
    sc_traces *traces = NULL;
    sc_traces_options read = settings->traces.read;
    sc_follow_options follow = settings->traces.follow;
    if (progress) read.progress = *progress;
    follow.max_count = settings->has_users ? (uint32_t)settings->users : 0;
    follow.seed = wish->seed;
    sc_err err = sc_traces_read(settings->traces.path, &read, &traces, diag);
    if (err) return err;
    end_in_time(&follow, traces, wish->seconds);
    crowd->read = sc_traces_summary_of(traces);
    err = sc_routes_new(map, SC_CAR, progress, &crowd->ways, diag);
    if (!err) {
        const sc_follow_input input = {.map = map, .routes = crowd->ways, .traces = traces};
        err = sc_follow_new(&input, &follow, progress, &crowd->movement, &crowd->followed, diag);
    }
    sc_traces_free(traces);
    return err;
}

sc_err sc_crowd_open(sc_crowd *crowd, const sc_map *map, const sc_crowd_wish *wish,
                     const sc_progress *progress, sc_diag *diag)
{
    const sc_movement_settings *settings = wish->settings;
    if (settings->traces.path) return open_traces(crowd, map, wish, progress, diag);
    const uint32_t count = (uint32_t)settings->users;
    if (settings->is_walk) return sc_walk_new(map, count, wish->seed, &crowd->movement, diag);
    const sc_trips_options trips = {
        .count = count, .truck_share = settings->truck_share, .seed = wish->seed};
    const sc_err err = sc_route_table_init(&crowd->routes, map, progress, diag);
    return err ? err : sc_trips_new(map, &crowd->routes, &trips, &crowd->movement, diag);
}

void sc_crowd_close(sc_crowd *crowd)
{
    sc_movement_free(crowd->movement);
    sc_routes_free(crowd->ways);
    sc_route_table_fini(&crowd->routes);
    *crowd = (sc_crowd){0};
}

/** Of the files: what was passed over. */
static void note_reading(const sc_call *call, const sc_traces_summary *read)
{
    char count[SC_FORMAT_SIZE];
    if (read->other_file_count > 0) {
        sc_call_note(call, "note: files of the folder that are not traces and were skipped: %s",
                     sc_format_count(count, read->other_file_count));
    }
    if (read->same_time_count > 0) {
        sc_call_note(call,
                     "note: fixes left out because the track has another fix of the same time: %s",
                     sc_format_count(count, read->same_time_count));
    }
}

void sc_crowd_note(const sc_call *call, const sc_crowd *crowd, const sc_crowd_wish *wish)
{
    const sc_movement_settings *settings = wish->settings;
    if (!settings->traces.path) return;
    const sc_follow_summary *done = &crowd->followed;
    char travellers[SC_FORMAT_SIZE];
    char fixes[SC_FORMAT_SIZE];
    char outside[SC_FORMAT_SIZE];
    char far[SC_FORMAT_SIZE];
    char gaps[SC_FORMAT_SIZE];
    char ways[SC_FORMAT_SIZE];
    note_reading(call, &crowd->read);
    sc_call_note(
        call,
        "note: travellers %s, out of %s fixes; left out: %s outside the time, %s too far from any "
        "road; without movement: %s gaps in time, %s stretches without a route",
        sc_format_count(travellers, done->traveller_count), sc_format_count(fixes, done->fix_count),
        sc_format_count(outside, done->outside_count), sc_format_count(far, done->far_count),
        sc_format_count(gaps, done->gap_count), sc_format_count(ways, done->no_way_count));
    if (settings->has_users && done->traveller_count < settings->users) {
        char wanted[SC_FORMAT_SIZE];
        sc_call_note(
            call,
            "note: --users %s: the traces have fewer travellers; --trace-fold S makes more of them",
            sc_format_count(wanted, settings->users));
    }
    if (done->seconds < wish->seconds) {
        sc_call_note(call,
                     "note: after %.0f s no traveller is on the roads any more; --seconds is %g",
                     done->seconds, wish->seconds);
    }
}
