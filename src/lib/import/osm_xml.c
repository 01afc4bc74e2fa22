// OpenStreetMap XML: <osm> with <node>, <way> and other elements.
//
// expat calls back for every tag. What is not a node, a way or part of one
// (<bounds>, <note>, <relation>, ...) is skipped with all that is in it. Elements
// that an editor or a history marks as deleted (action="delete",
// visible="false") are as if they were not there.
//
// The whole text goes to expat in very large pieces: in small ones, an element
// longer than a piece would be scanned again with each piece that is added to it.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <expat.h>
#include <math.h>
#include <string.h>

// expat takes sizes as int.
enum { MAX_PIECE = 1 << 30, ELEMENTS_PER_PROGRESS = 1 << 16 };

typedef enum element_kind { ELEMENT_OTHER, ELEMENT_NODE, ELEMENT_WAY } element_kind;

typedef struct xml_reader {
    sc__osm *osm;
    XML_Parser parser;
    uint32_t input;
    sc_err err;  ///< what stopped the parser, if a handler did
    uint64_t depth;
    uint64_t seen;
    uint64_t bytes_before;
    uint64_t bytes_total;

    // The node or way that is open.
    element_kind element;
    int64_t id;
    sc__osm_point point;
    sc__osm_place place;
    sc__osm_tags tags;
    sc__osm_road_tags road;
    int64_t *refs;
    size_t ref_count;
    size_t ref_capacity;

    // Values of its tags: those expat lends end with the callback.
    char *text;
    size_t text_size;
    size_t text_capacity;
} xml_reader;

static sc__osm_place here(const xml_reader *xml)
{
    return (sc__osm_place){.at = XML_GetCurrentLineNumber(xml->parser), .input = xml->input};
}

static void stop(xml_reader *xml, sc_err err)
{
    xml->err = err;
    XML_StopParser(xml->parser, XML_FALSE);
}

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, text ? strlen(text) : 0};
}

// --- Attributes ------------------------------------------------------------

static sc_err fail_missing(const xml_reader *xml, const char *element, const char *attribute)
{
    return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "<%s> has no attribute %s", element,
                        attribute);
}

static sc_err read_id(const xml_reader *xml, const char *element, const char *attribute,
                      const char *text, int64_t *out)
{
    if (!text) return fail_missing(xml, element, attribute);
    if (sc_slice_i64(slice_of(text), out)) return SC_OK;
    return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "%s of <%s> is not an id: %s", attribute,
                        element, sc_quote(text, strlen(text)).text);
}

static sc_err read_coordinate(const xml_reader *xml, const char *attribute, const char *text,
                              int32_t limit, int32_t *out)
{
    if (!text) {
        return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "node %lld has no attribute %s",
                            (long long)xml->id, attribute);
    }
    double degrees = 0;
    if (!sc_slice_double(slice_of(text), &degrees)) {
        return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "%s of node %lld is not a number: %s",
                            attribute, (long long)xml->id, sc_quote(text, strlen(text)).text);
    }
    const double grid = round(degrees * 1e7);
    if (!(fabs(grid) <= limit)) {
        return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "%s of node %lld is out of range: %s",
                            attribute, (long long)xml->id, sc_quote(text, strlen(text)).text);
    }
    *out = (int32_t)grid;
    return SC_OK;
}

// --- Elements --------------------------------------------------------------

static sc_err open_element(xml_reader *xml, element_kind element, const char *name,
                           const char **attributes)
{
    const char *id = NULL;
    const char *lat = NULL;
    const char *lon = NULL;
    for (; attributes[0]; attributes += 2) {
        const char *key = attributes[0];
        const char *value = attributes[1];
        if (strcmp(key, "id") == 0) {
            id = value;
        } else if (strcmp(key, "lat") == 0) {
            lat = value;
        } else if (strcmp(key, "lon") == 0) {
            lon = value;
        } else if ((strcmp(key, "action") == 0 && strcmp(value, "delete") == 0) ||
                   (strcmp(key, "visible") == 0 && strcmp(value, "false") == 0)) {
            return SC_OK;
        }
    }
    xml->element = element;
    xml->place = here(xml);
    xml->tags = (sc__osm_tags){.road = element == ELEMENT_WAY ? &xml->road : NULL};
    xml->road.given = 0;
    xml->ref_count = 0;
    xml->text_size = 0;
    sc_err err = read_id(xml, name, "id", id, &xml->id);
    if (err || element != ELEMENT_NODE) return err;
    err = read_coordinate(xml, "lat", lat, SC__OSM_MAX_Y, &xml->point.y);
    return err ? err : read_coordinate(xml, "lon", lon, SC__OSM_MAX_X, &xml->point.x);
}

static sc_err add_ref(xml_reader *xml, const char **attributes)
{
    const char *ref = NULL;
    for (; attributes[0]; attributes += 2) {
        if (strcmp(attributes[0], "ref") == 0) ref = attributes[1];
    }
    int64_t id = 0;
    const sc_err err = read_id(xml, "nd", "ref", ref, &id);
    if (err) return err;
    if (!sc_grow(&xml->refs, xml->ref_count, &xml->ref_capacity, sizeof *xml->refs)) {
        return sc__osm_fail_memory(xml->osm);
    }
    xml->refs[xml->ref_count++] = id;
    return SC_OK;
}

// Keep `value` for as long as the element is open, ended by NUL. Tags point into
// the buffer, so when it moves they move along.
static bool keep_text(xml_reader *xml, sc_slice *value)
{
    if (xml->text_capacity - xml->text_size < value->size + 1) {
        const size_t capacity = xml->text_capacity * 2 + value->size + 1024;
        char *text = sc_malloc(capacity);
        if (!text) return false;
        sc_slice *const held[] = {&xml->tags.highway, &xml->tags.name, &xml->tags.object};
        for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
            if (held[i]->text) held[i]->text = text + (held[i]->text - xml->text);
        }
        for (unsigned key = 0; key < SC__OSM_ROAD_KEY_COUNT; key++) {
            if (!(xml->road.given & 1u << key)) continue;
            xml->road.values[key].text = text + (xml->road.values[key].text - xml->text);
        }
        if (xml->text_size > 0) memcpy(text, xml->text, xml->text_size);
        sc_free(xml->text);
        xml->text = text;
        xml->text_capacity = capacity;
    }
    char *kept = xml->text + xml->text_size;
    memcpy(kept, value->text, value->size + 1);
    xml->text_size += value->size + 1;
    value->text = kept;
    return true;
}

static sc_err add_tag(xml_reader *xml, const char **attributes)
{
    const char *key = NULL;
    sc_slice value = {0};
    for (; attributes[0]; attributes += 2) {
        if (strcmp(attributes[0], "k") == 0) key = attributes[1];
        if (strcmp(attributes[0], "v") == 0) value = slice_of(attributes[1]);
    }
    if (!key) return fail_missing(xml, "tag", "k");
    if (!value.text) return fail_missing(xml, "tag", "v");

    const unsigned meaning = sc__osm_key(slice_of(key));
    if (meaning == SC__OSM_KEY_OTHER) return SC_OK;
    if (meaning >= SC__OSM_KEY_ROAD && xml->element != ELEMENT_WAY) return SC_OK;
    if (!keep_text(xml, &value)) return sc__osm_fail_memory(xml->osm);
    sc__osm_tags_add(&xml->tags, meaning, value, NULL);
    return SC_OK;
}

static sc_err close_element(xml_reader *xml)
{
    if (xml->element == ELEMENT_WAY) {
        return sc__osm_add_way(xml->osm, xml->place, xml->id, xml->refs, xml->ref_count,
                               &xml->tags);
    }
    const sc_err err = sc__osm_add_object(xml->osm, xml->id, xml->point, &xml->tags);
    if (err) return err;
    const sc__osm_waiting node = {
        .id = xml->id,
        .point = xml->point,
        .line = xml->place.at < UINT32_MAX ? (uint32_t)xml->place.at : UINT32_MAX,
        .input = xml->input,
    };
    return sc__osm_add_waiting(xml->osm, &node);
}

// --- expat's callbacks -----------------------------------------------------

static sc_err check_root(const xml_reader *xml, const char *name)
{
    if (strcmp(name, "osm") == 0) return SC_OK;
    return sc__osm_fail(xml->osm, here(xml), SC_EPARSE,
                        "not OpenStreetMap XML: the outermost element is %s, not 'osm'",
                        sc_quote(name, strlen(name)).text);
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes)
{
    xml_reader *xml = context;
    const uint64_t depth = xml->depth++;
    sc_err err = SC_OK;

    if (depth == 0) {
        err = check_root(xml, name);
    } else if (depth == 1) {
        if (strcmp(name, "node") == 0) {
            err = open_element(xml, ELEMENT_NODE, name, attributes);
        } else if (strcmp(name, "way") == 0) {
            err = open_element(xml, ELEMENT_WAY, name, attributes);
        }
    } else if (depth == 2 && xml->element != ELEMENT_OTHER) {
        if (strcmp(name, "tag") == 0) {
            err = add_tag(xml, attributes);
        } else if (xml->element == ELEMENT_WAY && strcmp(name, "nd") == 0) {
            err = add_ref(xml, attributes);
        }
    }
    if (err) stop(xml, err);

    if (++xml->seen % ELEMENTS_PER_PROGRESS == 0) {
        const XML_Index at = XML_GetCurrentByteIndex(xml->parser);
        sc__load_progress(xml->osm->load, "reading XML", xml->bytes_before + (uint64_t)at,
                          xml->bytes_total);
    }
}

static void XMLCALL on_end(void *context, const char *name)
{
    (void)name;
    xml_reader *xml = context;
    xml->depth--;
    if (xml->err || xml->depth != 1 || xml->element == ELEMENT_OTHER) return;
    const sc_err err = close_element(xml);
    xml->element = ELEMENT_OTHER;
    if (err) stop(xml, err);
}

// OpenStreetMap XML has no document type. Where one is declared it brings entities,
// which can unfold without end or nest until expat's stack is full.
static void XMLCALL on_doctype(void *context, const char *name, const char *system_id,
                               const char *public_id, int has_internal_subset)
{
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    xml_reader *xml = context;
    stop(xml, sc__osm_fail(xml->osm, here(xml), SC_EPARSE,
                           "a document type declaration is not allowed in OpenStreetMap XML: %s",
                           sc_quote(name, strlen(name)).text));
}

// --- The file --------------------------------------------------------------

static sc_err parse(xml_reader *xml)
{
    const sc_input *input = &xml->osm->load->inputs[xml->input];
    const char *at = (const char *)input->data;
    size_t left = input->size;
    while (left > 0) {
        const size_t piece = left < MAX_PIECE ? left : MAX_PIECE;
        left -= piece;
        if (XML_Parse(xml->parser, at, (int)piece, left == 0) != XML_STATUS_OK) {
            if (xml->err) return xml->err;
            const enum XML_Error code = XML_GetErrorCode(xml->parser);
            if (code == XML_ERROR_NO_MEMORY) return sc__osm_fail_memory(xml->osm);
            return sc__osm_fail(xml->osm, here(xml), SC_EPARSE, "not well-formed XML: %s",
                                XML_ErrorString(code));
        }
        at += piece;
    }
    return SC_OK;
}

sc_err sc__osm_xml_read(sc__osm *osm, uint32_t input)
{
    static const XML_Memory_Handling_Suite memory = {sc_malloc, sc_realloc, sc_free};
    xml_reader xml = {
        .osm = osm,
        .input = input,
        .bytes_before = sc__osm_bytes_before(osm->load, input),
        .bytes_total = sc__osm_bytes_before(osm->load, osm->load->input_count),
        .parser = XML_ParserCreate_MM(NULL, &memory, NULL),
    };
    if (!xml.parser) return sc__osm_fail_memory(osm);
    XML_SetUserData(xml.parser, &xml);
    XML_SetElementHandler(xml.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(xml.parser, on_doctype);

    const sc_err err = parse(&xml);
    XML_ParserFree(xml.parser);
    sc_free(xml.refs);
    sc_free(xml.text);
    return err;
}
