// SUMO's floating-car data: XML with a <timestep> per moment and a <vehicle> or <person> in it for
// everybody on the road.
//
//     <fcd-export>
//         <timestep time="0.00">
//             <vehicle id="veh0" x="8.4" y="49.0" speed="13.9" .../>
//
// x and y are longitude and latitude where SUMO was told to write those (--fcd-output.geo). Other
// elements (<container>, ...) and attributes are passed over, whatever is in them.
//
// expat copies what it is given, so a file goes there piece by piece. An element longer than a
// piece is scanned again with each that is added to it; one that goes on and on is refused, at the
// end of the piece in which it has become longer than two of them.
//
//
#include "traces/trace_readers.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <expat.h>
#include <string.h>

// SUMO nests three elements, of a few hundred bytes; each that is open takes memory.
enum { PIECE = 1 << 20, MAX_ELEMENT = 2 * PIECE, MAX_DEPTH = 64 };

typedef struct xml_reader {
    const sc__trace_file *file;
    XML_Parser parser;
    sc_err err;  ///< what stopped the parser, if we did
    unsigned depth;
    bool is_in_step;  ///< the element at depth 1 is a <timestep>
    double t_s;       ///< its time
} xml_reader;

static void stop(xml_reader *xml, sc_err err)
{
    xml->err = err;
    XML_StopParser(xml->parser, XML_FALSE);
}

// --- What is wrong -----------------------------------------------------------------------------

static sc_err fail(const xml_reader *xml, const char *what)
{
    return sc_fail(xml->file->diag, SC_EPARSE, "%s:%llu: %s", xml->file->input->name,
                   (unsigned long long)XML_GetCurrentLineNumber(xml->parser), what);
}

static sc_err fail_attribute(const xml_reader *xml, const char *element, const char *attribute,
                             const char *what)
{
    return sc_fail(
        xml->file->diag, SC_EPARSE, "%s:%llu: attribute '%s' of <%s> %s", xml->file->input->name,
        (unsigned long long)XML_GetCurrentLineNumber(xml->parser), attribute, element, what);
}

// --- Elements ----------------------------------------------------------------------------------

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, strlen(text)};
}

static const char *find(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    }
    return NULL;
}

static sc_err read_number(const xml_reader *xml, const char *element, const char **attributes,
                          const char *name, double *out)
{
    const char *text = find(attributes, name);
    if (!text) return fail_attribute(xml, element, name, "is missing");
    return sc_slice_double(slice_of(text), out)
               ? SC_OK
               : fail_attribute(xml, element, name, "is not a number");
}

// Tools that rewrite SUMO's output may call degrees by their names.
static sc_err read_position(const xml_reader *xml, const char *element, const char **attributes,
                            sc_fix *fix)
{
    const bool is_named = !find(attributes, "x") && find(attributes, "lon");
    const sc_err err = read_number(xml, element, attributes, is_named ? "lon" : "x", &fix->x);
    return err ? err : read_number(xml, element, attributes, is_named ? "lat" : "y", &fix->y);
}

static sc_err add_fix(const xml_reader *xml, sc__trace_kind kind, const char *element,
                      const char **attributes)
{
    const char *id = find(attributes, "id");
    const char *problem = id ? sc__trace_id_problem(slice_of(id)) : "is missing";
    if (problem) return fail_attribute(xml, element, "id", problem);

    sc_fix fix = {.t_s = xml->t_s};
    uint32_t traveller = 0;
    sc__tracks *tracks = xml->file->tracks;
    sc_err err = read_position(xml, element, attributes, &fix);
    if (!err) err = sc__tracks_traveller(tracks, kind, slice_of(id), &traveller);
    return err ? err : sc__tracks_add(tracks, traveller, fix);
}

static sc_err read_element(xml_reader *xml, unsigned depth, const char *name,
                           const char **attributes)
{
    if (depth == MAX_DEPTH) return fail(xml, "elements are nested more than 64 deep");
    if (depth == 0 && strcmp(name, "fcd-export") != 0) {
        return fail(xml, "not floating-car data: the outermost element is not <fcd-export>");
    }
    if (depth == 1) {
        xml->is_in_step = strcmp(name, "timestep") == 0;
        return xml->is_in_step ? read_number(xml, name, attributes, "time", &xml->t_s) : SC_OK;
    }
    if (depth == 2 && xml->is_in_step) {
        if (strcmp(name, "vehicle") == 0) return add_fix(xml, SC__TRACE_VEHICLE, name, attributes);
        if (strcmp(name, "person") == 0) return add_fix(xml, SC__TRACE_PERSON, name, attributes);
    }
    return SC_OK;
}

// --- expat's callbacks -------------------------------------------------------------------------

static void XMLCALL on_start(void *context, const char *name, const char **attributes)
{
    xml_reader *xml = context;
    if (xml->err) return;
    const sc_err err = read_element(xml, xml->depth++, name, attributes);
    if (err) stop(xml, err);
}

static void XMLCALL on_end(void *context, const char *name)
{
    (void)name;
    xml_reader *xml = context;
    xml->depth--;
}

// SUMO declares no document type. One brings entities, which can unfold without end.
static void XMLCALL on_doctype(void *context, const char *name, const char *system_id,
                               const char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    xml_reader *xml = context;
    stop(xml, fail(xml, "a document type declaration is not allowed in floating-car data"));
}

// --- The file ----------------------------------------------------------------------------------

static sc_err fail_expat(const xml_reader *xml)
{
    if (xml->err) return xml->err;
    const enum XML_Error code = XML_GetErrorCode(xml->parser);
    if (code == XML_ERROR_NO_MEMORY) return sc_fail_memory(xml->file->diag, "reading traces");
    return sc_fail(
        xml->file->diag, SC_EPARSE, "%s:%llu: not well-formed XML: %s", xml->file->input->name,
        (unsigned long long)XML_GetCurrentLineNumber(xml->parser), XML_ErrorString(code));
}

static void report_progress(const xml_reader *xml, size_t given)
{
    const sc_progress *progress = xml->file->progress;
    if (!progress || !progress->report) return;
    progress->report(progress->context, SC__TRACE_PHASE, given, xml->file->input->size);
}

static sc_err parse(const xml_reader *xml)
{
    const sc_input *input = xml->file->input;
    size_t given = 0;
    do {
        const size_t left = input->size - given;
        const size_t piece = left < PIECE ? left : PIECE;
        const char *at = (const char *)input->data + given;
        if (XML_Parse(xml->parser, at, (int)piece, piece == left) != XML_STATUS_OK) {
            return fail_expat(xml);
        }
        given += piece;
        if (given - (size_t)XML_GetCurrentByteIndex(xml->parser) > MAX_ELEMENT) {
            return fail(xml, "an element is longer than two megabytes");
        }
        report_progress(xml, given);
    } while (given < input->size);
    return SC_OK;
}

sc_err sc__fcd_read(const sc__trace_file *file)
{
    static const XML_Memory_Handling_Suite memory = {sc_malloc, sc_realloc, sc_free};
    xml_reader xml = {.file = file, .parser = XML_ParserCreate_MM(NULL, &memory, NULL)};
    if (!xml.parser) return sc_fail_memory(file->diag, "reading traces");
    XML_SetUserData(xml.parser, &xml);
    XML_SetElementHandler(xml.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(xml.parser, on_doctype);

    const sc_err err = parse(&xml);
    XML_ParserFree(xml.parser);
    return err;
}
