// Counting and telling. See findings.h.
#include "verify/findings.h"

#include <stdarg.h>
#include <stdio.h>

void sc__wrong(sc_findings *findings, sc_promise promise, const char *format, ...)
{
    char sentence[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    findings->violated[promise]++;
    findings->tell(findings->context, promise, sentence);
}
