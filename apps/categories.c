// Names of categories. See categories.h.
#include "categories.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "format.h"
#include "suggest.h"

/** How much of a stranger's name a message shows. */
#define NAME_SIZE 41

/** How many names are listed. */
enum { LISTED = 12 };

void sc_category_names_add(sc_category_names *names, const struct argp_state *state,
                           const char *option, const char *name)
{
    if (name[0] == '\0') sc_usage_error(state, "%s: '' is no category", option);
    if (names->count == SC_REQUEST_CATEGORIES) {
        sc_usage_error(state, "%s: more than %d categories; leave them out to ask for all", option,
                       SC_REQUEST_CATEGORIES);
    }
    names->names[names->count++] = name;
}

/** "cafe, school, ..." */
static void list_names(const sc_vocabulary *vocabulary, char *out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < vocabulary->count && used < size; i++) {
        char name[NAME_SIZE];
        sc_format_text(name, sizeof(name), i < LISTED ? vocabulary->names[i] : "...");
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", name);
        if (i == LISTED) return;
    }
}

static sc_err fail_unknown(const char *name, const sc_vocabulary *vocabulary, sc_diag *diag)
{
    char shown[NAME_SIZE];
    char list[(NAME_SIZE + 2) * (LISTED + 1)] = "none";
    sc_format_text(shown, sizeof(shown), name);
    sc_suggestion suggestion = sc_suggestion_for(name);
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        sc_suggestion_offer(&suggestion, vocabulary->names[i]);
    }
    list_names(vocabulary, list, sizeof(list));
    if (suggestion.best) {
        char best[NAME_SIZE];
        sc_format_text(best, sizeof(best), suggestion.best);
        snprintf(diag->message, sizeof(diag->message),
                 "there is no category '%s'; did you mean '%s'? Known are: %s", shown, best, list);
    } else {
        snprintf(diag->message, sizeof(diag->message), "there is no category '%s'; known are: %s",
                 shown, list);
    }
    return SC_EUNKNOWN;
}

sc_err sc_category_names_find(const sc_category_names *names, const sc_vocabulary *vocabulary,
                              sc_request *request, sc_diag *diag)
{
    request->category_count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        const sc_category_id category = sc_vocabulary_find(vocabulary, names->names[i]);
        if (category == SC_NONE) return fail_unknown(names->names[i], vocabulary, diag);
        request->categories[request->category_count++] = category;
    }
    return SC_OK;
}
