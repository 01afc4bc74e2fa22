// Reading run records back. See history.h.
#include "support/history.h"

#include <jansson.h>
#include <stdio.h>

#include <starcloak/verify.h>

#include "support/check.h"
#include "support/place.h"

static void end_life(history *h, const json_t *query, double t)
{
    for (size_t i = 0; i < h->count; i++) {
        if (strcmp(h->lives[i].id, json_string_value(query)) != 0) continue;
        h->lives[i].ended = t;
        h->lives[i].ends++;
        return;
    }
    fail_msg("a query ends that was not asked before");
}

static void read_event(history *h, const json_t *event)
{
    const char *kind = json_string_value(json_object_get(event, "event"));
    const double t = json_number_value(json_object_get(event, "t"));
    if (t < h->end) h->is_ordered = false;
    h->end = t;
    if (strcmp(kind, "query") == 0) {
        life *l = &h->lives[h->count++];
        snprintf(l->id, sizeof l->id, "%s", json_string_value(json_object_get(event, "query")));
        snprintf(l->user, sizeof l->user, "%s", json_string_value(json_object_get(event, "user")));
        l->asked = t;
    } else if (strcmp(kind, "drop") == 0) {
        end_life(h, json_object_get(event, "query"), t);
    } else if (strcmp(kind, "cloak") == 0) {
        size_t i = 0;
        json_t *member = NULL;
        json_array_foreach(json_object_get(event, "members"), i, member)
        {
            end_life(h, json_object_get(member, "query"), t);
        }
    }
}

history history_read(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    history h = {.end = -1e9, .is_ordered = true};
    h.lives = test_take(size / 32 + 1, sizeof *h.lives);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *event = json_loads(line, 0, NULL);
        assert_non_null(event);
        read_event(&h, event);
        json_decref(event);
    }
    free(text);
    return h;
}

void history_free(history *h)
{
    free(h->lives);
    *h = (history){0};
}

void check_promises(const sc_map *map, const char *path)
{
    sc_diag diag = {""};
    const sc_verify_options options = sc_verify_options_default();
    sc_verify_report report;
    CHECK_OK(sc_record_verify(map, path, &options, &report, &diag), &diag);
    if (report.violations > 0) {
        fail_msg("%s, line %llu: %s", sc_promise_name(report.shown[0].promise),
                 (unsigned long long)report.shown[0].line, report.shown[0].text);
    }
    assert_int_equal(report.open_at_end, 0);
}

bool is_same_file(const char *a, const char *b)
{
    size_t a_size = 0;
    size_t b_size = 0;
    char *a_text = read_whole(a, &a_size);
    char *b_text = read_whole(b, &b_size);
    const bool same = a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
    free(a_text);
    free(b_text);
    return same;
}
