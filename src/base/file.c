#define _XOPEN_SOURCE 700 /* realpath */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hr_file_write(int fd, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size) {
        ssize_t done = write(fd, from, size);
        if (done < 0 && errno != EINTR) return false;
        if (done > 0) {
            from += done;
            size -= (size_t)done;
        }
    }
    return true;
}

int hr_file_unnamed(const char *path) {
    const size_t room = strlen(path) + 48;
    char *name = malloc(room);
    if (!name) return -1;
    snprintf(name, room, "%s.spare-%ld", path, (long)getpid());
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd >= 0) unlink(name);
    free(name);
    return fd;
}

void hr_file_sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    int fd = open(slash ? path : ".", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static hr_status fail_file_io(const char *doing, const char *what, hr_error *err) {
    return hr_fail(err, HR_E_IO, "check the path, its permissions and the free space", "cannot %s the %s: %s",
                   doing, what, strerror(errno));
}

static hr_status create(const char *path, const char *what, unsigned rights, const void *bytes, size_t size,
                        hr_error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)rights);
    if (fd < 0 && errno == EEXIST)
        return hr_fail(err, HR_E_IO, "choose another name; an existing file is never overwritten",
                       "the file exists already");
    if (fd < 0) return fail_file_io("create", what, err);
    hr_status status =
        hr_file_write(fd, bytes, size) && !fsync(fd) ? HR_OK : fail_file_io("write", what, err);
    if (close(fd) && !status) status = fail_file_io("write", what, err);
    if (status) unlink(path);
    return status;
}

hr_status hr_file_create(const char *path, const char *what, unsigned rights, const void *bytes, size_t size,
                         hr_error *err) {
    char *copy = malloc(strlen(path) + 1);
    if (!copy) return hr_fail_memory(err);
    hr_status status = create(path, what, rights, bytes, size, err);
    if (!status) hr_file_sync_folder(strcpy(copy, path));
    free(copy);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

hr_status hr_file_replace(const char *path, const char *what, unsigned rights, const void *bytes, size_t size,
                          hr_error *err) {
    const size_t room = strlen(path) + sizeof ".new";
    char *new = malloc(room);
    if (!new) return hr_fail_memory(err);
    snprintf(new, room, "%s.new", path);
    (void)unlink(new); /* of a process that was killed */
    hr_status status = hr_file_create(new, what, rights, bytes, size, err);
    if (!status && rename(new, path)) {
        status = fail_file_io("replace", what, err);
        unlink(new);
        hr_fail_at(err, status, path, 0, 0, NULL);
    }
    if (!status) hr_file_sync_folder(new);
    free(new);
    return status;
}

hr_status hr_file_check_secret(const char *path, unsigned rights, hr_error *err) {
    char remedy[sizeof err->remedy];
    if (!(rights & (S_IRWXG | S_IRWXO))) return HR_OK;
    snprintf(remedy, sizeof remedy,
             "remove their permissions: `chmod 600 %.250s`; if others may have read it, replace the key",
             path);
    hr_fail(err, HR_E_POLICY, remedy, "others may read or change this secret key");
    return hr_fail_at(err, HR_E_POLICY, path, 0, 0, NULL);
}

/* ---- Whole files: a crash leaves the old file or the new one, never half of either ---- */

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

/* A symbolic link is followed, so that it goes on to name the file. NULL: memory is short. */
static char *target_of(const char *path) {
    char *target = realpath(path, NULL);
    if (target || errno == ENOMEM) return target;
    target = malloc(strlen(path) + 1);
    return target ? strcpy(target, path) : NULL;
}

hr_status hr_file_write_path(const char *path, const char *bytes, size_t size, hr_error *err) {
    if (!strcmp(path, "-"))
        return hr_file_write(STDOUT_FILENO, bytes, size) ? HR_OK : fail_path(err, "-", "write", errno);
    struct stat about;
    if (!stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return write_special(path, bytes, size, err);
    char *target = target_of(path);
    if (!target) return hr_fail_memory(err);
    hr_status status = replace_output(target, bytes, size, err);
    free(target);
    return status;
}

static hr_status fail_place(hr_error *err, const char *path, const char *remedy, int error) {
    hr_fail(err, HR_E_IO, remedy, "cannot be written: %s", strerror(error));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

/* 0 or an errno: a file is made beside it, and removed. */
static int try_beside(const char *target) {
    const size_t room = strlen(target) + 64;
    char *name = malloc(room);
    if (!name) return ENOMEM;
    const int fd = open_beside(target, name, room), error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    free(name);
    return error;
}

hr_status hr_file_check_place(const char *path, hr_error *err) {
    static const char remedy[] = "choose another place, or correct its permissions";
    struct stat about;
    if (!strcmp(path, "-")) return HR_OK;
    if (!stat(path, &about) && !S_ISREG(about.st_mode)) {
        if (S_ISDIR(about.st_mode)) return fail_place(err, path, "name a file", EISDIR);
        if (S_ISSOCK(about.st_mode)) return fail_place(err, path, "name a file", ENXIO);
        return access(path, W_OK) ? fail_place(err, path, remedy, errno) : HR_OK;
    }
    char *target = target_of(path);
    if (!target) return hr_fail_memory(err);
    const int error = try_beside(target);
    free(target);
    if (error == ENOMEM) return hr_fail_memory(err);
    return error ? fail_place(err, path, remedy, error) : HR_OK;
}
