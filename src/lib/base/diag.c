// Sentences about what went wrong.
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sc_err_text(sc_err err)
{
    switch (err) {
#define X(name, value, text) \
    case SC_##name:          \
        return text;
        SC_ERR_MAP(X)
#undef X
    }
    return "unknown error";
}

sc_err(sc_fail)(sc_diag *diag, sc_err err, const char *format, ...)
{
    if (diag) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(diag->message, sizeof diag->message, format, arguments);
        va_end(arguments);
    }
    return err;
}

sc_err(sc_fail_memory)(sc_diag *diag, const char *doing)
{
    return sc_fail(diag, SC_ENOMEM, "out of memory while %s", doing);
}

sc_quoted sc_quote(const char *bytes, size_t size)
{
    enum { SHOWN = 40 };
    sc_quoted quoted = {{0}};
    char *at = quoted.text;
    size_t used = 0;

    *at++ = '\'';
    // Each byte takes one place, or four when it must be escaped.
    while (used < size && at - quoted.text < SHOWN) {
        const unsigned char c = (unsigned char)bytes[used++];
        if (c >= 0x20 && c < 0x7f) {
            *at++ = (char)c;
        } else {
            at += snprintf(at, 5, "\\x%02x", c);
        }
    }
    memcpy(at, used < size ? "'..." : "'", used < size ? 5 : 2);
    return quoted;
}
