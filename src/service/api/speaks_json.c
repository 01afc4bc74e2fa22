// Whether a body is JSON. See speaks_json.h.
#include "api/speaks_json.h"

#include <string.h>
#include <strings.h>

bool sc_speaks_json(const sc_http_request *request, sc_problem *problem)
{
    static const char json[] = "application/json";
    const char *type = sc_http_request_header(request, "Content-Type");
    // What may follow are parameters, which mean nothing for JSON.
    if (type && strncasecmp(type, json, sizeof json - 1) == 0 &&
        strchr("; \t", type[sizeof json - 1])) {
        return true;
    }
    return sc_problem_set(problem, SC_PROBLEM_MEDIA_TYPE, "header Content-Type",
                          "send Content-Type: application/json");
}
