/**
 * @file xml_page.h
 * @brief Reading a page or a drawing as XML: is it well-formed, and what does it refer to?
 *
 * Used by: tests of lab.
 */
#ifndef SC_TESTS_SUPPORT_XML_PAGE_H
#define SC_TESTS_SUPPORT_XML_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/** Texts in the order in which they came. */
typedef struct texts_seen {
    char **all;
    size_t count;
    size_t capacity;
} texts_seen;

typedef struct xml_page {
    texts_seen elements;    ///< names of all elements
    texts_seen ids;         ///< of all that have one
    texts_seen references;  ///< what href, xlink:href, src and url() say
} xml_page;

/** Read it; the test fails, with the line, if it is not well-formed. Release with xml_page_free().
 */
xml_page xml_page_read(const char *path);
void xml_page_free(xml_page *page);

/** How many elements have that name. */
size_t xml_page_count(const xml_page *page, const char *element);

/** No two elements have the same id, and every "#id" leads to one. */
void xml_page_check_ids(const xml_page *page);

/** Whatever is referred to is in the page, or a file in that directory. */
void xml_page_check_references(const xml_page *page, const char *directory);

#endif
