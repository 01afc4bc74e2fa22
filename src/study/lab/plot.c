// All plots of an experiment. See plot.h.
#include "lab/plot.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/gnuplot.h"
#include "lab/report_html.h"

#include <errno.h>
#include <string.h>

// --- Drawing -------------------------------------------------------------------------

// Cut what gnuplot wrote into drawings, which come in the order of the script.
static sc_err cut(sc_lab_plots *plots, const sc_lab_table *table, const sc_lab_figures *figures,
                  sc_diag *diag)
{
    static const char end[] = "</svg>";
    const char *rest = plots->text;
    for (size_t i = 0; i < figures->count; i++) {
        if (!sc__figure_has_values(table, &figures->all[i])) continue;
        const char *from = strstr(rest, "<svg");
        const char *to = from ? strstr(from, end) : NULL;
        if (!to) return sc_fail(diag, SC_EIO, "gnuplot drew less than it was told to");
        rest = to + sizeof end - 1;
        plots->by_figure[i] = (sc_lab_drawing){.text = from, .size = (size_t)(rest - from)};
        plots->count++;
    }
    return SC_OK;
}

static sc_err draw(sc_lab_plots *plots, const sc_lab_table *table, const sc_lab_figures *figures,
                   sc_diag *diag)
{
    FILE *script = sc__gnuplot_script();
    if (!script) return sc_fail(diag, SC_EIO, "gnuplot: no script: %s", strerror(errno));
    sc__script_begin(script);
    for (size_t i = 0; i < figures->count; i++) {
        if (sc__figure_has_values(table, &figures->all[i])) {
            sc__script_figure(script, table, &figures->all[i]);
        }
    }
    size_t size = 0;
    sc_err err = sc__gnuplot_run(script, &plots->text, &size, diag);
    fclose(script);
    if (!err) err = cut(plots, table, figures, diag);
    return err;
}

sc_err sc__plots_init(sc_lab_plots *plots, const sc_lab_table *table, const sc_lab_figures *figures,
                      sc_diag *diag)
{
    *plots = (sc_lab_plots){.state = SC_LAB_PLOTS_UNWANTED};
    if (table->options->without_plots) return SC_OK;
    plots->state = SC_LAB_PLOTS_DRAWN;
    const sc_err err = draw(plots, table, figures, diag);
    if (err) sc__plots_fini(plots);
    if (err == SC_EUNKNOWN) {
        plots->state = SC_LAB_PLOTS_NO_GNUPLOT;
        return SC_OK;
    }
    if (err) plots->state = SC_LAB_PLOTS_FAILED;
    return err;
}

void sc__plots_fini(sc_lab_plots *plots)
{
    sc_free(plots->text);
    *plots = (sc_lab_plots){.state = plots->state};
}

// --- Fit for a page ------------------------------------------------------------------

void sc__figure_put_title(FILE *stream, const sc_lab_options *options, const sc_lab_figure *figure)
{
    fprintf(stream, "%s (%s) on ", sc__metric_title(figure->metric),
            sc__metric_unit(figure->metric));
    sc__html_text(stream, options->maps[figure->map].name);
    fprintf(stream, ", over %s (%s)", sc__axis_symbol(figure->axis), sc__axis_unit(figure->axis));
}

// The ends of all series, for those who hear a page.
static void put_description(FILE *stream, const sc_lab_table *table, const sc_lab_figure *figure)
{
    const sc_lab_grid *grid = sc__figure_grid(table->options, figure);
    fprintf(stream, "From %g to %g:", grid->values[0], grid->values[grid->count - 1]);
    const char *before = " ";
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_estimate first = sc__table_estimate(table, figure, 0, method);
        const sc_lab_estimate last = sc__table_estimate(table, figure, grid->count - 1, method);
        if (first.count == 0 || last.count == 0) continue;
        fprintf(stream, "%s%s from %s to %s", before, sc__method_title(method),
                sc__short_number(first.mean).text, sc__short_number(last.mean).text);
        before = "; ";
    }
    fputc('.', stream);
}

// A piece of a drawing, `size` bytes from `text`, that begins with `part`.
static bool begins_with(const char *text, size_t size, const char *part)
{
    const size_t length = strlen(part);
    return size >= length && memcmp(text, part, length) == 0;
}

// Whether the name of something in this drawing comes right after these bytes.
static size_t before_name(const char *text, size_t size)
{
    static const char *const openings[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        if (begins_with(text, size, openings[i])) return strlen(openings[i]);
    }
    return 0;
}

// A tag with its ids made the figure's own: several drawings in a page use the same ones.
static void put_tag(FILE *stream, const char *tag, size_t size, size_t figure)
{
    size_t done = 0;
    while (done < size) {
        const size_t opening = before_name(tag + done, size - done);
        if (opening > 0) {
            fwrite(tag + done, 1, opening, stream);
            fprintf(stream, "f%zu-", figure);
            done += opening;
        } else {
            fputc(tag[done++], stream);
        }
    }
}

// All that is inside the svg element, less the titles that gnuplot gives ("gnuplot_plot_1").
static void put_inside(FILE *stream, const char *text, const char *end, size_t figure)
{
    while (text < end) {
        const size_t left = (size_t)(end - text);
        const char *close = begins_with(text, left, "<title>")  ? "</title>"
                            : begins_with(text, left, "<desc>") ? "</desc>"
                                                                : NULL;
        if (close) {
            const char *after = memmem(text, left, close, strlen(close));
            text = after ? after + strlen(close) : end;
        } else if (*text == '<') {
            const char *after = memchr(text, '>', left);
            const size_t size = after ? (size_t)(after - text) + 1 : left;
            put_tag(stream, text, size, figure);
            text += size;
        } else {
            fputc(*text++, stream);
        }
    }
}

void sc__plot_put(FILE *stream, const sc_lab_plots *plots, const sc_lab_table *table,
                  const sc_lab_figures *figures, size_t i)
{
    const sc_lab_drawing *drawing = &plots->by_figure[i];
    const sc_lab_figure *figure = &figures->all[i];
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"f%zu-title f%zu-desc\">\n<title id=\"f%zu-title\">",
            SC_LAB_PLOT_WIDTH, SC_LAB_PLOT_HEIGHT, i, i, i);
    sc__figure_put_title(stream, table->options, figure);
    fprintf(stream, "</title>\n<desc id=\"f%zu-desc\">", i);
    put_description(stream, table, figure);
    fputs("</desc>\n", stream);
    const char *end = drawing->text + drawing->size;
    const char *inside = memchr(drawing->text, '>', drawing->size);
    if (inside) put_inside(stream, inside + 1, end, i);
    fputc('\n', stream);
}
