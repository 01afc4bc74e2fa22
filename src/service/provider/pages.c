// What can be read of a provider: how it is, what it counts, what it has. See provider.h.
#include "provider/provider_internal.h"

#include "base/alloc.h"

#include <string.h>

static void show_text(sc_provider *provider, sc_http_request *request, int status, const char *text)
{
    sc__counter_reply(provider, request, status, "text/plain; charset=utf-8", text, strlen(text));
}

/** Reply with a page that was written, if memory sufficed for it; and free it. */
static void show_page(sc_provider *provider, sc_http_request *request, const char *type,
                      sc__page *page)
{
    if (page->is_full) {
        sc__counter_problem(provider, request, 500, sc_err_text(SC_ENOMEM), NULL);
    } else {
        sc__counter_reply(provider, request, 200, type, page->out->data, page->out->size);
    }
    sc_bytes_fini(page->out);
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
    sc_bytes bytes = {.data = NULL};
    sc__page page = {.out = &bytes};
    sc__tally_write(provider, &page);
    show_page(provider, request, "text/plain; version=0.0.4; charset=utf-8", &page);
}

/** {"categories":[{"name":"cafe","objects":112},...]} */
static void write_categories(sc__page *page, const sc_objects *objects)
{
    const sc_vocabulary *words = sc_objects_vocabulary(objects);
    const sc_object_table *table = sc_objects_table(objects);
    uint64_t *counts = sc_calloc(words->count, sizeof *counts);
    if (!counts) {
        page->is_full = true;
        return;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        counts[table->objects[i].category]++;
    }
    sc__page_text(page, "{\"categories\":[");
    for (uint32_t i = 0; i < words->count; i++) {
        sc__page_text(page, i > 0 ? ",{\"name\":" : "{\"name\":");
        sc__page_string(page, words->names[i]);
        sc__page_text(page, ",\"objects\":");
        sc__page_count(page, counts[i]);
        sc__page_text(page, "}");
    }
    sc__page_text(page, "]}\n");
    sc_free(counts);
}

static void show_categories(sc_provider *provider, sc_http_request *request)
{
    sc_bytes bytes = {.data = NULL};
    sc__page page = {.out = &bytes};
    sc_objects *objects = sc__provider_objects(&provider->options);
    write_categories(&page, objects);
    sc_objects_release(objects);
    show_page(provider, request, "application/json", &page);
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
