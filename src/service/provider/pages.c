// What can be read of a provider: how it is, what it counts, what it has. See provider.h.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/json_write.h"

#include <string.h>

static void show_text(sc_provider *provider, sc_http_request *request, int status, const char *text)
{
    sc__counter_reply(provider, request, status, "text/plain; charset=utf-8", text, strlen(text));
}

/** Reply with a page, if memory sufficed to write it; and free it. */
static void show_page(sc_provider *provider, sc_http_request *request, const char *type,
                      bool is_written, sc_bytes *page)
{
    if (is_written) {
        sc__counter_reply(provider, request, 200, type, page->data, page->size);
    } else {
        sc__counter_problem(provider, request, 500, sc_err_text(SC_ENOMEM), NULL);
    }
    sc_bytes_fini(page);
}

static void show_health(sc_provider *provider, sc_http_request *request)
{
    show_text(provider, request, 200, "ok\n");
}

// A database that is away does not matter here: cloaks are answered from the last objects.
static void show_readiness(sc_provider *provider, sc_http_request *request)
{
    if (atomic_load(&provider->is_draining)) {
        sc__counter_problem(provider, request, 503, "about to stop", NULL);
    } else {
        show_text(provider, request, 200, "ready\n");
    }
}

static void show_metrics(sc_provider *provider, sc_http_request *request)
{
    sc_bytes page = {.data = NULL};
    const bool is_written = sc__tally_write(provider, &page);
    show_page(provider, request, "text/plain; version=0.0.4; charset=utf-8", is_written, &page);
}

/** {"categories":[{"name":"cafe","objects":112},...]} */
static bool write_categories(sc_bytes *out, const sc_objects *objects)
{
    const sc_vocabulary *words = sc_objects_vocabulary(objects);
    const sc_object_table *table = sc_objects_table(objects);
    uint64_t *counts = sc_calloc(words->count, sizeof *counts);
    if (!counts) return false;
    for (uint32_t i = 0; i < table->count; i++) {
        counts[table->objects[i].category]++;
    }
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_open_array(&json, "categories");
    for (uint32_t i = 0; i < words->count; i++) {
        sc_json_open_object(&json, NULL);
        sc_json_put_string(&json, "name", words->names[i]);
        sc_json_put_count(&json, "objects", counts[i]);
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    sc_free(counts);
    return !json.has_failed;
}

static void show_categories(sc_provider *provider, sc_http_request *request)
{
    sc_bytes page = {.data = NULL};
    sc_objects *objects = sc__provider_objects(&provider->options);
    const bool is_written = write_categories(&page, objects);
    sc_objects_release(objects);
    show_page(provider, request, "application/json", is_written, &page);
}

const sc__provider_entry *sc__provider_page(const char *path)
{
    static const sc__provider_entry pages[] = {
        {"/healthz", show_health},
        {"/readyz", show_readiness},
        {"/metrics", show_metrics},
        {"/v1/categories", show_categories},
    };
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        const size_t size = strlen(pages[i].path);
        if (strncmp(path, pages[i].path, size) != 0) continue;
        if (path[size] == '\0' || path[size] == '/') return &pages[i];
    }
    return NULL;
}
