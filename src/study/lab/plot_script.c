// What gnuplot is told: a script with all numbers in it.
//
// Ranges and tics are set here rather than left to gnuplot, which gives up on a figure whose
// numbers are all the same. Axes begin at 0, but for logarithmic ones, and for shares of a whole
// (success, entropy) that are all high: those would lie on top of each other. Where an axis begins
// elsewhere, the caption says so.
#include "base/utf8.h"
#include "lab/plot.h"

#include <math.h>
#include <string.h>

/** How a method looks in all plots. */
typedef struct look {
    const char *colour;
    int mark;  ///< gnuplot's point type
    int dash;
} look;

// Colours of Okabe and Ito, which people with any kind of colour vision can tell apart; marks
// differ too. StarCloak's variants are filled and drawn through, the others hollow and dashed.
static const look looks[SC_LAB_METHOD_COUNT] = {
    [SC_LAB_BASIC] = {"#0072B2", 7, 1},     [SC_LAB_HYBRID] = {"#009E73", 9, 1},
    [SC_LAB_BOUNDED] = {"#D55E00", 5, 1},   [SC_LAB_STRICT] = {"#E69F00", 11, 1},
    [SC_LAB_XSTAR] = {"#CC79A7", 12, 2},    [SC_LAB_SAMPLING] = {"#56B4E9", 6, 4},
    [SC_LAB_EXPANSION] = {"#555555", 4, 3},
};

const char *sc__method_colour(sc_lab_method method)
{
    return looks[method].colour;
}

void sc__script_begin(FILE *script)
{
    fprintf(script,
            "set encoding utf8\n"
            "set terminal svg size %d,%d dynamic enhanced font 'sans-serif,14' "
            "background '#ffffff' linewidth 1.2\n"
            "set border 3 linecolor rgb '#444444' linewidth 0.9\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
            "set grid ytics linetype 1 linecolor rgb '#e2e2e2' linewidth 0.8\n"
            "set key outside right top vertical Left reverse noenhanced samplen 2.6 width -3 "
            "spacing 1.35 textcolor rgb '#222222'\n"
            "set tmargin 2.5\n"
            "set title offset 0,-0.4\n"
            "set errorbars 0.6\n"
            "set pointsize 0.8\n",
            SC_LAB_PLOT_WIDTH, SC_LAB_PLOT_HEIGHT);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const look *as = &looks[method];
        fprintf(script,
                "set style line %d linecolor rgb '%s' linewidth 1.8 pointtype %d dashtype %d\n",
                (int)method + 1, as->colour, as->mark, as->dash);
    }
}

// The inside of a string in single quotes, where only the quote itself is special.
static void put_text(FILE *script, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t size = sc_utf8_size(text, left);
        if (size == 0) {
            fputs("\xEF\xBF\xBD", script);
        } else if (*text == '\'') {
            fputs("''", script);
        } else if ((unsigned char)*text < ' ') {
            fputc(' ', script);
        } else {
            fwrite(text, 1, size, script);
        }
        text += size ? size : 1;
        left -= size ? size : 1;
    }
}

/** The least and largest number to be shown. */
typedef struct range {
    double low;
    double high;
} range;

static bool is_shown(const sc_lab_figure *figure, const sc_lab_estimate *estimate)
{
    return estimate->count > 0 && (!sc__metric_is_log(figure->metric) || estimate->mean > 0);
}

static range range_of(const sc_lab_table *table, const sc_lab_figure *figure)
{
    const bool is_log = sc__metric_is_log(figure->metric);
    range found = {.low = HUGE_VAL, .high = -HUGE_VAL};
    for (size_t i = 0; i < sc__figure_grid(table->options, figure)->count; i++) {
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            const sc_lab_estimate at = sc__table_estimate(table, figure, i, method);
            if (!is_shown(figure, &at)) continue;
            const sc_lab_interval ends =
                sc__possible_interval(&at, sc__metric_most(figure->metric));
            // An interval that reaches 0 has no place on a logarithmic axis.
            found.low = fmin(found.low, is_log && ends.low <= 0 ? at.mean : ends.low);
            found.high = fmax(found.high, ends.high);
        }
    }
    return found;
}

// Shares of a whole that are all above a half fill the axis, from one round number to another;
// others are seen against the whole. Never less than a twentieth of it, so that chance does not
// look like a mountain.
static range share_axis(range shown, double whole)
{
    if (shown.low <= whole / 2) return (range){.low = 0, .high = whole};
    // In twentieths.
    const double step = shown.high - shown.low > whole / 5 ? 2 : 1;
    const double high = fmin(20, ceil(20 * shown.high / whole / step) * step);
    const double low = fmin(floor(20 * shown.low / whole / step) * step, high - step);
    return (range){.low = whole * low / 20, .high = whole * high / 20};
}

static bool is_share(sc_lab_metric metric)
{
    return isfinite(sc__metric_most(metric));
}

double sc__figure_axis_start(const sc_lab_table *table, const sc_lab_figure *figure)
{
    if (!is_share(figure->metric)) return 0;
    return share_axis(range_of(table, figure), sc__metric_most(figure->metric)).low;
}

static void put_y_axis(FILE *script, const sc_lab_figure *figure, range shown)
{
    if (sc__metric_is_log(figure->metric)) {
        const double low = shown.low > 0 && shown.low < HUGE_VAL ? floor(log10(shown.low)) : 0;
        const double high = shown.high > 0 ? ceil(log10(shown.high)) : 1;
        fprintf(script, "set logscale y\nset format y '%%.0s %%c'\nset yrange [1e%d:1e%d]\n",
                (int)low, (int)fmax(high, low + 1));
        return;
    }
    fputs("unset logscale y\nset format y '%g'\n", script);
    if (is_share(figure->metric)) {
        const range axis = share_axis(shown, sc__metric_most(figure->metric));
        // A little more, so that marks at the upper end are seen whole.
        fprintf(script, "set yrange [%.10g:%.10g]\n", axis.low,
                axis.high + (axis.high - axis.low) * 0.01);
    } else {
        fprintf(script, "set yrange [0:%.10g]\n", shown.high > 0 ? shown.high * 1.05 : 1);
    }
}

static void put_x_axis(FILE *script, const sc_lab_grid *grid)
{
    const double first = grid->values[0];
    const double last = grid->values[grid->count - 1];
    const double room = last > first ? (last - first) * 0.04 : 1;
    fprintf(script, "set xrange [%.10g:%.10g]\nset xtics (", first - room, last + room);
    // More than a dozen labels would run into each other.
    const size_t step = 1 + (grid->count - 1) / 12;
    for (size_t i = 0; i < grid->count; i += step) {
        fprintf(script, "%s'%g' %.10g", i > 0 ? "," : "", grid->values[i], grid->values[i]);
    }
    fputs(")\n", script);
}

// "σs" is shown with the s below: enhanced text, which is for these labels alone.
static void put_x_label(FILE *script, sc_lab_axis axis)
{
    const char *symbol = sc__axis_symbol(axis);
    const size_t first = sc_utf8_size(symbol, strlen(symbol));
    const bool is_greek = first > 1;
    fprintf(script, "set xlabel '%.*s%s%s\u00a0(%s)' %s\n", (int)first, symbol, is_greek ? "_" : "",
            symbol + first, sc__axis_unit(axis), is_greek ? "enhanced" : "noenhanced");
}

// The numbers of a method; false if there are none. Without an interval, its ends are the mean.
static bool put_series(FILE *script, const sc_lab_table *table, const sc_lab_figure *figure,
                       sc_lab_method method, range shown)
{
    const sc_lab_grid *grid = sc__figure_grid(table->options, figure);
    const bool is_log = sc__metric_is_log(figure->metric);
    bool has_any = false;
    fprintf(script, "$m%d << END\n", (int)method);
    for (size_t i = 0; i < grid->count; i++) {
        const sc_lab_estimate at = sc__table_estimate(table, figure, i, method);
        if (!is_shown(figure, &at)) {
            fprintf(script, "%.10g NaN NaN NaN\n", grid->values[i]);
            continue;
        }
        const sc_lab_interval ends = sc__possible_interval(&at, sc__metric_most(figure->metric));
        fprintf(script, "%.10g %.10g %.10g %.10g\n", grid->values[i], at.mean,
                is_log && ends.low <= 0 ? shown.low : ends.low, ends.high);
        has_any = true;
    }
    fputs("END\n", script);
    return has_any;
}

void sc__script_figure(FILE *script, const sc_lab_table *table, const sc_lab_figure *figure)
{
    const range shown = range_of(table, figure);
    fputs("set title '", script);
    put_text(script, table->options->maps[figure->map].name);
    fprintf(script, "' noenhanced\nset ylabel '%s (%s)' noenhanced font ',12.5'\n",
            sc__metric_title(figure->metric), sc__metric_unit(figure->metric));
    put_x_label(script, figure->axis);
    put_x_axis(script, sc__figure_grid(table->options, figure));
    put_y_axis(script, figure, shown);

    bool has_series[SC_LAB_METHOD_COUNT];
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        has_series[method] = put_series(script, table, figure, method, shown);
    }
    // Intervals first and undashed, so that lines and marks lie on top of them.
    const char *before = "plot";
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!has_series[method] || table->options->seed_count < 2) continue;
        fprintf(script,
                "%s $m%d using 1:2:3:4 with yerrorbars linestyle %d dashtype 1 linewidth 1.2 "
                "pointtype -1 notitle",
                before, (int)method, (int)method + 1);
        before = ",";
    }
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!has_series[method]) continue;
        fprintf(script, "%s $m%d using 1:2 with linespoints linestyle %d title '%s'", before,
                (int)method, (int)method + 1, sc__method_title(method));
        before = ",";
    }
    // All on one place of a logarithmic axis may be below it; an empty plot is a plot too.
    fputs(strcmp(before, "plot") == 0 ? "plot NaN notitle\n" : "\n", script);
}
