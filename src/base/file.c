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
        return hr_fail(err, HR_E_POLICY, "choose another name; an existing file is never overwritten",
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
