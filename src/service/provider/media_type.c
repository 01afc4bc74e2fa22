// Which encoding a Content-Type speaks of. See docs/provider-protocol.md, "Versions": what would
// change the meaning of a message has a parameter "version", and only the first is read here. Other
// parameters say nothing about these types, and are passed over.
#include "provider/provider_internal.h"

#include <string.h>
#include <strings.h>

static const char *pass_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/** Whether a parameter, as "version=1", leaves the meaning as it is. */
static bool is_first_version(const char *parameter, size_t size)
{
    static const char name[] = "version=";
    const size_t name_size = sizeof name - 1;
    if (size < name_size || strncasecmp(parameter, name, name_size) != 0) return true;
    parameter += name_size;
    size -= name_size;
    while (size > 0 && strchr(" \t", parameter[size - 1])) {
        size--;
    }
    return (size == 1 && parameter[0] == '1') || (size == 3 && memcmp(parameter, "\"1\"", 3) == 0);
}

/** What follows a media type: nothing, or parameters of the first version. */
static bool are_parameters(const char *text)
{
    text = pass_blanks(text);
    while (*text == ';') {
        text = pass_blanks(text + 1);
        const size_t size = strcspn(text, ";");
        if (!is_first_version(text, size)) return false;
        text += size;
    }
    return *text == '\0';
}

bool sc__media_type_read(const char *content_type, sc_encoding *out)
{
    if (!content_type) return false;
    content_type = pass_blanks(content_type);
    for (unsigned encoding = 0; sc_encoding_name(encoding); encoding++) {
        const char *type = sc_encoding_media_type((sc_encoding)encoding);
        const size_t size = strlen(type);
        if (strncasecmp(content_type, type, size) != 0) continue;
        if (!are_parameters(content_type + size)) continue;
        *out = (sc_encoding)encoding;
        return true;
    }
    return false;
}
