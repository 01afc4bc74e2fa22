/**
 * @file progress_bar.h
 * @brief A progress bar on standard error, for people who wait.
 *
 * Shown only where standard error is a terminal, so that logs and pipes stay
 * clean; plain ASCII, no colour, no escape sequences, so that every terminal can
 * show it. Work that is over in a blink shows none.
 */
#ifndef SC_APPS_PROGRESS_BAR_H
#define SC_APPS_PROGRESS_BAR_H

#include <stdbool.h>

#include <starcloak/progress.h>

typedef struct sc_bar {
    bool wanted;         ///< standard error is a terminal, and --quiet was not given
    int drawn;           ///< columns that the line on the screen has
    char phase[48];      ///< what is being done
    double phase_start;  ///< seconds, on the monotonic clock
    double last_draw;
} sc_bar;

/** Get ready. Nothing is drawn before work has taken a moment. */
void sc_bar_init(sc_bar *bar, bool quiet);

/** What to hand to the library, so that it reports to `bar`. */
sc_progress sc_bar_listen(sc_bar *bar);

/** Take the line off the screen; harmless twice. Do it before any message. */
void sc_bar_clear(sc_bar *bar);

/** Seconds on a clock that never goes back. */
double sc_clock_s(void);

#endif
