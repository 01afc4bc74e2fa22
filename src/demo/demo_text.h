/**
 * @file demo_text.h
 * @brief Secret: the demo's events in words. docs/window.md shows each of them.
 *
 * Each function appends one event, and returns false if memory is out.
 */
#ifndef SC_DEMO_DEMO_TEXT_H
#define SC_DEMO_DEMO_TEXT_H

#include <starcloak/relay_codec.h>

#include "demo/board.h"
#include "demo/loadgen/load.h"

/** What a newcomer must know. */
typedef struct sc__hello {
    double t_s;  ///< since the travellers set out
    uint32_t travellers;
    double every_s;
    const char *engine;
} sc__hello;

bool sc__demo_text_hello(const sc__hello *hello, sc_bytes *out);

/** Those who wait at `now_us`. */
bool sc__demo_text_pending(const sc__waiting *waiting, size_t count, int64_t now_us, sc_bytes *out);

/** @param at  of each traveller two numbers, as sc__fleet_look() makes them */
bool sc__demo_text_positions(double t_s, const int32_t *at, uint32_t travellers, sc_bytes *out);

bool sc__demo_text_asked(const sc__waiting *waiting, sc_bytes *out);
bool sc__demo_text_ended(const sc_load_ending *ending, sc_bytes *out);

#endif
