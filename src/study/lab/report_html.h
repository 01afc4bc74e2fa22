/**
 * @file report_html.h
 * @brief Text for a page: nothing in a name may become a tag.
 *
 * The report is HTML that is also well-formed XML, so that any parser can read it and a test can
 * check it.
 *
 * Used by: lab (plot, report).
 */
#ifndef SC_LAB_REPORT_HTML_H
#define SC_LAB_REPORT_HTML_H

#include <stdio.h>

/** Escaped for elements and quoted attributes. Bytes that are not UTF-8, or not XML, become U+FFFD.
 */
void sc__html_text(FILE *stream, const char *text);

/** The name of a file beside the page, escaped for a link. */
void sc__html_link(FILE *stream, const char *file);

#endif
