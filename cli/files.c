/* Files that appear whole: written beside their final name and renamed when complete, so that nobody reads half a table and a
 * failed command leaves nothing behind. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char remedy[] = "choose another place, or see to its permissions";

/* Opens a new file beside `path`; *part gets its name, which the caller frees. Returns a descriptor or -1. */
static int open_part(const char *path, char **part) {
    const size_t size = strlen(path) + 32;
    char *name = malloc(size);
    if (name == NULL) return -1;
    snprintf(name, size, "%s.part-%ld", path, (long)getpid());
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        free(name);
        return -1;
    }
    *part = name;
    return descriptor;
}

static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static bool is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

hr_status output_open(output_file *file, const char *path, hr_error *err) {
    output_file opened = {.path = path};
    if (strcmp(path, "-") == 0) {
        opened.stream = stdout;
    } else if (is_special(path)) {
        opened.stream = fopen(path, "wb");
    } else {
        const int descriptor = open_part(path, &opened.part);
        opened.stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
        if (descriptor >= 0 && opened.stream == NULL) close(descriptor);
    }
    if (opened.stream == NULL) {
        fail_io(err, path, "cannot be written", remedy);
        output_abandon(&opened);
        return HR_E_IO;
    }
    *file = opened;
    return HR_OK;
}

hr_status output_finish(output_file *file, hr_error *err) {
    FILE *stream = file->stream;
    file->stream = NULL;
    const bool wrong = ferror(stream) != 0;
    const bool lost = stream == stdout ? fflush(stream) != 0 : fclose(stream) != 0;
    if (wrong || lost) return fail_io(err, file->path, "cannot be written", remedy);
    if (file->part == NULL) return HR_OK;
    if (rename(file->part, file->path) != 0) return fail_io(err, file->path, "cannot be written", remedy);
    free(file->part);
    file->part = NULL;
    return HR_OK;
}

void output_abandon(output_file *file) {
    if (file->stream != NULL && file->stream != stdout) fclose(file->stream);
    if (file->part != NULL) unlink(file->part);
    free(file->part);
    *file = (output_file){0};
}

hr_status output_probe(const char *path, hr_error *err) {
    if (strcmp(path, "-") == 0) return HR_OK;
    if (is_directory(path)) {
        errno = EISDIR;
        return fail_io(err, path, "cannot be written", "name a file");
    }
    if (is_special(path)) return HR_OK;
    char *part = NULL;
    const int descriptor = open_part(path, &part);
    if (descriptor < 0) return fail_io(err, path, "cannot be written", remedy);
    close(descriptor);
    unlink(part);
    free(part);
    return HR_OK;
}
