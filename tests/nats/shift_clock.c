/* Loaded before a program, this shifts what the program takes for the date by CLOCK_SHIFT_DAYS. Clocks that
 * only measure durations stay. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift(void) {
    const char *days = getenv("CLOCK_SHIFT_DAYS");
    return days ? (time_t)(atof(days) * 86400) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    const int code = (int)syscall(SYS_clock_gettime, clock, out);
    if (!code && clock == CLOCK_REALTIME) out->tv_sec += shift();
    return code;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
