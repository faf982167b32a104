#include "secrets.h"

#include <sys/resource.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

void secrets_guard(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#if defined(__linux__)
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
