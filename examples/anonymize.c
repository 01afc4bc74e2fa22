/*
 * Begin here: the shortest complete program. Reads positions, prints cloaks.
 *
 * Each line of standard input is "user,lon,lat", and they come one second apart. Each user is
 * hidden among five users on at least five road segments within ten seconds, or dropped.
 * Usage: anonymize MAP.scm < positions.csv
 *
 * Build: gcc anonymize.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    sc_map *map = NULL;
    sc_anonymizer *anonymizer = NULL;
    sc_diag diag = {"usage: anonymize MAP.scm < positions.csv"};
    sc_err err = argc == 2 ? sc_map_open(argv[1], &map, &diag) : SC_EINVAL;
    if (!err) err = sc_anonymizer_new(map, NULL, &anonymizer, &diag);

    char user[64];
    sc_ask ask = {.user = user};
    /* NOLINTNEXTLINE(cert-err34-c): a number out of range is no position, and refused below */
    for (unsigned line = 1; !err && scanf(" %63[^,],%lf,%lf", user, &ask.x, &ask.y) == 3; line++) {
        ask.user_size = strlen(user);
        ask.t = sc_time_from_seconds(line);
        if (sc_anonymizer_ask(anonymizer, &ask, line, NULL, &diag)) {
            fprintf(stderr, "line %u: %s\n", line, diag.message); /* and go on with the others */
        }
        err = sc_anonymizer_run(anonymizer, ask.t, &diag);
    }
    if (!err) err = sc_anonymizer_run(anonymizer, SC_TIME_NEVER, &diag); /* until all have ended */

    /* A program that runs for long takes the outcomes after each run instead. */
    for (sc_anonymizer_outcome outcome; !err && sc_anonymizer_take(anonymizer, &outcome);) {
        const sc_cloak *cloak = outcome.cloak; /* or NULL: a query was dropped */
        for (size_t i = 0; cloak && i < cloak->member_count; i++) {
            printf("%s %u", i == 0 ? "lines" : "", (unsigned)cloak->members[i].query.owner);
        }
        for (size_t i = 0; cloak && i < cloak->segment_count; i++) {
            printf("%s %u", i == 0 ? ": segments" : "", cloak->segments[i]);
        }
        if (!cloak) printf("line %u: ", (unsigned)outcome.dropped_tag);
        puts(cloak ? "" : sc_drop_reason_name(outcome.reason));
    }
    if (err) fprintf(stderr, "%s\n", diag.message);
    sc_anonymizer_free(anonymizer);
    sc_map_free(map);
    return err ? 1 : 0;
}
