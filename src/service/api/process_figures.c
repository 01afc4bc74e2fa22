// Looking at this process, and at what it has open. See process_figures.h.
#include "api/process_figures.h"

#include <dirent.h>

static bool count_descriptors(uint64_t *out)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return false;
    uint64_t count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    *out = count - (count > 0);  // one of them was the folder
    return true;
}

sc_process_figures sc_process_figures_read(void)
{
    sc_process_figures figures = {.use = sc_process_use_now()};
    figures.knows_descriptors = count_descriptors(&figures.descriptors);
    return figures;
}
