// What an earlier run left, and tells of other points than this one.
//
// A file is removed if it is an ordinary one and is named as a figure that this run has not
// written (MAP-METRIC-AXIS.csv), as a plot of any figure (.svg), or report.html. Plots and report
// are made from the files of this run afterwards. Nothing else is touched.
#include "base/diag.h"
#include "lab/lab_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** What the name of a file says. */
typedef struct named_figure {
    char map[SC_LAB_NAME_MAX + 1];
    sc_lab_metric metric;
    sc_lab_axis axis;
    bool is_plot;
} named_figure;

// Whether the name is that of a map and then `ending`; if so, the map is copied to `out`.
static bool ends_in(const char *file, const char *ending, named_figure *out)
{
    const size_t size = strlen(file);
    const size_t tail = strlen(ending);
    if (size <= tail || size - tail > SC_LAB_NAME_MAX) return false;
    if (strcmp(file + size - tail, ending) != 0) return false;
    memcpy(out->map, file, size - tail);
    out->map[size - tail] = '\0';
    return sc_lab_is_name(out->map);
}

static bool read_name(const char *file, named_figure *out)
{
    for (out->metric = 0; out->metric < SC_LAB_METRIC_COUNT; out->metric++) {
        for (out->axis = 0; out->axis < SC_LAB_AXIS_COUNT; out->axis++) {
            for (int i = 0; i < 2; i++) {
                char ending[64];
                out->is_plot = i == 1;
                snprintf(ending, sizeof ending, "-%s-%s.%s", sc_lab_metric_name(out->metric),
                         sc_lab_axis_name(out->axis), out->is_plot ? "svg" : "csv");
                if (ends_in(file, ending, out)) return true;
            }
        }
    }
    return false;
}

static bool is_written(const sc_lab_findings *findings, const named_figure *named)
{
    const sc_lab_options *options = findings->results->options;
    for (size_t i = 0; i < findings->figures->count; i++) {
        const sc_lab_figure *figure = &findings->figures->all[i];
        if (figure->metric == named->metric && figure->axis == named->axis &&
            strcmp(options->maps[figure->map].name, named->map) == 0) {
            return !named->is_plot;
        }
    }
    return false;
}

static bool is_stale(const sc_lab_findings *findings, int directory, const char *file)
{
    named_figure named;
    struct stat status;
    const bool is_old = strcmp(file, "report.html") == 0 ||
                        (read_name(file, &named) && !is_written(findings, &named));
    return is_old && fstatat(directory, file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode);
}

sc_err sc__output_remove_stale(const sc_lab_findings *findings, sc_diag *diag)
{
    const char *path = findings->results->options->directory;
    DIR *directory = opendir(path);
    if (!directory)
        return sc_fail(diag, SC_EIO, "%s: cannot look into it: %s", path, strerror(errno));
    sc_err err = SC_OK;
    const struct dirent *entry;
    while (!err && (entry = readdir(directory))) {
        if (is_stale(findings, dirfd(directory), entry->d_name) &&
            unlinkat(dirfd(directory), entry->d_name, 0) != 0) {
            err =
                sc_fail(diag, SC_EIO, "%s/%s: an earlier run left it, and it cannot be removed: %s",
                        path, entry->d_name, strerror(errno));
        }
    }
    closedir(directory);
    return err;
}
