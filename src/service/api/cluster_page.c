// The cut and the cluster as pages. See cluster_page.h.
#include "api/cluster_page.h"

#include "api/kept.h"
#include "api/problem.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_write.h"

#include <string.h>

// --- The cut -------------------------------------------------------------------------------------

struct sc_partition_page {
    sc__kept kept;
};

static bool write_cut(sc_bytes *out, const sc_partition *cut)
{
    const sc_seg_id count = sc_map_segment_count(sc_partition_map(cut));
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_hex(&json, "cut", sc_partition_checksum(cut));
    sc_json_put_count(&json, "parts", sc_partition_part_count(cut));
    sc_json_open_array(&json, "segments");
    for (sc_seg_id s = 0; s < count; s++) {
        sc_json_put_count(&json, NULL, sc_partition_home(cut, s));
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

static sc_err keep_cut(sc_partition_page *page, const sc_partition *cut)
{
    static const sc__kept_words words = {
        .type = "application/json",
        // As the map: another start may serve another cut.
        .cache_control = "public, no-cache",
    };
    sc_bytes text = {0};
    if (write_cut(&text, cut)) return sc__kept_take(&page->kept, &words, &text);
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

sc_err sc_partition_page_new(const sc_partition *cut, sc_partition_page **out, sc_diag *diag)
{
    sc_partition_page *page = sc_calloc(1, sizeof *page);
    const sc_err err = page ? keep_cut(page, cut) : SC_ENOMEM;
    if (err) {
        sc_partition_page_free(page);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "writing the cut for display")
                                : sc_fail(diag, err, "the cut is too large to be written");
    }
    *out = page;
    return SC_OK;
}

void sc_partition_page_free(sc_partition_page *page)
{
    if (!page) return;
    sc__kept_fini(&page->kept);
    sc_free(page);
}

void sc_partition_page_show(const sc_partition_page *page, sc_http_request *request)
{
    sc__kept_show(&page->kept, request);
}

// --- The cluster ---------------------------------------------------------------------------------

void sc_cluster_show(const sc_service_internal *parts, sc_http_request *request)
{
    sc_cluster_view *view = parts->view(parts->view_context);
    char *text = view ? sc_cluster_view_json(view) : NULL;
    sc_cluster_view_free(view);
    if (text) {
        sc_http_reply(request, 200, "application/json", text, strlen(text), NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "there is no memory for this page");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_free(text);
}
