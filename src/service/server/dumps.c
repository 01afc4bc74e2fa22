// Memory that nobody else gets to see, and as many descriptors as there may be. See sandbox.h.
#include "server/sandbox.h"

#include "base/diag.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

sc_err sc_sandbox_no_dumps(sc_diag *diag)
{
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return sc_fail(diag, SC_EIO, "cannot close this process to debuggers and core dumps: %s",
                       strerror(errno));
    }
    return SC_OK;
}

size_t sc_sandbox_raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    // Should it not be allowed, there are as many as before.
    return (size_t)(setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur);
}
