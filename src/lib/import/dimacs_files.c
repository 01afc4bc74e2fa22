// Which file of a DIMACS graph is what: lengths, travel times or coordinates, and of which graph.
#include "import/dimacs_files.h"

#include "base/diag.h"

#include <string.h>

// The graph that a .co file belongs to: the only one, or the one of the same
// name beside it, or else the first of that name that lacks one.
static sc_dimacs_graph *find_graph(sc_dimacs_graph *graphs, size_t count, const char *places)
{
    if (count == 1) return &graphs[0];
    for (size_t i = 0; i < count; i++) {
        if (sc__same_stem(graphs[i].arcs->name, places)) return &graphs[i];
    }
    for (size_t i = 0; i < count; i++) {
        const char *arcs = sc_file_base_name(graphs[i].arcs->name);
        if (!graphs[i].places && sc__same_stem(arcs, sc_file_base_name(places))) return &graphs[i];
    }
    return NULL;
}

static bool is_separator(char c)
{
    return c == '-' || c == '_' || c == '.';
}

// Whether `times` is `lengths` with a 't' where that has a 'd', as a word of its own.
static bool is_named_as_times(const char *times, const char *lengths)
{
    const char *t = sc_file_base_name(times);
    const char *d = sc_file_base_name(lengths);
    const size_t size = sc__stem_size(t);
    if (size != sc__stem_size(d)) return false;
    size_t at = 0;
    while (at < size && t[at] == d[at]) {
        at++;
    }
    if (at == 0 || at == size || t[at] != 't' || d[at] != 'd') return false;
    const bool is_word = is_separator(t[at - 1]) && (at + 1 == size || is_separator(t[at + 1]));
    return is_word && memcmp(t + at + 1, d + at + 1, size - at - 1) == 0;
}

// Whether an input has travel times and not lengths: the user says so, or its name does beside
// that of a graph of lengths.
static bool is_times(const sc_load *load, const sc_input *input)
{
    const char *times = load->options->times;
    if (times) return strcmp(input->name, times) == 0;
    if (!sc_file_has_suffix(input->name, ".gr")) return false;
    for (size_t i = 0; i < load->input_count; i++) {
        const char *other = load->inputs[i].name;
        if (sc_file_has_suffix(other, ".gr") && is_named_as_times(input->name, other)) return true;
    }
    return false;
}

static sc_err find_graphs(const sc_load *load, sc_dimacs_graph *graphs, size_t *count)
{
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (is_times(load, input)) continue;
        if (sc_file_has_suffix(input->name, ".gr")) {
            graphs[(*count)++] = (sc_dimacs_graph){.arcs = input};
        } else if (!sc_file_has_suffix(input->name, ".co")) {
            return sc_fail(load->diag, SC_EINVAL,
                           "%s: unknown kind of file; names must end in .gr or .co", input->name);
        }
    }
    if (*count > 0) return SC_OK;
    if (load->options->times) {
        return sc_fail(
            load->diag, SC_EINVAL,
            "%s: a graph of travel times alone has no lengths; add the .gr file that has",
            load->options->times);
    }
    return sc_fail(load->diag, SC_EINVAL,
                   "%s: a coordinate file alone has no roads; add its .gr file",
                   load->input_count > 0 ? load->inputs[0].name : "no input");
}

// The graph of lengths that lacks the times of this name; NULL if none does.
static sc_dimacs_graph *find_lengths(const sc_load *load, sc_dimacs_graph *graphs, size_t count,
                                     const char *times)
{
    for (size_t i = 0; i < count; i++) {
        if (graphs[i].times) continue;
        if (load->options->times || is_named_as_times(times, graphs[i].arcs->name)) {
            return &graphs[i];
        }
    }
    return NULL;
}

static sc_err pair_times(const sc_load *load, sc_dimacs_graph *graphs, size_t count)
{
    if (load->options->times && count > 1) {
        return sc_fail(load->diag, SC_EINVAL,
                       "%s: travel times of one graph, but %zu graphs are given; name them as "
                       "USA-road-d.NY.gr and USA-road-t.NY.gr are, and give all as inputs",
                       load->options->times, count);
    }
    size_t timed = 0;
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (!is_times(load, input)) continue;
        sc_dimacs_graph *g = find_lengths(load, graphs, count, input->name);
        if (!g) {
            return sc_fail(load->diag, SC_EINVAL,
                           "%s: a second graph of travel times for the same "
                           "lengths",
                           input->name);
        }
        g->times = input;
        timed++;
    }
    for (size_t i = 0; timed > 0 && i < count; i++) {
        if (graphs[i].times) continue;
        return sc_fail(load->diag, SC_EINVAL,
                       "%s: no travel times are given for it, but for another graph; give all or "
                       "none",
                       graphs[i].arcs->name);
    }
    return SC_OK;
}

sc_err sc__dimacs_pair_files(const sc_load *load, sc_dimacs_graph *graphs, size_t *count)
{
    sc_err err = find_graphs(load, graphs, count);
    if (!err) err = pair_times(load, graphs, *count);
    if (err) return err;
    size_t placed = 0;
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (!sc_file_has_suffix(input->name, ".co") || is_times(load, input)) continue;
        sc_dimacs_graph *g = find_graph(graphs, *count, input->name);
        if (!g) {
            return sc_fail(load->diag, SC_EINVAL, "%s: no .gr file of the same name is given",
                           input->name);
        }
        if (g->places) {
            return sc_fail(load->diag, SC_EINVAL, "%s: a second .co file for %s, after %s",
                           input->name, g->arcs->name, g->places->name);
        }
        g->places = input;
        placed++;
    }
    for (size_t i = 0; placed > 0 && i < *count; i++) {
        if (graphs[i].places) continue;
        return sc_fail(load->diag, SC_EINVAL,
                       "%s: another graph has a .co file, but this one has none; give .co files "
                       "for all graphs or for none",
                       graphs[i].arcs->name);
    }
    return SC_OK;
}
