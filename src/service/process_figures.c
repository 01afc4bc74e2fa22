// Looking at this process in /proc. See process_figures.h.
#include "service/process_figures.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
    struct timespec used = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

// The first two numbers of statm: pages in all, and those in memory.
static bool read_memory(sc_process_figures *figures)
{
    char text[128];
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    unsigned long long pages = 0;
    unsigned long long resident = 0;
    // NOLINTNEXTLINE(cert-err34-c): the kernel wrote these numbers
    if (sscanf(text, "%llu %llu", &pages, &resident) != 2) return false;
    const long page_size = sysconf(_SC_PAGESIZE);
    figures->virtual_bytes = pages * (uint64_t)page_size;
    figures->resident_bytes = resident * (uint64_t)page_size;
    return true;
}

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
    sc_process_figures figures = {.cpu_s = cpu_seconds()};
    figures.knows_memory = read_memory(&figures);
    figures.knows_descriptors = count_descriptors(&figures.descriptors);
    return figures;
}
