#include "support/child.h"

#include "support/sanitized.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE = 60 }; /* seconds */

bool holds_in_child(bool (*check)(void *of), void *of) {
    const pid_t child = fork();
    if (child < 0) return false;
    if (!child) {
        signal(SIGALRM, SIG_DFL);
        alarm(DEADLINE);
        _exit(check(of) ? 0 : 1);
    }
    int how = 0;
    return waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

void need_threads_in_children(void) {
    if (IS_SANITIZED) skip();
}
