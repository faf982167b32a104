#include "privacy/ledger/file_lock.h"

#include "base/buffer.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 1000, NAP = 500 * 1000 /* nanoseconds */ };

struct hr_file_lock {
    char *path; /* of a file that is removed at the end; NULL: the locked file stays */
    int file;
    pid_t holder; /* who took it; a process that was forked since has the file open, but not the lock */
};

/* The previous holder of the lock may have removed the file that was opened: a lock on it has no effect. */
static bool is_at(const char *path, int file) {
    struct stat there, here;
    return !stat(path, &there) && !fstat(file, &here) && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

static hr_status fail_held(hr_error *err) {
    return hr_fail(err, HR_E_BUSY, "end the other process first", "another process uses this file");
}

/* HR_OK with *out below 0: try again. Others may share the lock for a moment: who looks at it
 * (hr_file_lock_look), and who takes it as we do. Who has it alone has it for long. */
static hr_status try_lock(const char *path, int *out, hr_error *err) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0)
        return hr_fail(err, HR_E_IO, "check that you may write to the folder",
                       "cannot make the lock '%.200s': %s", path, strerror(errno));
    const int taken = flock(file, LOCK_SH | LOCK_NB) ? errno : 0;
    const int failure = taken ? taken : flock(file, LOCK_EX | LOCK_NB) ? errno : 0;
    if (!failure && is_at(path, file)) {
        *out = file;
        return HR_OK;
    }
    close(file);
    if (taken == EWOULDBLOCK) return fail_held(err);
    if (!failure || failure == EWOULDBLOCK) return HR_OK;
    return hr_fail(err, HR_E_IO, "keep it on a file system that has locks",
                   "cannot lock it against other processes: %s", strerror(failure));
}

static hr_status lock(const char *path, int *out, hr_error *err) {
    *out = -1;
    hr_status status = try_lock(path, out, err);
    for (int i = 1; !status && *out < 0 && i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = NAP + getpid() % NAP}, NULL); /* not in step with another */
        status = try_lock(path, out, err);
    }
    if (status || *out >= 0) return status;
    return fail_held(err);
}

static char *beside(const char *path, hr_error *err) {
    hr_buffer text = {0};
    char *made = NULL;
    hr_buffer_text(&text, path);
    hr_buffer_text(&text, ".lock");
    return hr_buffer_take(&text, &made, err) ? NULL : made;
}

/* The file of the lock has the number of the process, and was changed when it took the lock. A disk that is
 * full keeps nobody from working. */
static void note_holder(int file) {
    char text[32];
    const int size = snprintf(text, sizeof text, "%lld\n", (long long)getpid());
    if (ftruncate(file, 0) || pwrite(file, text, (size_t)size, 0) != size) (void)ftruncate(file, 0);
}

static hr_status name_holder(const char *path, hr_error *err) {
    char text[32] = {0}, since[32] = {0};
    struct stat info;
    struct tm tm;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0 && !fstat(file, &info) &&
        gmtime_r(&info.st_mtime, &tm))
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (file >= 0) close(file);
    const long long process = strtoll(text, NULL, 10);
    if (process <= 0 || !*since) return fail_held(err);
    return hr_fail(err, HR_E_BUSY, "end that process first", "process %lld uses this file since %s", process,
                   since);
}

hr_status hr_file_lock_take(const char *path, hr_file_lock **out, hr_error *err) {
    hr_file_lock *file_lock = malloc(sizeof *file_lock);
    if (!file_lock) return hr_fail_memory(err);
    file_lock->path = beside(path, err);
    hr_status status = file_lock->path ? lock(file_lock->path, &file_lock->file, err) : HR_E_MEMORY;
    if (!status) {
        note_holder(file_lock->file);
        file_lock->holder = getpid();
        *out = file_lock;
        return HR_OK;
    }
    if (status == HR_E_BUSY) status = name_holder(file_lock->path, err);
    free(file_lock->path);
    free(file_lock);
    return status;
}

hr_status hr_file_lock_hold(const char *path, hr_file_lock **out, hr_error *err) {
    hr_file_lock *file_lock = malloc(sizeof *file_lock);
    if (!file_lock) return hr_fail_memory(err);
    *file_lock = (hr_file_lock){.file = open(path, O_RDONLY | O_CLOEXEC), .holder = getpid()};
    int failure = file_lock->file < 0 || flock(file_lock->file, LOCK_EX | LOCK_NB) ? errno : 0;
    if (!failure) {
        *out = file_lock;
        return HR_OK;
    }
    if (file_lock->file >= 0) close(file_lock->file);
    free(file_lock);
    if (failure == EWOULDBLOCK) return fail_held(err);
    return hr_fail(err, HR_E_IO, "check the path, and that its file system has locks",
                   "cannot lock it against other processes: %s", strerror(failure));
}

hr_status hr_file_lock_look(const char *path, bool *held, hr_error *err) {
    char *name = beside(path, err);
    if (!name) return HR_E_MEMORY;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), failure = file < 0 ? errno : 0;
    free(name);
    *held = false;
    if (file >= 0) {
        *held = flock(file, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
        close(file);
    }
    if (!failure || failure == ENOENT) return HR_OK;
    return hr_fail(err, HR_E_IO, "ask as the user that the program runs as",
                   "cannot see whether a program works with it: %s", strerror(failure));
}

bool hr_file_lock_is_on(const hr_file_lock *file_lock, const char *path) {
    return file_lock && is_at(path, file_lock->file);
}

void hr_file_lock_release(hr_file_lock *file_lock) {
    if (!file_lock) return;
    if (file_lock->holder == getpid()) {
        if (file_lock->path) unlink(file_lock->path); /* while it is locked: who opens it now finds it gone */
        flock(file_lock->file, LOCK_UN); /* a process that was forked meanwhile has the file open as well */
    }
    close(file_lock->file);
    free(file_lock->path);
    free(file_lock);
}
