/*
 * The bar is one line that is written over:
 *
 *   reading cal.cedge   [########--------]  51%  12.3M of 24.0M  0:07 left
 *
 * The library reports often and from tight loops; all but ten reports a second
 * cost one look at the clock.
 */
#include "progress_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "format.h"

/** Redraw at most ten times a second. */
#define REDRAW_S 0.1

/** A guess made earlier than this into a phase is a guess about nothing. */
#define GUESS_AFTER_S 0.5

#define WIDTH_DEFAULT 80
#define WIDTH_MAX 120  // the longest line that is ever drawn
#define BAR_MIN 8
#define BAR_MAX 30

double sc_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void sc_bar_init(sc_bar *bar, bool quiet)
{
    *bar = (sc_bar){.wanted = !quiet && isatty(STDERR_FILENO) != 0};
    // The first line waits its turn too: what is over by then needs none.
    bar->last_draw = sc_clock_s();
}

static int terminal_width(void)
{
    struct winsize size;
    int width = WIDTH_DEFAULT;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
    // The last column stays free: some terminals break the line there.
    width--;
    return width > WIDTH_MAX ? WIDTH_MAX : width;
}

/** "0:07", "12:30", "1:02:03". */
static void format_duration(char *out, size_t size, double seconds)
{
    const unsigned long whole = seconds < 360000 ? (unsigned long)(seconds + 0.5) : 360000UL;
    const unsigned long hours = whole / 3600;
    const unsigned long minutes = whole / 60 % 60;
    if (hours > 0) {
        snprintf(out, size, "%lu:%02lu:%02lu", hours, minutes, whole % 60);
    } else {
        snprintf(out, size, "%lu:%02lu", minutes, whole % 60);
    }
}

// Write the line for a state of the work into `line`; a function of its arguments alone.
static void format_line(char line[WIDTH_MAX + 1], int width, const char *phase, uint64_t done,
                        uint64_t total, double elapsed_s)
{
    if (width > WIDTH_MAX) width = WIDTH_MAX;
    if (width < 0) width = 0;
    if (done > total && total > 0) done = total;

    char amount[64];
    char left[32] = "";
    sc_format_short(amount, 24, done);
    if (total > 0) {
        char of_total[24];
        sc_format_short(of_total, sizeof(of_total), total);
        const size_t used = strlen(amount);
        snprintf(amount + used, sizeof(amount) - used, " of %s", of_total);
    }
    if (total > 0 && done > 0 && elapsed_s >= GUESS_AFTER_S) {
        char duration[24];
        const double rest = (double)(total - done) / (double)done;
        format_duration(duration, sizeof(duration), elapsed_s * rest);
        snprintf(left, sizeof(left), "  %s left", duration);
    }

    // Phases and numbers are short; what is too long for the line is cut in the end.
    char text[256];
    if (total == 0) {
        snprintf(text, sizeof(text), "%-20s  %s", phase, amount);
    } else {
        const double share = (double)done / (double)total;
        // What remains of the line after all that is not the bar.
        const int others = snprintf(NULL, 0, "%-20s  []  100%%  %s%s", phase, amount, left);
        int room = width - others;
        if (room > BAR_MAX) room = BAR_MAX;
        if (room < BAR_MIN) room = 0;
        char bar[BAR_MAX + 1] = "";
        const int full = (int)(share * room);
        for (int i = 0; i < room; i++) {
            bar[i] = i < full ? '#' : '-';
        }
        bar[room] = '\0';
        snprintf(text, sizeof(text), "%-20s  %s%s%s%3d%%  %s%s", phase, room > 0 ? "[" : "", bar,
                 room > 0 ? "]  " : "", (int)(share * 100), amount, left);
    }
    snprintf(line, WIDTH_MAX + 1, "%.*s", width, text);
}

static void draw(sc_bar *bar, const char *line)
{
    const int columns = (int)strlen(line);
    // Blanks rub out what a longer line before it left behind.
    const int rest = bar->drawn > columns ? bar->drawn - columns : 0;
    fprintf(stderr, "\r%s%*s", line, rest, "");
    fflush(stderr);
    bar->drawn = columns;
}

static void report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    sc_bar *bar = context;
    const double now = sc_clock_s();
    if (strncmp(bar->phase, phase, sizeof(bar->phase) - 1) != 0) {
        snprintf(bar->phase, sizeof(bar->phase), "%s", phase);
        bar->phase_start = now;
    }
    if (now - bar->last_draw < REDRAW_S) return;
    bar->last_draw = now;

    char line[WIDTH_MAX + 1];
    format_line(line, terminal_width(), bar->phase, done, total, now - bar->phase_start);
    draw(bar, line);
}

sc_progress sc_bar_listen(sc_bar *bar)
{
    if (!bar->wanted) return (sc_progress){.report = NULL};
    return (sc_progress){.report = report, .context = bar};
}

void sc_bar_clear(sc_bar *bar)
{
    if (bar->drawn == 0) return;
    draw(bar, "");
    fputc('\r', stderr);
    fflush(stderr);
    bar->drawn = 0;
}
