#include "ledger/file_lock.h"

#include "base/buffer.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct hr_file_lock {
    char *path;
    int file;
};

/* The previous holder of the lock may have removed the file that was opened: a lock on it has no effect. */
static bool is_at(const char *path, int file) {
    struct stat there, here;
    return !stat(path, &there) && !fstat(file, &here) && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

static hr_status lock(const char *path, int *out, hr_error *err) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0)
        return hr_fail(err, HR_E_IO, "check that you may write to the folder",
                       "cannot make the lock '%.200s': %s", path, strerror(errno));
    int failure = flock(file, LOCK_EX | LOCK_NB) ? errno : is_at(path, file) ? 0 : EWOULDBLOCK;
    if (!failure) {
        *out = file;
        return HR_OK;
    }
    close(file);
    if (failure != EWOULDBLOCK)
        return hr_fail(err, HR_E_IO, "keep it on a file system that has locks",
                       "cannot lock it against other processes: %s", strerror(failure));
    return hr_fail(err, HR_E_IO, "end the other process first", "another process uses this file");
}

static char *beside(const char *path, hr_error *err) {
    hr_buffer text = {0};
    char *made = NULL;
    hr_buffer_text(&text, path);
    hr_buffer_text(&text, ".lock");
    return hr_buffer_take(&text, &made, err) ? NULL : made;
}

hr_status hr_file_lock_take(const char *path, hr_file_lock **out, hr_error *err) {
    hr_file_lock *file_lock = malloc(sizeof *file_lock);
    if (!file_lock) return hr_fail_memory(err);
    file_lock->path = beside(path, err);
    hr_status status = file_lock->path ? lock(file_lock->path, &file_lock->file, err) : HR_E_MEMORY;
    if (!status) {
        *out = file_lock;
        return HR_OK;
    }
    free(file_lock->path);
    free(file_lock);
    return status;
}

void hr_file_lock_release(hr_file_lock *file_lock) {
    if (!file_lock) return;
    unlink(file_lock->path); /* while it is locked: who opens it now finds it gone */
    close(file_lock->file);
    free(file_lock->path);
    free(file_lock);
}
