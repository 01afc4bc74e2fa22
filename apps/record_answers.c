// A record, and then its answers. See record_answers.h.
#include "record_answers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <starcloak/objects.h>

#include "sim/evaluate.h"

static sc_err fail_system(sc_diag *diag)
{
    snprintf(diag->message, sizeof(diag->message),
             "--record -: there is no memory for the record: %.80s; record to a file",
             strerror(errno));
    return SC_EIO;
}

/** Let what goes to standard output go to memory. */
static sc_err turn_aside(sc_answering *answering, sc_diag *diag)
{
    answering->memory = memfd_create("record", MFD_CLOEXEC);
    if (answering->memory < 0) return fail_system(diag);
    if (fflush(stdout) != 0) return fail_system(diag);
    answering->standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (answering->standard < 0) return fail_system(diag);
    if (dup2(answering->memory, STDOUT_FILENO) < 0) return fail_system(diag);
    snprintf(answering->path, sizeof(answering->path), "/proc/self/fd/%d", answering->memory);
    return SC_OK;
}

/** And back again. */
static sc_err turn_back(sc_answering *answering, sc_diag *diag)
{
    if (answering->standard < 0) return SC_OK;
    const bool is_written = fflush(stdout) == 0;
    const bool is_back = dup2(answering->standard, STDOUT_FILENO) >= 0;
    close(answering->standard);
    answering->standard = -1;
    return is_written && is_back ? SC_OK : fail_system(diag);
}

sc_err sc_answering_open(sc_answering *answering, const sc_call *call, const sc_map *map,
                         bool is_quiet, sc_run_options *run, sc_diag *diag)
{
    if (!run->record) return SC_OK;
    if (sc_map_object_count(map) == 0) {
        if (!is_quiet) {
            sc_call_note(call, "note: there are no objects on the map, so nothing can be answered, "
                               "and the record has no answers");
        }
        return SC_OK;
    }
    answering->output = run->record;
    if (strcmp(answering->memory >= 0 ? answering->path : run->record, "-") != 0) return SC_OK;
    return turn_aside(answering, diag);
}

sc_err sc_answering_finish(sc_answering *answering, const sc_call *call, const sc_map *map,
                           const sc_run_options *run, sc_diag *diag)
{
    if (!answering->output) return SC_OK;
    sc_objects *objects = NULL;
    sc_err err = turn_back(answering, diag);
    if (!err) err = sc_objects_new_from_map(map, &objects);
    if (err) return err;
    sc_evaluate_options options = sc_evaluate_options_default();
    options.objects = objects;
    options.is_seeded = !run->is_secure;
    options.seed = run->seed;
    options.progress = run->progress;
    sc_evaluate_report report;
    err = sc_evaluate(map, answering->memory >= 0 ? answering->path : run->record,
                      answering->output, &options, &report, diag);
    if (!err) {
        answering->is_answered = true;
        answering->answer_count = report.answered;
    }
    if (!err && report.failed > 0) {
        sc_call_note(call, "note: %llu queries could not be answered; the first: %.300s",
                     (unsigned long long)report.failed, report.first_failure.message);
    }
    if (!err && report.refused > 0) {
        sc_call_note(call,
                     "note: %llu queries ask for more than a provider is asked for, and were "
                     "not answered",
                     (unsigned long long)report.refused);
    }
    sc_objects_release(objects);
    return err;
}

void sc_answering_close(sc_answering *answering)
{
    sc_diag untold;
    (void)turn_back(answering, &untold);
    if (answering->memory >= 0) close(answering->memory);
    *answering = SC_ANSWERING_NONE;
}
