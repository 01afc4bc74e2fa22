// The reader of OpenStreetMap data, pbf and XML.
//
// Several inputs make one map: nodes and ways that more than one of them has are
// taken once, so that extracts which share a border can be joined. Each input is
// told apart by its content, not by its name. osm_internal.h tells the steps.
//
// Used by: import.c, fuzzers.
#include "import/osm_internal.h"

#include <stdio.h>
#include <string.h>

static bool is_xml(const sc_input *input)
{
    // A byte order mark of UTF-8 or UTF-16 may stand first; expat knows them.
    const uint8_t *data = input->data;
    const size_t size = input->size;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) return true;
    if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0)) {
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '<') return true;
        if (!strchr(" \t\r\n", data[i])) return false;
    }
    return false;
}

static sc_err check_inputs(const sc_load *load)
{
    if (load->input_count == 0)
        return sc_fail(load->diag, SC_EINVAL, "no OpenStreetMap file given");
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (input->size == 0) {
            return sc_fail(load->diag, SC_EPARSE, "%s: the file is empty", input->name);
        }
        if (!sc__osm_is_pbf(input) && !is_xml(input)) {
            const size_t shown = input->size < 16 ? input->size : 16;
            return sc_fail(load->diag, SC_EPARSE,
                           "%s: byte 0: neither OpenStreetMap pbf nor XML: it begins with %s",
                           input->name, sc_quote((const char *)input->data, shown).text);
        }
    }
    return SC_OK;
}

// Take the most frequent highway out of the census; NULL when none is left.
static const char *pop_most_frequent(sc__osm_census *census, uint64_t *count)
{
    size_t most = 0;
    for (size_t i = 1; i < census->row_count; i++) {
        if (census->rows[i].count > census->rows[most].count) most = i;
    }
    if (census->row_count == 0 || census->rows[most].count == 0) return NULL;
    *count = census->rows[most].count;
    census->rows[most].count = 0;
    return census->rows[most].value;
}

// Nothing to build: say what was asked for and what there is.
static sc_err fail_no_roads(const sc__osm *osm)
{
    enum { SHOWN = 6 };
    const sc_load *load = osm->load;
    const char *ways = load->options->ways ? load->options->ways : "drivable";
    const char *what = load->input_count == 1 ? "the file has" : "the files have";
    sc__osm_census census = osm->census;

    char list[SHOWN * (sizeof(sc_quoted) + 32)] = "";
    size_t used = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < SHOWN; i++) {
        const char *value = pop_most_frequent(&census, &count);
        if (!value) break;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%llu)", i > 0 ? ", " : "",
                                 sc_quote(value, strlen(value)).text, (unsigned long long)count);
    }
    const bool has_more = pop_most_frequent(&census, &count) || census.others > 0;
    if (used == 0) {
        return sc_fail(load->diag, SC_EPARSE, "%s: %s no way with %s highway tag",
                       load->inputs[0].name, what, has_more ? "a sensible" : "a");
    }
    return sc_fail(load->diag, SC_EPARSE, "%s: no way has a highway value among %s; %s %s%s",
                   load->inputs[0].name, sc_quote(ways, strlen(ways)).text, what, list,
                   has_more ? ", ..." : "");
}

static sc_err read_ways(sc__osm *osm, sc__osm_pbf *pbf)
{
    const sc_load *load = osm->load;
    for (uint32_t i = 0; i < load->input_count; i++) {
        const sc_err err = sc__osm_is_pbf(&load->inputs[i]) ? sc__osm_pbf_read_ways(pbf, i)
                                                            : sc__osm_xml_read(osm, i);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err read_nodes(sc__osm *osm, sc__osm_pbf *pbf)
{
    for (size_t i = 0; i < osm->waiting_count; i++) {
        const sc__osm_waiting *node = &osm->waiting[i];
        const sc__osm_place place = {.at = node->line, .input = node->input};
        const sc_err err = sc__osm_place_node(osm, place, node->id, node->point);
        if (err) return err;
    }
    return sc__osm_pbf_read_nodes(pbf);
}

static sc_err read_all(sc__osm *osm, sc_builder *builder)
{
    sc__osm_pbf *pbf = NULL;
    sc_err err = sc__osm_pbf_new(osm, &pbf);
    if (err) return err;

    err = read_ways(osm, pbf);
    if (!err && osm->roads.count == 0) err = fail_no_roads(osm);
    if (!err) err = sc__osm_resolve(osm);
    if (!err) err = read_nodes(osm, pbf);
    sc__osm_pbf_free(pbf);
    return err ? err : sc__osm_build(osm, builder);
}

sc_err sc__load_osm(const sc_load *load, sc_builder **out)
{
    sc_err err = check_inputs(load);
    if (err) return err;

    sc__osm osm = {.load = load};
    sc_builder *builder = NULL;
    err = sc__osm_filter_init(&osm.filter, load->options->ways, load->diag);
    if (err) goto done;
    err = sc_builder_new(SC_COORDS_GEOGRAPHIC, &builder);
    if (err) {
        err = sc__osm_fail_memory(&osm);
        goto done;
    }
    err = read_all(&osm, builder);
    if (err) goto done;
    *out = builder;
    builder = NULL;
done:
    sc_builder_free(builder);
    sc__osm_fini(&osm);
    return err;
}
