// Questions that are kept. See questions.h.
#include "lab/questions.h"

#include "base/alloc.h"

#include <string.h>

static sc_err keep(void *context, const sc_query *query, const sc_request_line *request_line,
                   const sc_snap *where)
{
    (void)query;
    (void)where;
    sc__questions *questions = context;
    const size_t size = request_line->ask.user_size;
    if (!sc_grow(&questions->lines, questions->count, &questions->capacity, sizeof *request_line) ||
        !sc_reserve(&questions->names, questions->name_size + size, &questions->name_capacity, 1)) {
        return SC_ENOMEM;
    }
    // A user is lent for the call only, and the names still move: see sc__questions_settle().
    memcpy(questions->names + questions->name_size, request_line->ask.user, size);
    questions->name_size += size;
    sc_request_line *line = &questions->lines[questions->count++];
    *line = *request_line;
    line->ask.user = NULL;
    return SC_OK;
}

sc_run_listener sc__questions_listener(sc__questions *questions)
{
    return (sc_run_listener){.context = questions, .asked = keep};
}

void sc__questions_settle(sc__questions *questions)
{
    size_t passed = 0;
    for (size_t i = 0; i < questions->count; i++) {
        sc_ask *ask = &questions->lines[i].ask;
        ask->user = questions->names + passed;
        passed += ask->user_size;
    }
}

void sc__questions_fini(sc__questions *questions)
{
    sc_free(questions->lines);
    sc_free(questions->names);
    *questions = (sc__questions){0};
}
