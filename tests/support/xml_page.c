// Pages as XML, with expat. See xml_page.h.
#include "support/xml_page.h"

#include "support/check.h"
#include "support/place.h"

#include <expat.h>
#include <stdio.h>
#include <unistd.h>

static void keep(texts_seen *seen, const char *text, size_t size)
{
    if (seen->count == seen->capacity) {
        seen->capacity = 2 * seen->capacity + 64;
        char **more = test_take(seen->capacity, sizeof *more);
        if (seen->count > 0) memcpy(more, seen->all, seen->count * sizeof *more);
        free(seen->all);
        seen->all = more;
    }
    char *copy = test_take(size + 1, 1);
    memcpy(copy, text, size);
    seen->all[seen->count++] = copy;
}

static void forget(texts_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        free(seen->all[i]);
    }
    free(seen->all);
}

// "url(#x)" anywhere in an attribute.
static void keep_urls(texts_seen *seen, const char *value)
{
    for (const char *at = strstr(value, "url("); at; at = strstr(at + 1, "url(")) {
        const char *from = at + 4;
        keep(seen, from, strcspn(from, ")"));
    }
}

static void begin(void *data, const char *name, const char **attributes)
{
    xml_page *page = data;
    keep(&page->elements, name, strlen(name));
    for (; attributes[0]; attributes += 2) {
        const char *value = attributes[1];
        if (strcmp(attributes[0], "id") == 0) keep(&page->ids, value, strlen(value));
        if (strcmp(attributes[0], "href") == 0 || strcmp(attributes[0], "xlink:href") == 0 ||
            strcmp(attributes[0], "src") == 0) {
            keep(&page->references, value, strlen(value));
        }
        keep_urls(&page->references, value);
    }
}

xml_page xml_page_read(const char *path)
{
    xml_page page = {.elements = {0}};
    size_t size = 0;
    char *text = read_whole(path, &size);
    XML_Parser parser = XML_ParserCreate(NULL);
    assert_non_null(parser);
    XML_SetUserData(parser, &page);
    XML_SetStartElementHandler(parser, begin);
    if (XML_Parse(parser, text, (int)size, 1) != XML_STATUS_OK) {
        fail_msg("%s:%lu: %s", path, (unsigned long)XML_GetCurrentLineNumber(parser),
                 XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
    free(text);
    return page;
}

void xml_page_free(xml_page *page)
{
    forget(&page->elements);
    forget(&page->ids);
    forget(&page->references);
}

static size_t count_of(const texts_seen *seen, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++) {
        count += strcmp(seen->all[i], text) == 0;
    }
    return count;
}

size_t xml_page_count(const xml_page *page, const char *element)
{
    return count_of(&page->elements, element);
}

void xml_page_check_ids(const xml_page *page)
{
    for (size_t i = 0; i < page->ids.count; i++) {
        const size_t count = count_of(&page->ids, page->ids.all[i]);
        if (count != 1) fail_msg("%zu elements have the id %s", count, page->ids.all[i]);
    }
    for (size_t i = 0; i < page->references.count; i++) {
        const char *reference = page->references.all[i];
        if (reference[0] != '#' || count_of(&page->ids, reference + 1) == 1) continue;
        fail_msg("%s leads nowhere", reference);
    }
}

static void check_file(const char *directory, const char *link)
{
    char path[2048];
    size_t size = (size_t)snprintf(path, sizeof path, "%s/", directory);
    for (; *link && size + 1 < sizeof path; link++) {
        path[size] = *link;
        if (*link == '%') {
            const char digits[] = {link[1], link[1] ? link[2] : '\0', '\0'};
            char *end = NULL;
            path[size] = (char)strtoul(digits, &end, 16);
            assert_ptr_equal(end, digits + 2);
            link += 2;
        }
        size++;
    }
    path[size] = '\0';
    if (access(path, R_OK) != 0) fail_msg("the page refers to %s, which is not there", path);
}

void xml_page_check_references(const xml_page *page, const char *directory)
{
    for (size_t i = 0; i < page->references.count; i++) {
        const char *reference = page->references.all[i];
        if (reference[0] == '#') continue;
        if (strpbrk(reference, ":/")) fail_msg("the page refers to %s", reference);
        check_file(directory, reference);
    }
}
