/**
 * @file page.h
 * @brief Writing JSON text into bytes that grow.
 *
 * Memory that is out is remembered, not returned: so that what is written reads straight down the
 * page, and the end asks once whether it fitted. Numbers do not depend on the locale.
 *
 * Used by: the GeoJSON encoders.
 */
#ifndef SC_RELAY_PAGE_H
#define SC_RELAY_PAGE_H

#include <starcloak/relay_codec.h>

typedef struct sc__page {
    sc_bytes *out;
    bool is_full;  ///< memory is out; nothing is written any more
} sc__page;

/** As it stands. */
void sc__page_text(sc__page *page, const char *text);

/** Quoted and escaped; bytes that are not UTF-8 become U+FFFD. */
void sc__page_string(sc__page *page, const char *text);

void sc__page_count(sc__page *page, uint64_t count);

/** Rounded to so many decimals, at most 9, and no more than it needs: 12.5, not 12.500. */
void sc__page_decimal(sc__page *page, double number, unsigned decimals);

/** With as many digits as it takes to read the same number back. */
void sc__page_exact(sc__page *page, double number);

#endif
