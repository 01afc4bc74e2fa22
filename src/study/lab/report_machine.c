// The machine that measured, as far as numbers depend on it. Its name is nobody's business.
#include "lab/report_internal.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/** A short text. */
typedef struct words {
    char text[128];
} words;

// The first "model name" of /proc/cpuinfo; not every architecture has one.
static words processor(void)
{
    words found = {"unknown"};
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return found;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        const char *name = colon + 1 + strspn(colon + 1, " \t");
        snprintf(found.text, sizeof found.text, "%.*s", (int)strcspn(name, "\n"), name);
        break;
    }
    fclose(file);
    return found;
}

static void put_row(FILE *page, const char *name, const char *value)
{
    fprintf(page, "<tr><th scope=\"row\">%s</th><td>", name);
    sc__html_text(page, value);
    fputs("</td></tr>\n", page);
}

void sc__report_put_machine(FILE *page)
{
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct utsname system;
    words text;
    fputs("<div class=\"wide\"><table><caption>The machine</caption>\n<tbody>\n", page);
    put_row(page, "Processor", processor().text);
    snprintf(text.text, sizeof text.text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    put_row(page, "Cores", text.text);
    snprintf(text.text, sizeof text.text, "%.1f GiB", bytes / (1024.0 * 1024 * 1024));
    put_row(page, "Memory", text.text);
    if (uname(&system) == 0) {
        snprintf(text.text, sizeof text.text, "%.30s %.60s, %.30s", system.sysname, system.release,
                 system.machine);
        put_row(page, "System", text.text);
    }
    put_row(page, "Compiler", __VERSION__);
    fputs("</tbody></table></div>\n", page);
}
