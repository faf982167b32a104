/* Loaded before a command: the first fsync() of a file waits until a test goes on, so that the test meets the
 * command when its output is written and has no name yet. */
#define _GNU_SOURCE /* syscall() */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void meet(const char *name, int flags, char *byte) {
    const int pipe = open(getenv(name), flags | O_CLOEXEC);
    const ssize_t moved = flags == O_WRONLY ? write(pipe, byte, 1) : read(pipe, byte, 1);
    if (moved != 1) abort();
    close(pipe);
}

static void wait_once(void) {
    static int met;
    char byte = 0;
    if (getenv("FSYNC_REACHED") == NULL || met++ != 0) return;
    meet("FSYNC_REACHED", O_WRONLY, &byte);
    meet("FSYNC_GO", O_RDONLY, &byte);
}

int fsync(int descriptor);
int fdatasync(int descriptor);

int fsync(int descriptor) {
    wait_once();
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    wait_once();
    return (int)syscall(SYS_fdatasync, descriptor);
}
