#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

void hr_file_sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    int fd = open(slash ? path : ".", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}
