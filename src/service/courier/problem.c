// A provider's excuse, for the operator to read. See problem.h.
#include "courier/problem.h"

#include "base/json_tree.h"

#include <string.h>
#include <strings.h>

bool sc__is_media_type(const char *type, const char *wanted)
{
    const size_t size = strlen(wanted);
    if (!type || strncasecmp(type, wanted, size) != 0) return false;
    return type[size] == '\0' || type[size] == ';' || type[size] == ' ' || type[size] == '\t';
}

// Letters that a terminal or a log could take for something else become question marks.
static void copy_printable(sc__title *title, const char *text)
{
    static const char more[] = "...";
    const size_t room = sizeof title->text - sizeof more;
    size_t used = 0;
    for (; used < room && text[used] != '\0'; used++) {
        const char letter = text[used];
        title->text[used] = letter >= ' ' && letter <= '~' ? letter : '?';
    }
    memcpy(title->text + used, more, text[used] != '\0' ? sizeof more : 0);
}

sc__title sc__problem_title(const char *type, const void *body, size_t size)
{
    sc__title title = {.text = ""};
    if (!sc__is_media_type(type, "application/problem+json")) return title;
    sc_json_tree document = {0};
    sc_json_error error;
    if (sc_json_tree_read(body, size, &document, &error)) return title;
    const char *text = sc_json_text_at(sc_json_member(document.root, "title"));
    if (text) copy_printable(&title, text);
    sc_json_tree_fini(&document);
    return title;
}
