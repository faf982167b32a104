/* Files read and written as a whole: a crash leaves the old file or the new one, never half of either. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_NAMES = 100, CHUNK = 64 * 1024 };

static hr_status fail_path(hr_error *err, const char *path, const char *what, int error) {
    hr_fail(err, HR_E_IO, "check the path, its permissions and the free space", "cannot %s the file: %s",
            what, strerror(error));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

hr_status hr_file_read_path(const char *path, hr_buffer *bytes, hr_error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_path(err, path, "open", errno);
    char chunk[CHUNK];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) hr_buffer_add(bytes, chunk, (size_t)got);
    int error = errno;
    close(fd);
    if (got < 0) return fail_path(err, path, "read", error);
    return bytes->failed ? hr_fail_memory(err) : HR_OK;
}

/* Opens a new file beside `path`; its name is left in `name`. -1 with errno on failure. */
static int open_beside(const char *path, char *name, size_t size) {
    int fd = -1;
    for (int i = 0; i < TEMPORARY_NAMES && fd < 0; i++) {
        snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    return fd;
}

static hr_status replace_output(char *path, const char *bytes, size_t size, hr_error *err) {
    size_t room = strlen(path) + 64;
    char *name = malloc(room);
    if (!name) return hr_fail_memory(err);
    hr_status status = HR_OK;
    int fd = open_beside(path, name, room);
    if (fd < 0) {
        status = fail_path(err, path, "create", errno);
        goto out;
    }
    bool fine = hr_file_write(fd, bytes, size) && !fsync(fd);
    int error = errno;
    if (close(fd) && fine) {
        fine = false;
        error = errno;
    }
    if (fine && rename(name, path)) {
        fine = false;
        error = errno;
    }
    if (!fine) {
        status = fail_path(err, path, "write", error);
        unlink(name);
        goto out;
    }
    hr_file_sync_folder(path);
out:
    free(name);
    return status;
}

/* Devices and pipes have no older content to keep, and must not be replaced by a file. */
static hr_status write_special(const char *path, const char *bytes, size_t size, hr_error *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_path(err, path, "open", errno);
    bool fine = hr_file_write(fd, bytes, size);
    int error = errno;
    if (close(fd) && fine) {
        fine = false;
        error = errno;
    }
    return fine ? HR_OK : fail_path(err, path, "write", error);
}

/* A symbolic link is followed, so that it goes on to name the file. Owner: the caller. NULL when memory is
 * short. */
static char *final_path(const char *path) {
    char *real = realpath(path, NULL);
    if (real || errno == ENOMEM) return real;
    char *copy = malloc(strlen(path) + 1);
    return copy ? strcpy(copy, path) : NULL;
}

hr_status hr_file_write_path(const char *path, const char *bytes, size_t size, hr_error *err) {
    if (!strcmp(path, "-"))
        return hr_file_write(STDOUT_FILENO, bytes, size) ? HR_OK : fail_path(err, "-", "write", errno);
    struct stat about;
    if (!stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return write_special(path, bytes, size, err);
    char *target = final_path(path);
    if (!target) return hr_fail_memory(err);
    hr_status status = replace_output(target, bytes, size, err);
    free(target);
    return status;
}
