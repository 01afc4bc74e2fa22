// The directory of an experiment, and the files of its points.
#include "lab/store.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/json_write.h"
#include "lab/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

// === Files of points ============================================================================

// --- Names -------------------------------------------------------------------

/** A number in as few digits as tell it from all others: 5, 3.1. */
static void put_number(char room[32], double value)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(room, 32, "%.*g", digits, value);
        if (strtod(room, NULL) == value) return;
    }
}

const char *sc__point_name(const sc_lab_options *options, const sc_lab_point *point,
                           char out[SC__POINT_NAME])
{
    char number[SC_LAB_AXIS_COUNT][32];
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        put_number(number[axis], point->mean[axis]);
    }
    const bool is_injected = point->mean[SC_LAB_AXIS_INJECTED] != 0;
    snprintf(out, SC__POINT_NAME, "%s-k%s-l%s-s%s-t%s-n%s%s%s-seed%" PRIu64,
             options->maps[point->map].name, number[SC_LAB_AXIS_K], number[SC_LAB_AXIS_L],
             number[SC_LAB_AXIS_SIGMA_S], number[SC_LAB_AXIS_SIGMA_T], number[SC_LAB_AXIS_NEAREST],
             is_injected ? "-i" : "", is_injected ? number[SC_LAB_AXIS_INJECTED] : "", point->seed);
    return out;
}

/** Take `marker` and the number after it, in `digits`, off the end of a name. */
static bool take_off(const char *name, size_t *size, const char *marker, const char *digits)
{
    const size_t marked = strlen(marker);
    size_t end = *size;
    while (end > 0 && strchr(digits, name[end - 1])) {
        end--;
    }
    if (end == *size || end < marked || memcmp(name + end - marked, marker, marked) != 0) {
        return false;
    }
    *size = end - marked;
    return true;
}

bool sc__is_point_name(const char *name, size_t size)
{
    // From the back, since the name of a map may look like what comes after it.
    static const char *const markers[] = {"-n", "-t", "-s", "-l", "-k"};
    static const char digits[] = "0123456789.e+-";
    char map[SC_LAB_NAME_MAX + 1] = "";
    if (!take_off(name, &size, "-seed", "0123456789")) return false;
    // Most points have none.
    take_off(name, &size, "-i", digits);
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        if (!take_off(name, &size, markers[i], digits)) return false;
    }
    if (size > SC_LAB_NAME_MAX) return false;
    memcpy(map, name, size);
    return sc_lab_is_name(map);
}

// --- Numbers -----------------------------------------------------------------

/** What a measure has, in its order: whole numbers and reals, and lists of either. */
#define MEASURE_MAP(WHOLE, REAL) \
    WHOLE(queries)               \
    WHOLE(cloaked)               \
    WHOLE(cloaks)                \
    REAL(wait_s)                 \
    REAL(users)                  \
    REAL(segments)               \
    REAL(border_nodes)           \
    REAL(cpu_us)                 \
    WHOLE(evaluated_cloaks)      \
    WHOLE(evaluated_queries)     \
    REAL(candidates)             \
    REAL(distinct)               \
    REAL(bytes_in)               \
    REAL(provider_cpu_us)        \
    WHOLE(attacked_cloaks)       \
    REAL(entropy)                \
    REAL(entropy_error)          \
    REAL(entropy_bias)           \
    REAL(attacked_segments)      \
    REAL(attacked_effective)     \
    REAL(recognised)             \
    REAL(probability)            \
    REAL(rank)                   \
    WHOLE(enumerated)            \
    WHOLE(unexplained)           \
    WHOLE(replays)               \
    WHOLE(followed)              \
    REAL(effective)              \
    REAL(located)

typedef struct field {
    const char *name;
    size_t offset;
    size_t size;    ///< of one number, or of a list
    bool is_whole;  ///< uint64_t; else double
} field;

#define SIZE(name) sizeof(((sc_lab_measure *)0)->name)
#define WHOLE(name) {#name, offsetof(sc_lab_measure, name), SIZE(name), true},
#define REAL(name) {#name, offsetof(sc_lab_measure, name), SIZE(name), false},
static const field fields[] = {MEASURE_MAP(WHOLE, REAL)};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

/** Bytes of a number of either kind. */
enum { NUMBER = sizeof(uint64_t) };
_Static_assert(sizeof(double) == NUMBER, "numbers of both kinds are as large");

// A number that is not in the list would be lost, and the checksum would not tell.
#define ROOM(name) char name[SIZE(name)];
typedef struct all_fields {
    MEASURE_MAP(ROOM, ROOM)
} all_fields;
_Static_assert(sizeof(all_fields) == sizeof(sc_lab_measure), "a field is missing");

static uint64_t checksum_of(const char *name, const sc_lab_result *result)
{
    uint64_t sum = XXH3_64bits(name, strlen(name));
    const uint32_t all[] = {result->travellers, result->is_attacked, result->least_asked};
    sum = XXH3_64bits_withSeed(all, sizeof all, sum);
    return XXH3_64bits_withSeed(result->by_method, sizeof result->by_method, sum);
}

// --- Writing -----------------------------------------------------------------

static void write_number(FILE *stream, const field *f, const void *place)
{
    if (f->is_whole) {
        fprintf(stream, "%" PRIu64, *(const uint64_t *)place);
    } else {
        fprintf(stream, "%.17g", *(const double *)place);
    }
}

static void write_field(FILE *stream, const field *f, const char *place)
{
    if (f->size == NUMBER) {
        write_number(stream, f, place);
        return;
    }
    for (size_t i = 0; i < f->size; i += NUMBER) {
        fputs(i == 0 ? "[" : ", ", stream);
        write_number(stream, f, place + i);
    }
    fputc(']', stream);
}

static void write_measure(FILE *stream, const sc_lab_measure *measure)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        fprintf(stream, "%s\n      \"%s\": ", i == 0 ? "" : ",", fields[i].name);
        write_field(stream, &fields[i], (const char *)measure + fields[i].offset);
    }
}

static void write_result(FILE *stream, const sc_lab_options *options, const sc_lab_result *result)
{
    char name[SC__POINT_NAME];
    const char *comma = "";
    fprintf(stream, "{\n  \"point\": ");
    sc_json_string(stream, sc__point_name(options, &result->point, name));
    fprintf(stream, ",\n  \"travellers\": %" PRIu32 ",\n  \"attacked\": %s", result->travellers,
            result->is_attacked ? "true" : "false");
    fprintf(stream, ",\n  \"least asked\": %" PRIu32 ",\n  \"methods\": {", result->least_asked);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        fprintf(stream, "%s\n    \"%s\": {", comma, sc_lab_method_name(method));
        write_measure(stream, &result->by_method[method]);
        fprintf(stream, "\n    }");
        comma = ",";
    }
    fprintf(stream, "\n  },\n  \"checksum\": \"%016" PRIx64 "\"\n}\n", checksum_of(name, result));
}

/** The file appears whole or not at all. @return SC_OK, SC_EIO, SC_ENOMEM */
static sc_err write_point(const char *path, const sc_lab_options *options,
                          const sc_lab_result *result, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    write_result(file.stream, options, result);
    return sc_outfile_commit(&file, diag);
}

// --- Reading -----------------------------------------------------------------

static bool read_number(const sc_json_value *number, const field *f, void *place)
{
    if (f->is_whole ? !sc_json_is_integer(number) : !sc_json_is_number(number)) return false;
    if (f->is_whole) {
        *(uint64_t *)place = (uint64_t)sc_json_integer(number);
    } else {
        *(double *)place = sc_json_number_at(number);
    }
    return true;
}

static bool read_field(const sc_json_value *value, const field *f, char *place)
{
    if (f->size == NUMBER) return read_number(value, f, place);
    if (sc_json_size(value) != f->size / NUMBER) return false;
    for (size_t i = 0; i < f->size; i += NUMBER) {
        if (!read_number(sc_json_at(value, i / NUMBER), f, place + i)) return false;
    }
    return true;
}

static bool read_measure(const sc_json_value *object, sc_lab_measure *measure)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const sc_json_value *value = sc_json_member(object, fields[i].name);
        if (!read_field(value, &fields[i], (char *)measure + fields[i].offset)) return false;
    }
    return true;
}

/** A whole number of 32 bits. */
static bool read_count(const sc_json_value *number, uint32_t *out)
{
    const int64_t count = sc_json_integer(number);
    if (!sc_json_is_integer(number) || count < 0 || count > UINT32_MAX) return false;
    *out = (uint32_t)count;
    return true;
}

static bool is_text(const sc_json_value *value, const char *text)
{
    return sc_json_is_string(value) && strcmp(sc_json_text_at(value), text) == 0;
}

static bool read_result(const sc_json_value *root, const sc_lab_options *options,
                        sc_lab_result *out)
{
    char name[SC__POINT_NAME];
    if (!is_text(sc_json_member(root, "point"), sc__point_name(options, &out->point, name))) {
        return false;
    }
    const sc_json_value *attacked = sc_json_member(root, "attacked");
    if (!sc_json_is_flag(attacked) ||
        !read_count(sc_json_member(root, "travellers"), &out->travellers) ||
        !read_count(sc_json_member(root, "least asked"), &out->least_asked)) {
        return false;
    }
    out->is_attacked = sc_json_is_true(attacked);
    const sc_json_value *methods = sc_json_member(root, "methods");
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_json_value *object = sc_json_member(methods, sc_lab_method_name(method));
        if (sc__has_method(options, method) && !read_measure(object, &out->by_method[method])) {
            return false;
        }
    }
    char checksum[17];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, checksum_of(name, out));
    return is_text(sc_json_member(root, "checksum"), checksum);
}

/** Whether it tells all that the figures want now: they may have been fewer when it was made. */
static bool tells_all(const sc_lab_options *options, const sc_lab_result *result)
{
    const uint32_t least_asked = sc_lab_least_asked(options, &result->point);
    return (result->is_attacked || !sc_lab_is_attacked(options, &result->point)) &&
           (result->least_asked == least_asked || least_asked == 0);
}

/** As sc__store_load(). */
static sc_err read_point(const char *path, const sc_lab_options *options, const sc_lab_point *point,
                         sc_lab_result *out, bool *is_there, sc_diag *diag)
{
    sc_json_tree document = {0};
    bool has_file = false;
    *is_there = false;
    const sc_err err = sc__json_read(path, &document, &has_file, diag);
    if (err || !has_file) return err;
    sc_lab_result result = {.point = *point};
    *is_there = read_result(document.root, options, &result) && tells_all(options, &result);
    sc_json_tree_fini(&document);
    if (*is_there) *out = result;
    return SC_OK;
}

// === The directory ==============================================================================

/** "DIR/a" or "DIR/a/b.json". */
static sc_err path_of(const sc__store *store, const char *a, const char *b, char out[PATH_MAX],
                      sc_diag *diag)
{
    const char *directory = store->options->directory;
    const int size = snprintf(out, PATH_MAX, "%s/%s%s%s%s", directory, a, b ? "/" : "", b ? b : "",
                              b ? ".json" : "");
    if (size >= 0 && size < PATH_MAX) return SC_OK;
    return sc_fail(diag, SC_EIO, "%.200s...: the name of the directory is too long", directory);
}

static sc_err fail_errno(const char *name, const char *what, sc_diag *diag)
{
    const int why = errno;
    const char *hint = why == ENOSPC || why == EDQUOT ? "; free some space"
                       : why == ENOENT                ? "; create its parent directory first"
                       : why == EACCES || why == EROFS
                           ? "; choose a place where you have permission to write"
                           : "";
    return sc_fail(diag, SC_EIO, "%s: cannot %s: %s%s", name, what, strerror(why), hint);
}

// --- Opening -------------------------------------------------------------------

static sc_err make_directory(const char *name, sc_diag *diag)
{
    struct stat status;
    if (mkdir(name, 0777) == 0) return SC_OK;
    if (errno != EEXIST) return fail_errno(name, "create the directory", diag);
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) return SC_OK;
    return sc_fail(diag, SC_EIO, "%s: this is not a directory; name another", name);
}

static sc_err take_lock(sc__store *store, sc_diag *diag)
{
    char name[PATH_MAX];
    const sc_err err = path_of(store, ".lock", NULL, name, diag);
    if (err) return err;
    store->lock = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (store->lock < 0) return fail_errno(name, "write", diag);
    // Processes that are forked hold it too: should the first be killed, no other run begins
    // before they are gone.
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0) return SC_OK;
    const int why = errno;
    close(store->lock);
    store->lock = -1;
    if (why == EWOULDBLOCK) {
        return sc_fail(
            diag, SC_EBUSY,
            "%s: another run is using this directory; wait for it, or name another directory",
            store->options->directory);
    }
    errno = why;
    return fail_errno(name, "lock", diag);
}

// --- Files of ours -------------------------------------------------------------

static bool is_any(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/** Its name does not show, and ends in 16 digits, as base/file.h has it. */
static bool is_half_written(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] == '.' && dot != name && strlen(dot + 1) == 16 &&
           strspn(dot + 1, "0123456789abcdef") == 16;
}

static bool is_point(const char *name)
{
    const size_t size = strlen(name);
    return size > 5 && strcmp(name + size - 5, ".json") == 0 && sc__is_point_name(name, size - 5);
}

/** How many files in points/ are `wanted`; remove them if told so. */
static size_t count_files(const sc__store *store, bool (*wanted)(const char *), bool to_remove)
{
    char name[PATH_MAX];
    if (path_of(store, "points", NULL, name, NULL)) return 0;
    DIR *directory = opendir(name);
    if (!directory) return 0;
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!wanted(entry->d_name)) continue;
        const bool is_gone = to_remove && unlinkat(dirfd(directory), entry->d_name, 0) == 0;
        count += !is_gone;
    }
    closedir(directory);
    return count;
}

void sc__store_sweep(const sc__store *store)
{
    count_files(store, is_half_written, true);
}

/** Points first: as long as there are any, it is known what they are of. */
static sc_err forget(const sc__store *store, const char *manifest, sc_diag *diag)
{
    if (count_files(store, is_point, true) > 0) {
        return sc_fail(diag, SC_EIO, "%s: cannot remove the points there; name another directory",
                       store->options->directory);
    }
    if (unlink(manifest) != 0 && errno != ENOENT) return fail_errno(manifest, "remove", diag);
    return SC_OK;
}

static sc_err settle(const sc__store *store, sc_diag *diag)
{
    char points[PATH_MAX];
    char manifest[PATH_MAX];
    sc_err err = path_of(store, "points", NULL, points, diag);
    if (!err) err = path_of(store, "experiment.json", NULL, manifest, diag);
    if (!err) err = make_directory(points, diag);
    if (err) return err;
    // Before anything goes: these may not be ours.
    if (access(manifest, F_OK) != 0 && errno == ENOENT && count_files(store, is_any, false) > 0) {
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: the directory has files in points/ but no experiment.json, so it is "
                       "not from an experiment; name another",
                       store->options->directory);
    }
    sc__store_sweep(store);
    if (store->options->is_fresh) err = forget(store, manifest, diag);
    return err ? err : sc__manifest_settle(manifest, store->options, diag);
}

sc_err sc__store_open(sc__store *store, const sc_lab_options *options, sc_diag *diag)
{
    *store = (sc__store){.options = options, .lock = -1};
    sc_err err = make_directory(options->directory, diag);
    if (!err) err = take_lock(store, diag);
    if (!err) err = settle(store, diag);
    if (err) sc__store_close(store);
    return err;
}

void sc__store_close(sc__store *store)
{
    if (store->lock >= 0) close(store->lock);
    store->lock = -1;
}

// --- Points --------------------------------------------------------------------

sc_err sc__store_save(const sc__store *store, const sc_lab_result *result, sc_diag *diag)
{
    char path[PATH_MAX];
    char name[SC__POINT_NAME];
    sc__point_name(store->options, &result->point, name);
    const sc_err err = path_of(store, "points", name, path, diag);
    return err ? err : write_point(path, store->options, result, diag);
}

sc_err sc__store_load(const sc__store *store, const sc_lab_point *point, sc_lab_result *out,
                      bool *is_there, sc_diag *diag)
{
    char path[PATH_MAX];
    char name[SC__POINT_NAME];
    sc__point_name(store->options, point, name);
    const sc_err err = path_of(store, "points", name, path, diag);
    return err ? err : read_point(path, store->options, point, out, is_there, diag);
}
