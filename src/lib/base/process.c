// Processor time and memory of this process.
#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t used_cpu_us(void)
{
    struct timespec used = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

// The first two numbers of statm: pages in all, and those in memory.
static bool read_memory(sc_process_use *use)
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
    use->virtual_bytes = pages * (uint64_t)page_size;
    use->resident_bytes = resident * (uint64_t)page_size;
    return true;
}

sc_process_use sc_process_use_now(void)
{
    sc_process_use use = {.cpu_us = used_cpu_us()};
    use.knows_memory = read_memory(&use);
    return use;
}
